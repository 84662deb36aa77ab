"""David & Goliath (Reinhard Staupe): a trick-taking game in which you must follow suit. The lowest
card of a trick captures the highest, and the highest captures all the others.

The numbers D-… are the rulings of SPEC.md, "David & Goliath". Knows neither bots nor clocks.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import force_setattr

from arena.games.events import Dealt, Event, Naming, Played, Scored
from arena.games.game import Action, Options, Setting, Step, View, check, clockwise, deal_out, dealt
from arena.games.imagining import booked, imagined_hands
from arena.games.tricks import Trick, barred_by_following, following, hand_sizes, next_to_play
from protocol.cards import Card, Hands, Seat, Suit, deck, laid, suit, value
from protocol.outcome import Deals, Outcome, most_points_win, totals
from protocol.streams import DealSource, Stream

HAND_SIZE: Final = 15

SUITS: Final[Mapping[Suit, str]] = {"R": "red", "Y": "yellow", "G": "green", "B": "blue", "V": "violet"}

HIGHEST: Final[Mapping[int, int]] = {3: 9, 4: 12, 5: 15, 6: 18}
"""For each number of seats, the highest value (D-0). The lowest is 1."""

PLACES: Final[Mapping[Card, int]] = {
    card: i for i, card in enumerate(deck(dict.fromkeys(SUITS, range(1, max(HIGHEST.values()) + 1))))
}
"""The place of each card in deck order, the same for any number of seats, though fewer use fewer cards."""

DUST: Final = 3
"""If a seat has won this many cards of a colour or more, each counts one point instead of its value."""


class Split(Event, frozen=True):
    """A complete trick was divided: the seat with the low card wins the high card; the seat with the high
    card wins the rest and leads next."""

    trick_no: int
    high: Card
    low: Card
    high_to: Seat
    rest_to: Seat

    def sentence(self, name: Naming) -> str:
        return (
            f"trick {self.trick_no}: {name(self.high_to)} wins {self.high} with the lowest card, {self.low}; "
            f"{name(self.rest_to)} wins the rest with the highest"
        )


class SplitTrick(Trick, frozen=True):
    """A finished trick in order of play: `leader` led `cards[0]`, its left neighbour played the next.
    `high_to` won only the highest card, `rest_to` all the others."""

    high_to: Seat
    rest_to: Seat


class DavidAndGoliathView(View, frozen=True):
    """`trick` is the current trick in order of play, `tricks` are the finished ones of this deal. `won` are
    the cards that lie open in front of each seat, in deck order."""

    trick: tuple[Card, ...]
    tricks: tuple[SplitTrick, ...]
    won: Hands

    @property
    def finished_tricks(self) -> int | None:
        return len(self.tricks)

    @property
    def open_trick(self) -> tuple[Card, ...]:
        return self.trick

    @property
    def deal_points(self) -> tuple[int, ...] | None:
        return tuple(map(pile_points, self.won))


class DavidAndGoliathState(msgspec.Struct, frozen=True):
    """One moment of a match. `tricks` are the finished ones of this deal, and `won` the cards that each seat
    has won in them, in deck order."""

    setting: Setting
    deal_no: int
    points: Deals
    """By finished deal and seat; the last deal counts as finished when the match is over."""
    hands: Hands
    trick: Trick
    tricks: tuple[SplitTrick, ...]
    won: Hands
    pending: Mapping[Seat, str]
    choices: tuple[Card, ...] = ()
    """What is legal for the pending seat: computed once, with the state, for `legal` and `apply`."""

    def __post_init__(self) -> None:
        for seat in self.pending:
            force_setattr(self, "choices", following(self.hands[seat], self.trick))

    @property
    def stock(self) -> tuple[Card, ...]:
        return ()

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        return self.choices if seat in self.pending else ()

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        ((seat, card),) = actions.items()
        setting, leader, tricks, won = self.setting, self.trick.leader, self.tricks, self.won
        hands, cards = laid(self.hands, seat, card), (*self.trick.cards, card)
        events: tuple[Event, ...] = (Played(seat, card),)
        if len(cards) == setting.seats:
            high, low = high_and_low(cards)
            high_to, rest_to = clockwise(leader, low, setting.seats), clockwise(leader, high, setting.seats)
            finished = SplitTrick(leader, cards, high_to, rest_to)
            tricks, won = (*tricks, finished), divided(won, finished)
            events = (*events, Split(len(tricks), cards[high], cards[low], high_to, rest_to))
            leader, cards = rest_to, ()
        trick = Trick(leader, cards)
        pending = next_to_play(trick, hands)
        state = DavidAndGoliathState(setting, self.deal_no, self.points, hands, trick, tricks, won, pending)
        return Step(state, events) if pending else state._score(events)

    def view(self, seat: Seat) -> DavidAndGoliathView:
        setting = self.setting
        return DavidAndGoliathView(
            self.deal_no,
            setting.deals,
            setting.seats,
            seat,
            self.trick.leader,
            self.hands[seat],
            totals(self.points, setting.seats),
            self.trick.cards,
            self.tricks,
            self.won,
        )

    def tally(self) -> Outcome:
        """D-5: the highest total is best, equal totals share a placing."""
        return most_points_win(self.points, self.setting.seats)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()

    def _score(self, events: tuple[Event, ...]) -> Step:
        """End the deal, and begin the next if there is one. D-1: the first lead moves one seat clockwise."""
        setting = self.setting
        points = (*self.points, tuple(map(pile_points, self.won)))
        events = (*events, Scored(self.deal_no, points[-1], totals(points, setting.seats)))
        if self.deal_no == setting.deals:
            return Step(msgspec.structs.replace(self, points=points), events)
        leader = clockwise(self.tricks[0].leader, 1, setting.seats)
        state, cards = _deal(setting, self.deal_no + 1, points, leader)
        return Step(state, events + cards)


def high_and_low(trick: Sequence[Card]) -> tuple[int, int]:
    """The positions of the high and the low card of a trick of two cards or more. Colours do not matter
    (D-3); among equal cards the last played counts; the high card cannot also be the low one (D-2)."""
    latest_first = [value(card) for card in reversed(trick)]  # `index` finds the first of equals.
    high, low = latest_first.index(max(latest_first)), latest_first.index(min(latest_first))
    if high == low:  # All are equal.
        low += 1
    last = len(trick) - 1
    return last - high, last - low


def divided(won: Hands, trick: SplitTrick) -> Hands:
    """`won` after the cards of a finished trick are added."""
    high = (trick.rest_to - trick.leader) % len(won)
    piles = list(won)
    piles[trick.high_to] = in_deck_order((*piles[trick.high_to], trick.cards[high]))
    rest = trick.cards[:high] + trick.cards[high + 1 :]
    piles[trick.rest_to] = in_deck_order(piles[trick.rest_to] + rest)
    return tuple(piles)


def in_deck_order(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    return tuple(sorted(cards, key=PLACES.__getitem__))


@functools.lru_cache(maxsize=1024)  # Every view of a state asks for every seat's.
def pile_points(pile: tuple[Card, ...]) -> int:
    """The points of all cards that a seat has won: for each colour the sum of the values of one or two cards,
    but one point for each card if there are DUST or more."""
    colours: dict[Suit, list[int]] = {}
    for card in pile:
        colours.setdefault(suit(card), []).append(value(card))
    return sum([sum(values) if len(values) < DUST else len(values) for values in colours.values()])


def _deal(setting: Setting, deal_no: int, points: Deals, leader: Seat) -> Step:
    hands = deal_out(setting, deal_no)
    trick, won = Trick(leader, ()), ((),) * setting.seats
    state = DavidAndGoliathState(setting, deal_no, points, hands, trick, (), won, next_to_play(trick, hands))
    return Step(state, dealt(deal_no, leader, hands))


class DavidAndGoliath:
    """The game as registered."""

    id = "david-and-goliath"
    title = "David & Goliath"
    counts = "points"
    rules = 1
    seats = range(min(HIGHEST), max(HIGHEST) + 1)
    independent_deals = True
    decisions = ("play",)
    words: tuple[str, ...] = ()
    options = Options
    events = Dealt | Played | Split | Scored
    views = DavidAndGoliathView

    def suits(self, seats: int) -> Mapping[str, str]:
        return SUITS

    @functools.cache  # noqa: B019 -- a game lives as long as the program.
    def deck(self, seats: int) -> tuple[Card, ...]:
        return deck(dict.fromkeys(SUITS, range(1, HIGHEST[seats] + 1)))

    def ranked(self, view: DavidAndGoliathView) -> str:
        return ""

    def deals(self, seats: int, options: Options | None = None) -> int:
        """As many deals as seats. The leaflet's round is a deal of fifteen tricks (D-4)."""
        return seats

    def largest_lead(self, seats: int) -> int:
        """The worst case: one seat wins only the two highest cards of every colour, the other seat none. More
        cards of a colour would be dust and count less."""
        return len(SUITS) * (2 * HIGHEST[seats] - 1)

    def start(self, seats: int, options: Options, deals: int, source: DealSource) -> Step:
        """D-1: the first leader is chosen by lot."""
        return _deal(Setting(seats, deals, self.deck(seats), source), 1, (), source.lot(seats))

    def imagine(self, view: DavidAndGoliathView, stream: Stream) -> DavidAndGoliathState:
        """Every unseen card is in another hand, but not in that of a seat that did not follow its suit."""
        setting = Setting(view.seats, view.deals, self.deck(view.seats), DealSource(stream.key()))
        trick = Trick(view.leader, view.trick)
        begun = (*view.tricks, trick)
        barred = barred_by_following(begun, setting.deck, view.seats)
        sizes = hand_sizes(trick, view.seat, len(view.hand), view.seats)
        seen = [finished.cards for finished in begun]
        hands = imagined_hands(view.seat, view.hand, sizes, setting.deck, seen, barred, stream)
        pending = next_to_play(trick, hands)
        return DavidAndGoliathState(
            setting=setting,
            deal_no=view.deal_no,
            points=booked(view.points, view.deal_no - 1 + (not pending)),
            hands=hands,
            trick=trick,
            tricks=view.tricks,
            won=view.won,
            pending=pending,
        )
