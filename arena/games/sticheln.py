"""Sticheln (Klaus Palesch), the current edition: a trick game without a duty to follow, in which every seat
first chooses the colour that hurts it.

The numbers S-… are the rulings of SPEC.md, "Sticheln". Knows nothing of who plays and how long it takes.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from arena.games.events import Dealt, Event, Naming, Played, Scored
from arena.games.game import Action, Options, Step, booked, check, hands
from arena.games.tricks import Trick, best, seat_of
from protocol.cards import Card, Seat, deck, suit, unseen, value, without
from protocol.outcome import Outcome, most_points_win, totals
from protocol.streams import DealSource, Stream

HAND_SIZE: Final = 15

HIGHEST: Final[Mapping[int, int]] = MappingProxyType({3: 8, 4: 11, 5: 14, 6: 14})
"""Seats to the highest value; the lowest is always 0."""


class Edition(msgspec.Struct, frozen=True):
    """What differs between two printings of the game."""

    id: str
    title: str
    suits: tuple[tuple[str, str], ...]
    """Letter and name in deck order; the last one plays with six seats only."""


NSV: Final = Edition(
    id="sticheln",
    title="Sticheln (NSV)",
    suits=(("R", "red"), ("Y", "yellow"), ("G", "green"), ("B", "blue"), ("P", "purple"), ("K", "grey")),
)


class Pains(Event, frozen=True):
    """All pain cards, by seat, turned over at the same time (S-6)."""

    cards: tuple[Card, ...]

    def tell(self, name: Naming) -> str:
        return "pain cards: " + ", ".join(f"{name(seat)} {card}" for seat, card in enumerate(self.cards))


class Taken(Event, frozen=True):
    """A trick is complete: `seat` collects it; null when nobody does."""

    trick_no: int
    seat: Seat | None

    def tell(self, name: Naming) -> str:
        return "nobody takes it, all are zeros" if self.seat is None else f"{name(self.seat)} takes it"


class StichelnView(msgspec.Struct, frozen=True):
    """`leader` leads the current trick. `points` are the totals of the finished deals. `pain` holds the
    pain cards by seat, and is empty until all have chosen. `trick` is the current trick in order of play,
    `tricks` the finished ones of this deal."""

    deal_no: int
    deals: int
    seats: int
    seat: Seat
    leader: Seat
    hand: tuple[Card, ...]
    points: tuple[int, ...]
    pain: tuple[Card, ...]
    trick: tuple[Card, ...]
    tricks: tuple[Trick, ...]


class Setting(msgspec.Struct, frozen=True):
    """What stays the same from the first deal to the last."""

    edition: Edition
    seats: int
    deals: int
    deck: tuple[Card, ...]
    source: DealSource


# Asked for at every step of every playout, so made once: seat -> {seat: "play"}.
_PLAYS: Final = tuple(MappingProxyType({seat: "play"}) for seat in range(max(HIGHEST)))
_CHOOSE_PAIN: Final = {seats: MappingProxyType(dict.fromkeys(range(seats), "pain")) for seats in HIGHEST}
_OVER: Final[Mapping[Seat, str]] = MappingProxyType({})


class StichelnState(msgspec.Struct, frozen=True):
    setting: Setting
    deal_no: int
    points: tuple[tuple[int, ...], ...]
    """Of the finished deals."""
    first_leader: Seat
    hands: tuple[tuple[Card, ...], ...]
    pain: tuple[Card, ...]
    leader: Seat
    trick: tuple[Card, ...]
    tricks: tuple[Trick, ...]

    @property
    def pending(self) -> Mapping[Seat, str]:
        setting = self.setting
        if len(self.points) == setting.deals:
            return _OVER
        if not self.pain:
            return _CHOOSE_PAIN[setting.seats]
        return _PLAYS[(self.leader + len(self.trick)) % setting.seats]

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """Every card in hand: there is no duty to follow, and any card may become the pain card."""
        return self.hands[seat] if seat in self.pending else ()

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        if not self.pain:
            return self._reveal(tuple(actions[seat] for seat in range(self.setting.seats)))
        ((seat, card),) = actions.items()
        return self._play(seat, card)

    def view(self, seat: Seat) -> StichelnView:
        setting = self.setting
        return StichelnView(
            self.deal_no,
            setting.deals,
            setting.seats,
            seat,
            self.leader,
            self.hands[seat],
            totals(self.points, setting.seats),
            self.pain,
            self.trick,
            self.tricks,
        )

    def tally(self) -> Outcome:
        return most_points_win(self.points, self.setting.seats)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()

    def _reveal(self, pain: tuple[Card, ...]) -> Step:
        """S-6, S-11: the chosen cards leave the hands, all at once."""
        left = tuple(without(hand, card) for hand, card in zip(self.hands, pain, strict=True))
        return Step(msgspec.structs.replace(self, hands=left, pain=pain), (Pains(pain),))

    def _play(self, seat: Seat, card: Card) -> Step:
        setting = self.setting
        held = self.hands
        held = (*held[:seat], without(held[seat], card), *held[seat + 1 :])
        trick = (*self.trick, card)
        played = Played(seat, card)
        leader, tricks = self.leader, self.tricks
        if len(trick) < setting.seats:
            events: tuple[Event, ...] = (played,)
        else:
            position = taking(trick)
            taker = None if position is None else seat_of(leader, position, setting.seats)
            tricks = (*tricks, Trick(leader, trick, taker))
            events = (played, Taken(len(tricks), taker))
            trick = ()
            leader = leader if taker is None else taker
        state = StichelnState(
            setting,
            self.deal_no,
            self.points,
            self.first_leader,
            held,
            self.pain,
            leader,
            trick,
            tricks,
        )
        if trick or held[leader]:
            return Step(state, events)
        return state._score(events)

    def _score(self, events: tuple[Event, ...]) -> Step:
        """The end of a deal, and the next one if there is one. S-10: the lead moves one seat clockwise."""
        setting = self.setting
        points = (*self.points, deal_points(self.pain, self.tricks))
        events = (*events, Scored(self.deal_no, points[-1], totals(points, setting.seats)))
        if len(points) == setting.deals:
            return Step(msgspec.structs.replace(self, points=points), events)
        leader = seat_of(self.first_leader, 1, setting.seats)
        state, dealt = _deal(setting, self.deal_no + 1, points, leader)
        return Step(state, events + dealt)


def taking(trick: Sequence[Card]) -> int | None:
    """The position of the card that takes a complete trick; None when nobody does.

    Zeros never take, though a led zero sets the lead colour (S-2, S-3). The highest card of another colour
    takes, the first of equals; else the highest of the lead colour (S-4).
    """
    lead = suit(trick[0])

    def order(card: Card) -> tuple[int, ...]:
        return (value(card) > 0, suit(card) != lead, value(card))

    position = best(trick, order)
    return position if value(trick[position]) else None


def deal_points(pain: Sequence[Card], tricks: Sequence[Trick]) -> tuple[int, ...]:
    """By seat: +1 for each collected card, but −value for one of the pain colour (S-8: a zero of it counts
    nothing), and −value of the pain card itself. Tricks that nobody took count for no one (S-5)."""
    points = [-value(card) for card in pain]
    for trick in tricks:
        if trick.taker is not None:
            hurts = suit(pain[trick.taker])
            points[trick.taker] += sum(-value(card) if suit(card) == hurts else 1 for card in trick.cards)
    return tuple(points)


def _deal(setting: Setting, deal_no: int, points: tuple[tuple[int, ...], ...], leader: Seat) -> Step:
    held = hands(setting.deck, setting.source.deck(deal_no, setting.deck), setting.seats)
    state = StichelnState(setting, deal_no, points, leader, held, (), leader, (), ())
    return Step(state, tuple(Dealt(deal_no, seat, leader, hand) for seat, hand in enumerate(held)))


class Sticheln:
    """One edition as a registered game."""

    rules = 1
    seats = range(min(HIGHEST), max(HIGHEST) + 1)
    decisions = ("pain", "play")
    options = Options
    events = Dealt | Pains | Played | Taken | Scored
    views = StichelnView

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.id = edition.id
        self.title = edition.title

    def suits(self, seats: int) -> Mapping[str, str]:
        suits = self.edition.suits
        return dict(suits if seats == max(HIGHEST) else suits[:-1])

    def deck(self, seats: int) -> tuple[Card, ...]:
        return deck(dict.fromkeys(self.suits(seats), range(HIGHEST[seats] + 1)))

    def deals(self, seats: int) -> int:
        return seats

    def start(self, seats: int, options: Options, deals: int, source: DealSource) -> Step:
        """S-1: the first leader is drawn by lot."""
        return _deal(Setting(self.edition, seats, deals, self.deck(seats), source), 1, (), source.lot(seats))

    def imagine(self, view: StichelnView, stream: Stream) -> StichelnState:
        """Every card not seen lies in another hand, each equally likely to hold it."""
        cards = self.deck(view.seats)
        hidden = unseen(cards, view.hand, view.pain, view.trick, *(trick.cards for trick in view.tricks))
        hidden = list(stream.shuffled(hidden))
        place = {card: at for at, card in enumerate(cards)}
        size = HAND_SIZE - bool(view.pain) - len(view.tricks)
        held = [view.hand] * view.seats
        for step in range(view.seats):
            seat = seat_of(view.leader, step, view.seats)
            if seat != view.seat:
                cut = size - (step < len(view.trick))
                held[seat] = tuple(sorted(hidden[:cut], key=place.__getitem__))
                del hidden[:cut]
        return StichelnState(
            setting=Setting(self.edition, view.seats, view.deals, cards, DealSource(stream.key())),
            deal_no=view.deal_no,
            points=booked(view.points, view.deal_no - 1),
            first_leader=view.tricks[0].leader if view.tricks else view.leader,
            hands=tuple(held),
            pain=view.pain,
            leader=view.leader,
            trick=view.trick,
            tricks=view.tricks,
        )
