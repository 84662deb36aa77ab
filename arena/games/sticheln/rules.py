"""Sticheln (Klaus Palesch): a trick-taking game in which you need not follow suit, and every seat first
chooses the colour that hurts it. Two editions: NSV, the current rules, and AMIGO 1993.

The numbers S-… and T-… are the rulings of SPEC.md, "Sticheln" and "Sticheln 1993". Knows neither bots nor
clocks.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import msgspec

from arena.games.events import Dealt, Event, Naming, Played, Scored
from arena.games.game import Action, Options, Setting, Step, View, check, clockwise, deal_out, dealt
from arena.games.imagining import booked, imagined_hands
from arena.games.tricks import TakenTrick, Trick, hand_sizes, next_to_play
from protocol.cards import Card, Hands, Seat, deck, laid, suit, value, without
from protocol.outcome import Deals, Outcome, most_points_win, totals
from protocol.streams import DealSource, Stream

HAND_SIZE: Final = 15
TRICKS: Final = HAND_SIZE - 1
"""One card of each hand is the pain card (S-11)."""

HIGHEST: Final[Mapping[int, int]] = {3: 8, 4: 11, 5: 14, 6: 14}
"""For each number of seats, the highest value. The lowest is 0."""

TARGET_CAP: Final = 10
"""A match with a target ends after this many deals per seat even if nobody has reached it (T-9)."""


class TargetOptions(Options, frozen=True):
    """`target`: the match ends after the deal in which a seat's total reaches it (T-6); 0: no target."""

    target: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0

    @property
    def open_ended(self) -> bool:
        return self.target > 0


class StichelnView(View, frozen=True):
    """`pain` are the pain cards by seat, empty until all have chosen. `trick` is the current trick in order
    of play, `tricks` are the finished ones of this deal."""

    pain: tuple[Card, ...]
    trick: tuple[Card, ...]
    tricks: tuple[TakenTrick, ...]

    @property
    def finished_tricks(self) -> int | None:
        return len(self.tricks)

    @property
    def open_trick(self) -> tuple[Card, ...]:
        return self.trick

    @property
    def deal_points(self) -> tuple[int, ...] | None:
        return deal_points(self.pain, self.tricks) if self.pain else None


class TargetView(StichelnView, frozen=True):
    """The view with the option `target`. If it is not 0, `deals` is the greatest number of deals."""

    target: int


class Edition(msgspec.Struct, frozen=True):
    """What differs between two editions of the game."""

    id: str
    title: str
    suits: Mapping[str, str]
    """Letter to name, in deck order. The last suit is used only with six seats."""
    led_zero_takes: bool
    """Whether the leader takes a trick of zeros (T-2); otherwise nobody does."""
    lot_deals: bool
    """Whether the lot decides the first dealer, whose left neighbour leads (T-3, T-4); otherwise it decides
    the first leader (S-1). In both, the first lead moves one seat clockwise each deal (S-10)."""
    options: type[Options]
    views: type[StichelnView]


NSV: Final = Edition(
    id="sticheln",
    title="Sticheln (NSV)",
    suits={"R": "red", "Y": "yellow", "G": "green", "B": "blue", "P": "purple", "K": "grey"},
    led_zero_takes=False,
    lot_deals=False,
    options=Options,
    views=StichelnView,
)
AMIGO: Final = Edition(
    id="sticheln-1993",
    title="Sticheln (AMIGO 1993)",
    suits={"R": "red", "O": "orange", "Y": "yellow", "G": "green", "B": "blue", "P": "purple"},
    led_zero_takes=True,
    lot_deals=True,
    options=TargetOptions,
    views=TargetView,
)


class Pains(Event, frozen=True):
    """All pain cards, by seat, were turned over at the same time (S-6)."""

    cards: tuple[Card, ...]

    def sentence(self, name: Naming) -> str:
        return "pain cards: " + ", ".join(f"{name(seat)} {card}" for seat, card in enumerate(self.cards))


class Taken(Event, frozen=True):
    """`seat` collected a complete trick; null if nobody did."""

    trick_no: int
    seat: Seat | None

    def sentence(self, name: Naming) -> str:
        if self.seat is None:
            return f"trick {self.trick_no}: all zeros, nobody takes it and its leader leads again"
        return f"trick {self.trick_no}: {name(self.seat)} takes it"


