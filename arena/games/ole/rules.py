"""Olé! (Wolfgang Panning): a shedding game. A seat that can outrank the card on the table may lay one card or
a whole series; otherwise it takes a chip. Few points are good.

The numbers O-… are the rulings of SPEC.md, "Olé!". Knows neither bots nor clocks.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec.structs import force_setattr

from arena.games.events import Dealt, Event, Naming, Played, Scored
from arena.games.game import (
    MOST_SEATS,
    OVER,
    PLAY,
    Action,
    Options,
    Setting,
    Step,
    View,
    check,
    clockwise,
    deal_out,
    dealt,
)
from arena.games.imagining import Barred, booked, imagined_hands
from protocol.cards import Card, Hands, Seat, Suit, deck, laid, suit, value
from protocol.outcome import Deals, Outcome, fewest_points_win, totals
from protocol.streams import DealSource, Stream

SUITS: Final[Mapping[Suit, str]] = {"R": "red", "B": "blue", "G": "green", "Y": "yellow"}

HIGHEST: Final[Mapping[int, tuple[int, int]]] = {
    3: (8, 10),
    4: (8, 10),
    5: (9, 11),
    6: (11, 13),
    7: (13, 15),
    8: (13, 15),
}
"""For each number of seats, the highest value of red and yellow, and of blue and green. The lowest is 1."""

Top: TypeAlias = Literal["red", "yellow"]

ORDERS: Final[Mapping[Top, str]] = {"red": "YGBR", "yellow": "RBGY"}
"""For each colour on top, all colours from low to high."""

HIGHER: Final[Mapping[Top, Mapping[Suit, str]]] = {
    top: {letter: order[i + 1 :] for i, letter in enumerate(order)} for top, order in ORDERS.items()
}
"""For each colour on top and each colour, the colours that rank above it."""

LOWEST: Final[Mapping[Top, Card]] = {top: f"{order[0]}1" for top, order in ORDERS.items()}

CHIP: Final = "chip"
CHIP_POINTS: Final = 5

Phase: TypeAlias = Literal["top", "opening", "turn", "series", "over"]
"""What the seat in turn has to do: choose the colour on top, lay the second card of the opening, act, or
continue its series; or the match is over."""

OPENING: Final = 0
SERIES: Final = 3

_CHOOSE_TOP: Final = tuple({seat: "top"} for seat in range(MOST_SEATS))


class OleOptions(Options, frozen=True):
    """`forced_play`: a chip may be taken only by a seat that cannot lay a card (O-5)."""

    forced_play: bool = False


class Topped(Event, frozen=True):
    """The loser of the last deal chose the colour on top (O-11)."""

    seat: Seat
    top: Top

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} puts {self.top} on top, having lost the last deal"


class Opened(Event, frozen=True):
    """The holder of the lowest card of all laid it, without a choice (O-16), and has to lay a second card."""

    seat: Seat
    card: Card

    @property
    def continues(self) -> bool:
        return True

    def sentence(self, name: Naming) -> str:
        order = next(order for order in ORDERS.values() if order[0] == suit(self.card))
        colours = " < ".join(SUITS[letter] for letter in order)
        return f"colours rank {colours}: {name(self.seat)} must open with the lowest card, {self.card}"


class OlePlayed(Played, frozen=True, tag="played"):
    """A seat laid a card by `rule` 1, 2 or 3. The second card of the opening needs no rule: 0 (O-2a)."""

    rule: int

    @property
    def continues(self) -> bool:
        return self.rule == SERIES

    def sentence(self, name: Naming) -> str:
        why = {
            OPENING: "the free card of the opening",
            1: "higher colour, the turn ends",
            2: "higher value, the turn ends",
            SERIES: "higher in both: a series",
        }
        return f"{super().sentence(name)} ({why[self.rule]})"


class Chipped(Event, frozen=True):
    """A seat took a chip; `chips_in_a_row` counts all chips since the last card, this one included."""

    seat: Seat
    chips_in_a_row: int

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} takes a chip ({self.chips_in_a_row} in a row)"


class OleScored(Scored, frozen=True, tag="scored"):
    """The end of a deal, with what counts: the cards left in each hand (O-17) and each seat's chips."""

    hands: Hands
    chips: tuple[int, ...]

    @property
    def revealed_hands(self) -> Hands | None:
        return self.hands

    def sentence(self, name: Naming) -> str:
        parts = (
            f"{name(seat)} {' '.join(hand) or 'no card'} and {chips} chip{'' if chips == 1 else 's'}: "
            f"{points} (total {total})"
            for seat, (hand, chips, points, total) in enumerate(
                zip(self.hands, self.chips, self.points, self.totals, strict=True)
            )
        )
        return f"deal {self.deal_no}, penalty points: " + "; ".join(parts)


