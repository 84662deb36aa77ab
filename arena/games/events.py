"""Events that several games share, and the interface of every event. The wire and the match log carry the
same structs. Knows no rules.

An event is something that happened, named by a past participle. Nothing in it is masked: what only one seat
may know is an event of its own, with that seat as its audience.
"""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from protocol.cards import Card, Hands, Seat

Naming: TypeAlias = Callable[[Seat], str]
"""From a seat to its name in a sentence for people."""


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=str.lower):
    """Something that happened in a match. Its tag is the name of the class in lower case."""

    @property
    def audience(self) -> Seat | None:
        """The only seat that may know the event; None if all may."""
        return None

    def known_to(self, seat: Seat | None) -> bool:
        """Whether `seat` may know the event. None is an observer who sees all hands."""
        return seat is None or self.audience in (None, seat)

    @property
    def revealed_hands(self) -> Hands | None:
        """The hands of all seats, if the event shows them to everybody; else None."""
        return None

    @property
    def continues(self) -> bool:
        """Whether the next event belongs on the same line of a text: the next card of a trick or series."""
        return False

    def sentence(self, name: Naming) -> str:
        """The event as a short sentence for people who know the rules."""
        raise NotImplementedError


class Dealt(Event, frozen=True):
    """A seat's cards in a new deal, in deck order, and the seat that begins; null while not all know it."""

    deal_no: int
    seat: Seat
    leader: Seat | None
    hand: tuple[Card, ...]

    @property
    def audience(self) -> Seat | None:
        return self.seat

    def headline(self, name: Naming, deals: int | None = None) -> str:
        """The heading of a new deal in a text: `deal 2 of 4 — ada begins`."""
        of = "" if deals is None else f" of {deals}"
        begins = "" if self.leader is None else f" — {name(self.leader)} begins"
        return f"deal {self.deal_no}{of}{begins}"

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} is dealt {' '.join(self.hand)}"


class Played(Event, frozen=True):
    """A seat laid a card that all can see."""

    seat: Seat
    card: Card

    @property
    def continues(self) -> bool:
        return True

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} {self.card}"


class Taken(Event, frozen=True):
    """`seat` took a complete trick."""

    trick_no: int
    seat: Seat

    def sentence(self, name: Naming) -> str:
        return f"trick {self.trick_no}: {name(self.seat)} takes it"


class Scored(Event, frozen=True):
    """The end of a deal: its points by seat, and the totals that include them."""

    deal_no: int
    points: tuple[int, ...]
    totals: tuple[int, ...]

    def sentence(self, name: Naming) -> str:
        parts = (
            f"{name(seat)} {f'{points:+d}' if points else 0} (total {total})"
            for seat, (points, total) in enumerate(zip(self.points, self.totals, strict=True))
        )
        return f"deal {self.deal_no}: " + ", ".join(parts)
