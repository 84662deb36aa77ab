"""Events that several games share, and what every event can do. The same structs stand on the wire and in
the match log.

An event is something that happened, named by a past participle. A secret is split off rather than masked:
what only one seat may know is an event of its own, with that seat as its audience.
"""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from protocol.cards import Card, Hands, Seat

Naming: TypeAlias = Callable[[Seat], str]
"""How a seat is called in a sentence for people."""


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=str.lower):
    """`audience` is the only seat that may know of the event, None if all may."""

    @property
    def audience(self) -> Seat | None:
        return None

    def known_to(self, seat: Seat | None) -> bool:
        """Whether `seat` may know of it; None is somebody who sees all hands."""
        return seat is None or self.audience in (None, seat)

    @property
    def revealed_hands(self) -> Hands | None:
        """What it shows of every seat's hand, if it does."""
        return None

    @property
    def continues(self) -> bool:
        """Whether what comes next is best told on the same line: the next card of a trick or of a series."""
        return False

    def tell(self, name: Naming) -> str:
        """The event as a short sentence for somebody who knows the leaflet."""
        raise NotImplementedError


class Dealt(Event, frozen=True):
    """A seat's own cards of a new deal, sorted in deck order, and who begins it."""

    deal_no: int
    seat: Seat
    leader: Seat
    hand: tuple[Card, ...]

    @property
    def audience(self) -> Seat | None:
        return self.seat

    def tell(self, name: Naming) -> str:
        return f"{name(self.seat)} is dealt {' '.join(self.hand)}"


class Played(Event, frozen=True):
    """A seat laid a card for all to see."""

    seat: Seat
    card: Card

    @property
    def continues(self) -> bool:
        return True

    def tell(self, name: Naming) -> str:
        return f"{name(self.seat)} {self.card}"


class Scored(Event, frozen=True):
    """The end of a deal: its points by seat, and the totals with it."""

    deal_no: int
    points: tuple[int, ...]
    totals: tuple[int, ...]

    def tell(self, name: Naming) -> str:
        parts = (
            f"{name(seat)} {points:+d} (total {total})"
            for seat, (points, total) in enumerate(zip(self.points, self.totals, strict=True))
        )
        return f"deal {self.deal_no}: " + ", ".join(parts)