class Play(msgspec.Struct, frozen=True):
    """What a seat did: laid a card, or took a `chip`."""

    seat: Seat
    action: Action


class OleView(View, frozen=True):
    """What a seat may know."""

    top: Top | None
    """The colour on top; null until the loser has chosen."""
    table: Card | None
    """The card on the table; null until there is one."""
    phase: Phase
    chips: tuple[int, ...]
    """By seat."""
    chips_in_a_row: int
    sizes: tuple[int, ...]
    """The number of cards in each hand."""
    dealer: Seat
    plays: tuple[Play, ...]
    """This deal so far, the forced lowest card included."""
    forced_play: bool
    """The option of that name."""


class OleSetting(Setting, frozen=True):
    """The setting, with the option `forced_play`."""

    forced_play: bool


class OleState(msgspec.Struct, frozen=True):
    """One moment of a match. `leader` is the seat in turn."""

    setting: OleSetting
    deal_no: int
    points: Deals
    """By finished deal and seat; the last deal counts as finished when the match is over."""
    dealer: Seat
    hands: Hands
    leader: Seat
    phase: Phase
    chips: tuple[int, ...]
    """By seat, taken in this deal."""
    top: Top | None = None
    table: Card | None = None
    chips_in_a_row: int = 0
    plays: tuple[Play, ...] = ()
    choices: tuple[Action, ...] = ()
    """What is legal for the seat in turn: computed once, with the state, for `legal` and `apply`."""

    def __post_init__(self) -> None:
        force_setattr(self, "choices", self._choices())

    @property
    def stock(self) -> tuple[Card, ...]:
        return ()

    @property
    def pending(self) -> Mapping[Seat, str]:
        if self.phase == "over":
            return OVER
        return (_CHOOSE_TOP if self.phase == "top" else PLAY)[self.leader]

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        return self.choices if seat in self.pending else ()

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        ((seat, action),) = actions.items()
        if self.top is None or self.table is None:
            top: Top = "red" if action == "red" else "yellow"
            state, opened = self._open(top)
            return Step(state, (Topped(seat, top), *opened))
        return self._take_chip(seat) if action == CHIP else self._lay(seat, action, self.table, self.top)

    def view(self, seat: Seat) -> OleView:
        setting = self.setting
        return OleView(
            self.deal_no,
            setting.deals,
            setting.seats,
            seat,
            self.leader,
            self.hands[seat],
            totals(self.points, setting.seats),
            self.top,
            self.table,
            self.phase,
            self.chips,
            self.chips_in_a_row,
            tuple(map(len, self.hands)),
            self.dealer,
            self.plays,
            setting.forced_play,
        )

    def tally(self) -> Outcome:
        """O-13: the lowest total is best, equal totals share a placing."""
        return fewest_points_win(self.points, self.setting.seats)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()

    def _choices(self) -> tuple[Action, ...]:
        """O-15: every card that outranks the one on the table, and a chip; no chip in the opening (O-2b)."""
        if self.top is None or self.table is None:
            return tuple(ORDERS)
        cards = outranking(self.hands[self.leader], self.table, self.top)
        if self.phase == "opening" or (cards and self.setting.forced_play):
            return cards
        return (*cards, CHIP)

    def _open(self, top: Top) -> Step:
        """O-1, O-16: the holder of the lowest card lays it, and has to lay a second card next."""
        card = LOWEST[top]
        seat = holder(card, self.hands)
        state = msgspec.structs.replace(
            self,
            hands=laid(self.hands, seat, card),
            leader=seat,
            phase="opening",
            top=top,
            table=card,
            plays=(Play(seat, card),),
        )
        return Step(state, (Opened(seat, card),))

    def _lay(self, seat: Seat, card: Card, table: Card, top: Top) -> Step:
        """O-4: after rule 3 the same seat goes on, but not in the opening (O-2a). O-6: the last card of a
        hand ends the deal at once."""
        by = OPENING if self.phase == "opening" else rule(card, table, top)
        goes_on = by == SERIES
        state = msgspec.structs.replace(
            self,
            hands=laid(self.hands, seat, card),
            leader=seat if goes_on else clockwise(seat, 1, self.setting.seats),
            phase="series" if goes_on else "turn",
            table=card,
            chips_in_a_row=0,
            plays=(*self.plays, Play(seat, card)),
        )
        played = OlePlayed(seat, card, by)
        return Step(state, (played,)) if state.hands[seat] else state._score(played)

    def _take_chip(self, seat: Seat) -> Step:
        """O-7, O-14: as many chips in a row as there are seats end the deal. Chips never run out (O-9)."""
        seats, chips = self.setting.seats, list(self.chips)
        chips[seat] += 1
        in_a_row = self.chips_in_a_row + 1
        state = msgspec.structs.replace(
            self,
            leader=clockwise(seat, 1, seats),
            phase="turn",
            chips=tuple(chips),
            chips_in_a_row=in_a_row,
            plays=(*self.plays, Play(seat, CHIP)),
        )
        chipped = Chipped(seat, in_a_row)
        return Step(state, (chipped,)) if in_a_row < seats else state._score(chipped)

    def _score(self, last: Event) -> Step:
        """End the deal, after the event `last`, and begin the next if there is one."""
        setting = self.setting
        row = tuple(hand_points(hand, taken) for hand, taken in zip(self.hands, self.chips, strict=True))
        points = (*self.points, row)
        sums = totals(points, setting.seats)
        scored = OleScored(self.deal_no, row, sums, self.hands, self.chips)
        if self.deal_no == setting.deals:
            return Step(msgspec.structs.replace(self, points=points, phase="over"), (last, scored))
        dealer = clockwise(self.dealer, 1, setting.seats)
        hands = deal_out(setting, self.deal_no + 1)
        chooser = loser(row, sums, dealer)
        state = OleState(
            setting, self.deal_no + 1, points, dealer, hands, chooser, "top", (0,) * setting.seats
        )
        return Step(state, (last, scored, *dealt(state.deal_no, chooser, hands)))


