"""The interface of a game: states, the actions that lead from one to the next, and the events that result.
Sans-I/O: a state and actions in, a new state and events out.

Knows no bot, no clock and no randomness: the caller passes a DealSource for decks and lots. The laws that
every game must keep are in arena/laws/.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import msgspec

from arena.games.events import Dealt, Event
from protocol.cards import Card, Hands, Seat, gathered
from protocol.outcome import Outcome
from protocol.streams import DealSource, Stream

Action: TypeAlias = str
"""What a seat chooses, as the text that a bot sends: a card, or a word of letters and digits."""

MOST_SEATS: Final = 8


class IllegalAction(ValueError):
    """`apply` was called for the wrong seats or with an action that is not legal."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game's options, each with a default. A game without options uses this class itself."""

    @property
    def open_ended(self) -> bool:
        """Whether play decides how many deals there are, so that two seatings may differ in length."""
        return False


class View(msgspec.Struct, frozen=True):
    """All that a seat may know now, enough for a bot without memory. Every game's view begins like this."""

    deal_no: int
    deals: int
    seats: int
    seat: Seat
    leader: Seat
    """The seat that leads the current trick or, in a game without tricks, has the turn."""
    hand: tuple[Card, ...]
    points: tuple[int, ...]
    """The totals of the finished deals, by seat."""

    @property
    def finished_tricks(self) -> int | None:
        """The number of complete tricks in this deal; None in a game without tricks."""
        return None

    @property
    def open_trick(self) -> tuple[Card, ...]:
        """The cards of the incomplete trick, in order of play; () in a game without tricks."""
        return ()

    @property
    def deal_points(self) -> tuple[int, ...] | None:
        """The points of this deal so far, by seat; `points` includes them once the deal is finished. None in
        a game that counts only at the end of a deal, and while there is nothing to count."""
        return None


class State(Protocol):
    """One moment of a match. Immutable."""

    @property
    def setting(self) -> "Setting":
        """What stays the same during the match."""
        ...

    @property
    def deal_no(self) -> int:
        """The current deal, from 1; the last one when the match is over."""
        ...

    @property
    def hands(self) -> Hands:
        """The hands of all seats now, for replays and tests; a bot gets a view."""
        ...

    @property
    def stock(self) -> tuple[Card, ...]:
        """The cards that lie face down and belong to no seat; () in a game that deals out the whole deck."""
        ...

    @property
    def pending(self) -> Mapping[Seat, str]:
        """The seats that must decide now, each with the kind of its decision. Several seats choose at the
        same time and in secret. Empty when the match is over."""
        ...

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """The actions that `seat` may choose; empty exactly when the seat is not pending."""
        ...

    def apply(self, actions: Mapping[Seat, Action]) -> "Step":
        """The next state, after one action of every pending seat. Raises IllegalAction."""
        ...

    def view(self, seat: Seat) -> View:
        """All that `seat` may know of this state."""
        ...

    def tally(self) -> Outcome:
        """Points and gains of the deals finished so far, and the placings that follow from them."""
        ...

    def outcome(self) -> Outcome | None:
        """The final tally when the match is over; None before."""
        ...


class Step(NamedTuple):
    """A new state, and the events that led to it, in order."""

    state: State
    events: tuple[Event, ...]