class StichelnSetting(Setting, frozen=True):
    """The setting, with the edition and its option `target`; 0 if it has none."""

    edition: Edition
    target: int


class StichelnState(msgspec.Struct, frozen=True):
    """One moment of a match. `pain` is empty until all have chosen; `tricks` are finished in this deal."""

    setting: StichelnSetting
    deal_no: int
    points: Deals
    """By finished deal and seat; the last deal counts as finished when the match is over."""
    hands: Hands
    pain: tuple[Card, ...]
    trick: Trick
    tricks: tuple[TakenTrick, ...]
    pending: Mapping[Seat, str]

    @property
    def stock(self) -> tuple[Card, ...]:
        return ()

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """Every card in hand: there is no duty to follow (T-1), and any card may become the pain card."""
        return self.hands[seat] if seat in self.pending else ()

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        if not self.pain:
            return self._reveal(tuple(actions[seat] for seat in range(self.setting.seats)))
        ((seat, card),) = actions.items()
        setting, leader, tricks = self.setting, self.trick.leader, self.tricks
        hands, cards = laid(self.hands, seat, card), (*self.trick.cards, card)
        events: tuple[Event, ...] = (Played(seat, card),)
        if len(cards) == setting.seats:
            position = taking(cards, setting.edition.led_zero_takes)
            taker = None if position is None else clockwise(leader, position, setting.seats)
            tricks = (*tricks, TakenTrick(leader, cards, taker))
            events = (*events, Taken(len(tricks), taker))
            leader = leader if taker is None else taker
            cards = ()
        trick = Trick(leader, cards)
        pending = next_to_play(trick, hands)
        state = StichelnState(setting, self.deal_no, self.points, hands, self.pain, trick, tricks, pending)
        return Step(state, events) if pending else state._score(events)

    def view(self, seat: Seat) -> StichelnView:
        setting = self.setting
        known = (
            self.deal_no,
            setting.deals,
            setting.seats,
            seat,
            self.trick.leader,
            self.hands[seat],
            totals(self.points, setting.seats),
            self.pain,
            self.trick.cards,
            self.tricks,
        )
        return (
            TargetView(*known, setting.target)
            if setting.edition.views is TargetView
            else StichelnView(*known)
        )

    def tally(self) -> Outcome:
        """S-7, T-7, T-8: the highest total is best, whoever reached a target first; equal totals tie."""
        return most_points_win(self.points, self.setting.seats)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()

    def _reveal(self, pain: tuple[Card, ...]) -> Step:
        """S-6, S-11: all chosen cards leave the hands at once."""
        left = tuple(without(hand, card) for hand, card in zip(self.hands, pain, strict=True))
        state = msgspec.structs.replace(self, hands=left, pain=pain, pending=next_to_play(self.trick, left))
        return Step(state, (Pains(pain),))

    def _score(self, events: tuple[Event, ...]) -> Step:
        """End the deal, and begin the next if there is one. Checks the target (T-6)."""
        setting = self.setting
        points = (*self.points, deal_points(self.pain, self.tricks))
        sums = totals(points, setting.seats)
        events = (*events, Scored(self.deal_no, points[-1], sums))
        reached = 0 < setting.target <= max(sums)
        if reached or self.deal_no == setting.deals:
            return Step(msgspec.structs.replace(self, points=points), events)
        leader = clockwise(self.tricks[0].leader, 1, setting.seats)
        state, cards = _deal(setting, self.deal_no + 1, points, leader)
        return Step(state, events + cards)


def taking(trick: Sequence[Card], led_zero_takes: bool) -> int | None:
    """The position of the card that takes a complete trick; None if none does.

    The highest card of a colour other than the led one takes, the first among equals, but never a zero. If
    there is no such card, the highest of the led colour takes (S-3, S-4); a zero that is led sets the colour
    like any other card (S-2). That highest card is a zero only if all cards are zeros: then the edition
    decides (S-5, T-2).
    """
    lead = suit(trick[0])
    others = [value(card) if suit(card) != lead else 0 for card in trick]
    if highest := max(others):
        return others.index(highest)
    followers = [value(card) if suit(card) == lead else 0 for card in trick]
    highest = max(followers)
    return followers.index(highest) if highest or led_zero_takes else None