def rule(card: Card, table: Card, top: Top) -> int:
    """The number of the rule by which `card` outranks `table`: 1 by a higher colour, 2 by a higher value, 3
    by both; 0 if it does not. A seat may outrank its own card (O-8)."""
    return (suit(card) in HIGHER[top][suit(table)]) + 2 * (value(card) > value(table))


def outranking(cards: Sequence[Card], table: Card, top: Top) -> tuple[Card, ...]:
    """The cards that may be laid on `table` by any rule."""
    higher, most = HIGHER[top][suit(table)], value(table)
    return tuple([card for card in cards if suit(card) in higher or value(card) > most])


def hand_points(hand: Sequence[Card], chips: int) -> int:
    """The penalty points of a seat: the values of all cards left, and CHIP_POINTS for every chip."""
    return sum(map(value, hand)) + CHIP_POINTS * chips


def holder(card: Card, hands: Hands) -> Seat:
    """The seat whose hand holds `card`, which must be in one."""
    return next(seat for seat, hand in enumerate(hands) if card in hand)


def loser(row: Sequence[int], sums: Sequence[int], dealer: Seat) -> Seat:
    """O-10: the seat with the most penalty points in the last deal (`row`); among equals, with the most in
    total (`sums`); among these, the first one clockwise after the new deal's `dealer` (O-12)."""
    after_dealer = [clockwise(dealer, step, len(row)) for step in range(1, len(row) + 1)]
    return max(after_dealer, key=lambda seat: (row[seat], sums[seat]))