class Game(Protocol):
    """The rules of one game, and all that a program needs to play it without knowing the game."""

    @property
    def id(self) -> str:
        """The name on the command line, on the wire and in files."""
        ...

    @property
    def title(self) -> str:
        """The name for people."""
        ...

    @property
    def counts(self) -> str:
        """What its points are called in texts: `penalty points` if few are good."""
        ...

    @property
    def rules(self) -> int:
        """The version of the rules, for logs. Increased when the same actions could have another result."""
        ...

    @property
    def seats(self) -> range:
        """The possible numbers of seats."""
        ...

    @property
    def independent_deals(self) -> bool:
        """Whether nothing but the points of a deal affects the next one."""
        ...

    @property
    def decisions(self) -> tuple[str, ...]:
        """All kinds of decisions that may occur in `pending`."""
        ...

    @property
    def words(self) -> tuple[Action, ...]:
        """All actions that are not cards."""
        ...

    @property
    def options(self) -> type[Options]:
        """The class of its options."""
        ...

    @property
    def events(self) -> Any:
        """The union of this game's events, to decode them from text."""
        ...

    @property
    def views(self) -> Any:
        """The struct of this game's views, to decode them from text."""
        ...

    def suits(self, seats: int) -> Mapping[str, str]:
        """The name of each suit by its letter, in deck order."""
        ...

    def deck(self, seats: int) -> tuple[Card, ...]:
        """All cards in deck order."""
        ...

    def ranked(self, view: Any) -> str:
        """The letters of the suits from low to high, as a reminder for people; empty if the game ranks no
        suits or the order is not chosen yet."""
        ...

    def deals(self, seats: int, options: Any = None) -> int:
        """The default number of deals in a match; with open-ended options, the greatest."""
        ...

    def largest_lead(self, seats: int) -> int:
        """An upper bound for the difference between the gains of two seats in one deal."""
        ...

    def start(self, seats: int, options: Any, deals: int, source: DealSource) -> Step:
        """The first state of a match of at most `deals` deals. `options` are of this game's class."""
        ...

    def imagine(self, view: Any, stream: Stream) -> State:
        """A random state that this view allows: `imagine(v, …).view(v.seat) == v`. `stream` decides what the
        view leaves open (hidden cards, the decks of later deals). All past points go into one deal, since a
        view has only their sum."""
        ...


class Setting(msgspec.Struct, frozen=True):
    """What stays the same from the first deal of a match to the last."""

    seats: int
    deals: int
    """The greatest number of deals; an option may end the match earlier."""
    deck: tuple[Card, ...]
    source: DealSource


# Created once, since every step of every playout needs them.
OVER: Final[Mapping[Seat, str]] = {}
PLAY: Final[tuple[Mapping[Seat, str], ...]] = tuple({seat: "play"} for seat in range(MOST_SEATS))
"""For each seat, the `pending` in which only that seat is to play a card."""


def clockwise(seat: Seat, steps: int, seats: int) -> Seat:
    """The seat `steps` places to the left of `seat`."""
    return (seat + steps) % seats


def check(state: State, actions: Mapping[Seat, Action]) -> None:
    """Raise IllegalAction unless `actions` has one legal action for each pending seat and no others."""
    for seat, action in actions.items():
        if action not in state.legal(seat):  # Empty for a seat that is not pending.
            raise IllegalAction(f"seat {seat} may not choose {action!r}")
    if len(actions) != len(state.pending):
        raise IllegalAction(
            f"actions of seats {sorted(actions)}, but the pending seats are {sorted(state.pending)}"
        )


def deal_out(setting: Setting, deal_no: int) -> Hands:
    """The hands of a new deal: with h cards each, seat i gets cards i·h … i·h+h−1 of the shuffled deck."""
    size = len(setting.deck) // setting.seats
    shuffled = setting.source.deck(deal_no, setting.deck)
    return gathered({card: i // size for i, card in enumerate(shuffled)}, setting.seats, setting.deck)


def deal_hands(setting: Setting, deal_no: int, size: int) -> tuple[Hands, tuple[Card, ...]]:
    """The hands of a new deal in which each seat gets `size` cards, and the cards left over, the top one
    first. Raises ValueError if there are not enough."""
    dealt_out = setting.seats * size
    if dealt_out > len(setting.deck):
        raise ValueError(
            f"{size} cards for each of {setting.seats} seats, but the deck has {len(setting.deck)}"
        )
    shuffled = setting.source.deck(deal_no, setting.deck)
    owner = {card: i // size for i, card in enumerate(shuffled[:dealt_out])}
    return gathered(owner, setting.seats, setting.deck), shuffled[dealt_out:]


def dealt(deal_no: int, leader: Seat | None, hands: Hands) -> tuple[Event, ...]:
    """The events of a new deal: one for each seat, with that seat as its audience."""
    return tuple(Dealt(deal_no, seat, leader, hand) for seat, hand in enumerate(hands))