def deal_points(pain: Sequence[Card], tricks: Sequence[TakenTrick]) -> tuple[int, ...]:
    """The points of each seat: +1 for each collected card, but −value for a card of the pain colour (S-8,
    T-5: a zero of it counts 0), and −value of the pain card. Tricks that nobody took do not count (S-5)."""
    points = [-value(card) for card in pain]
    for trick in tricks:
        if trick.taker is not None:
            hurts = suit(pain[trick.taker])
            points[trick.taker] += sum([-value(card) if suit(card) == hurts else 1 for card in trick.cards])
    return tuple(points)


def _deal(setting: StichelnSetting, deal_no: int, points: Deals, leader: Seat) -> Step:
    hands = deal_out(setting, deal_no)
    choosing = _CHOOSE_PAIN[setting.seats]
    state = StichelnState(setting, deal_no, points, hands, (), Trick(leader, ()), (), choosing)
    return Step(state, dealt(deal_no, leader, hands))


_CHOOSE_PAIN: Final = {seats: dict.fromkeys(range(seats), "pain") for seats in HIGHEST}


class Sticheln:
    """One edition as a registered game."""

    counts = "points"
    rules = 1
    seats = range(min(HIGHEST), max(HIGHEST) + 1)
    independent_deals = True
    decisions = ("pain", "play")
    words: tuple[str, ...] = ()
    events = Dealt | Pains | Played | Taken | Scored

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.id = edition.id
        self.title = edition.title
        self.options = edition.options
        self.views = edition.views

    def suits(self, seats: int) -> Mapping[str, str]:
        suits = dict(self.edition.suits)
        if seats < max(HIGHEST):
            suits.popitem()
        return suits

    @functools.cache  # noqa: B019 -- a game lives as long as the program.
    def deck(self, seats: int) -> tuple[Card, ...]:
        return deck(dict.fromkeys(self.suits(seats), range(HIGHEST[seats] + 1)))

    def ranked(self, view: StichelnView) -> str:
        return ""

    def deals(self, seats: int, options: Options | None = None) -> int:
        return seats * TARGET_CAP if options is not None and options.open_ended else seats

    def largest_lead(self, seats: int) -> int:
        """The worst case: one seat takes all cards of its pain colour, the other all other cards (S-8)."""
        highest = HIGHEST[seats]
        return sum(range(highest + 1)) + (len(self.suits(seats)) - 1) * (highest + 1)

    def start(self, seats: int, options: Options, deals: int, source: DealSource) -> Step:
        """S-1, T-3: the first leader or dealer is chosen by lot."""
        target = options.target if isinstance(options, TargetOptions) else 0
        leader = clockwise(source.lot(seats), int(self.edition.lot_deals), seats)
        return _deal(self._setting(seats, deals, source, target), 1, (), leader)

    def imagine(self, view: StichelnView, stream: Stream) -> StichelnState:
        """Every unseen card is in another hand; all such deals are equally likely."""
        target = view.target if isinstance(view, TargetView) else 0
        setting = self._setting(view.seats, view.deals, DealSource(stream.key()), target)
        seen = (view.pain, view.trick, *(finished.cards for finished in view.tricks))
        trick = Trick(view.leader, view.trick)
        sizes = hand_sizes(trick, view.seat, len(view.hand), view.seats)
        hands = imagined_hands(view.seat, view.hand, sizes, setting.deck, seen, {}, stream)
        pending = next_to_play(trick, hands) if view.pain else _CHOOSE_PAIN[view.seats]
        return StichelnState(
            setting=setting,
            deal_no=view.deal_no,
            points=booked(view.points, view.deal_no - 1 + (not pending)),
            hands=hands,
            pain=view.pain,
            trick=trick,
            tricks=view.tricks,
            pending=pending,
        )

    def _setting(self, seats: int, deals: int, source: DealSource, target: int) -> StichelnSetting:
        return StichelnSetting(seats, deals, self.deck(seats), source, self.edition, target)