def barred_by_chips(view: OleView, deck: Sequence[Card]) -> Barred:
    """With `forced_play`, a chip shows that its seat holds no card that outranks the table."""
    barred: dict[Seat, set[Card]] = {}
    table = None
    for play in view.plays:
        if play.action != CHIP:
            table = play.action
        elif view.forced_play and view.top and table:
            barred.setdefault(play.seat, set()).update(outranking(deck, table, view.top))
    return barred


class Ole:
    """The game as registered."""

    id = "ole"
    title = "Olé!"
    counts = "penalty points"
    rules = 1
    seats = range(min(HIGHEST), max(HIGHEST) + 1)
    independent_deals = False
    decisions = ("top", "play")
    words = ("red", "yellow", CHIP)
    options = OleOptions
    events = Dealt | Topped | Opened | OlePlayed | Chipped | OleScored
    views = OleView

    def suits(self, seats: int) -> Mapping[str, str]:
        return SUITS

    @functools.cache  # noqa: B019 -- a game lives as long as the program.
    def deck(self, seats: int) -> tuple[Card, ...]:
        outer, inner = HIGHEST[seats]
        return deck({letter: range(1, (outer if letter in "RY" else inner) + 1) for letter in SUITS})

    def ranked(self, view: OleView) -> str:
        return ORDERS[view.top] if view.top else ""

    def deals(self, seats: int, options: Options | None = None) -> int:
        return seats

    def largest_lead(self, seats: int) -> int:
        """The worst case: one seat keeps the highest possible hand, and takes a chip after every card of the
        others, except the first of the opening and the last, which ends the deal (O-6). Laying a card would
        not raise its penalty points: the card costs at least as much as the one chip that could follow. Each
        other seat keeps one card, except the one that ends the deal."""
        deck = self.deck(seats)
        size = len(deck) // seats
        hand = sum(sorted(map(value, deck))[-size:])
        laid_by_others = (seats - 1) * size - (seats - 2)
        return hand + CHIP_POINTS * (laid_by_others - 2)

    def start(self, seats: int, options: OleOptions, deals: int, source: DealSource) -> Step:
        """The first deal has red on top. O-12: its dealer is chosen by lot."""
        setting = OleSetting(seats, deals, self.deck(seats), source, options.forced_play)
        hands = deal_out(setting, 1)
        opener = holder(LOWEST["red"], hands)
        before = OleState(setting, 1, (), source.lot(seats), hands, opener, "opening", (0,) * seats)
        state, opened = before._open("red")
        return Step(state, (*dealt(1, opener, hands), *opened))

    def imagine(self, view: OleView, stream: Stream) -> OleState:
        """Every unseen card is in another hand in which `barred_by_chips` allows it."""
        setting = OleSetting(
            view.seats, view.deals, self.deck(view.seats), DealSource(stream.key()), view.forced_play
        )
        barred = barred_by_chips(view, setting.deck)
        seen = [play.action for play in view.plays if play.action != CHIP]
        return OleState(
            setting=setting,
            deal_no=view.deal_no,
            points=booked(view.points, view.deal_no - 1 + (view.phase == "over")),
            dealer=view.dealer,
            hands=imagined_hands(view.seat, view.hand, view.sizes, setting.deck, [seen], barred, stream),
            leader=view.leader,
            phase=view.phase,
            top=view.top,
            table=view.table,
            chips=view.chips,
            chips_in_a_row=view.chips_in_a_row,
            plays=view.plays,
        )
