"""What a game is to everybody else: states, the actions that lead from one to the next, and the events that
tell of it. Sans-I/O: state in, actions in, new state and events out.

Knows no bot, no clock and no randomness: decks and lots come from a DealSource that is passed in.
The laws that every game keeps are tests/games/test_laws.py.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import msgspec

from arena.games.events import Dealt, Event
from protocol.cards import Card, Hands, Seat, gathered
from protocol.outcome import Outcome
from protocol.streams import DealSource, Stream

Action: TypeAlias = str
"""What is chosen, as the text that a bot sends back: a card, or a word of letters and digits."""


MOST_SEATS: Final = 8


class IllegalAction(ValueError):
    """`apply` was called for the wrong seats or with an action that is not legal. The state is as it was."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game's variants, each with a default. Games without any use this very class."""

    @property
    def open_ended(self) -> bool:
        """Whether play decides how many deals there are: two seatings of the same deals could then differ
        in length."""
        return False


class View(msgspec.Struct, frozen=True):
    """All that a seat may know now, enough for a bot without memory. Every game's view begins with these.
    `leader` leads the current trick, or has the turn where there are no tricks. `points` are the totals of
    the finished deals."""

    deal_no: int
    deals: int
    seats: int
    seat: Seat
    leader: Seat
    hand: tuple[Card, ...]
    points: tuple[int, ...]

    @property
    def finished_tricks(self) -> int | None:
        """The number of complete tricks in this deal; None in a game without tricks."""
        return None

    @property
    def open_trick(self) -> tuple[Card, ...]:
        """The cards of the trick that is not complete yet."""
        return ()


class State(Protocol):
    """One moment of a match. Immutable."""

    @property
    def setting(self) -> "Setting": ...

    @property
    def deal_no(self) -> int: ...

    @property
    def hands(self) -> Hands:
        """What every seat holds now: for those who look back at a match, and for its laws."""
        ...

    @property
    def pending(self) -> Mapping[Seat, str]:
        """The kind of decision each seat is to take now: empty when the match is over, one seat when play
        is sequential, several when they choose at the same time and in secret."""
        ...

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """What `seat` may choose; empty exactly when it is not pending."""
        ...

    def apply(self, actions: Mapping[Seat, Action]) -> "Step":
        """The next state, after one action of every pending seat. Raises IllegalAction."""
        ...

    def view(self, seat: Seat) -> View: ...

    def tally(self) -> Outcome:
        """Points and gains of the deals finished so far, and the placings they would give."""
        ...

    def outcome(self) -> Outcome | None:
        """The tally when nothing is pending, else None."""
        ...


class Step(NamedTuple):
    state: State
    events: tuple[Event, ...]


class Game(Protocol):
    """The rules of one game, and what somebody who has never heard of it must know to play it."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def counts(self) -> str:
        """What its points are called where people read them: `minus points` where few are good."""
        ...

    @property
    def rules(self) -> int:
        """Counts up whenever the same actions could lead elsewhere: old logs say which rules they follow."""
        ...

    @property
    def seats(self) -> range: ...
    @property
    def independent_deals(self) -> bool:
        """Whether nothing but the points of a deal reaches the next one."""
        ...

    @property
    def decisions(self) -> tuple[str, ...]: ...
    @property
    def words(self) -> tuple[Action, ...]:
        """All actions that are not cards."""
        ...

    @property
    def options(self) -> type[Options]: ...
    @property
    def events(self) -> Any:
        """The union of this game's events, to decode them from text."""
        ...

    @property
    def views(self) -> Any:
        """The struct of this game's views, likewise."""
        ...

    def suits(self, seats: int) -> Mapping[str, str]:
        """Letter to name, in deck order."""
        ...

    def deck(self, seats: int) -> tuple[Card, ...]: ...

    def ranked(self, view: Any) -> str:
        """The letters of the suits from low to high, as people want to be reminded of them; empty where this
        game ranks none, or not yet."""
        ...

    def deals(self, seats: int, options: Any = None) -> int:
        """How many deals make a match when nobody says otherwise; with open-ended options, at most."""
        ...

    def largest_lead(self, seats: int) -> int:
        """By how much the gains of two seats can differ in one deal: never by more, whatever all choose."""
        ...

    def start(self, seats: int, options: Any, deals: int, source: DealSource) -> Step:
        """`options` are of this game's class. The match ends after `deals` deals at the latest."""
        ...

    def imagine(self, view: Any, stream: Stream) -> State:
        """A random state that this view allows: `imagine(v, …).view(v.seat) == v`. What the view has no
        part in (hidden cards, the decks of later deals) is drawn from `stream`. Past points are booked on
        one deal, since a view holds only their sum."""
        ...


class Setting(msgspec.Struct, frozen=True):
    """What stays the same from the first deal of a match to the last."""

    seats: int
    deals: int
    """The most that are played."""
    deck: tuple[Card, ...]
    source: DealSource


# Asked for at every step of every playout, so made once.
OVER: Final[Mapping[Seat, str]] = {}
PLAY: Final[tuple[Mapping[Seat, str], ...]] = tuple({seat: "play"} for seat in range(MOST_SEATS))
"""By seat: that one is to play."""


def check(state: State, actions: Mapping[Seat, Action]) -> None:
    """Raises IllegalAction unless `actions` holds one legal action for each pending seat."""
    for seat, action in actions.items():
        if action not in state.legal(seat):  # nothing is, for a seat that is not pending
            raise IllegalAction(f"seat {seat} may not choose {action!r}")
    if len(actions) != len(state.pending):
        raise IllegalAction(f"actions of seats {sorted(actions)}, pending are {sorted(state.pending)}")


def deal_out(setting: Setting, deal_no: int) -> Hands:
    """The whole shuffled deck: seat i gets cards i·h … i·h+h−1."""
    size = len(setting.deck) // setting.seats
    shuffled = setting.source.deck(deal_no, setting.deck)
    return gathered({card: at // size for at, card in enumerate(shuffled)}, setting.seats, setting.deck)


def dealt(deal_no: int, leader: Seat, hands: Hands) -> tuple[Event, ...]:
    return tuple(Dealt(deal_no, seat, leader, hand) for seat, hand in enumerate(hands))
