"""Take Five (6 nimmt!) for the arena: all choose a card at once, rows of at most five cards grow, and whoever
lays the sixth takes five. After the last card of a deal a seat may still have to choose a row, with an empty
hand. `GAME` is what the entry point names; there is no advice, no picture and no batch.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from arena.games.api import (
    OVER,
    Action,
    Card,
    Deals,
    DealSource,
    Dealt,
    Event,
    Game,
    Hands,
    Naming,
    Options,
    Outcome,
    Played,
    Scored,
    Seat,
    Setting,
    Step,
    Stream,
    Suit,
    View,
    booked,
    check,
    deal_hands,
    dealt,
    deck,
    fewest_points_win,
    imagined_with_stock,
    totals,
    without,
)

HALF: Final = 52
DECK: Final = deck({"A": range(1, HALF + 1), "B": range(1, HALF + 1)})
"""The numbers 1 to 104: a value has two digits at most, so B1 stands for 53."""
NUMBER: Final = {card: number for number, card in enumerate(DECK, 1)}
HAND: Final = 10
FULL: Final = 5
ROWS: Final = ("row1", "row2", "row3", "row4")
Rows = tuple[tuple[Card, ...], ...]


class Begun(Event, frozen=True):
    """Four cards were turned up, one for each row."""

    cards: tuple[Card, ...]

    def sentence(self, name: Naming) -> str:
        return f"the rows begin with {' '.join(self.cards)}"


class RowTaken(Event, frozen=True):
    """`seat` took all cards of a row, and its own card begins the row anew."""

    seat: Seat
    row: int
    points: int

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} takes row {self.row + 1}: {self.points}"


class Waiting(msgspec.Struct, frozen=True):
    """A card that was turned up and is not in a row yet."""

    seat: Seat
    card: Card


class TakeFiveView(View, frozen=True):
    """`rows` in the order of laying. `waiting`: the cards still to be laid, lowest first. `taken`: by seat,
    the points taken in this deal, with the cards that are `gone` for them."""

    rows: Rows
    waiting: tuple[Waiting, ...]
    taken: tuple[int, ...]
    gone: tuple[Card, ...]


class TakeFiveState(msgspec.Struct, frozen=True):
    """One moment of a match."""

    setting: Setting
    deal_no: int
    points: Deals
    hands: Hands
    stock: tuple[Card, ...]
    rows: Rows
    waiting: tuple[Waiting, ...]
    taken: tuple[int, ...]
    gone: tuple[Card, ...]

    @property
    def pending(self) -> Mapping[Seat, str]:
        if self.waiting:
            return {self.waiting[0].seat: "row"}
        return dict.fromkeys(range(self.setting.seats), "card") if any(self.hands) else OVER

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        if self.waiting:
            return ROWS if self.waiting[0].seat == seat else ()
        return self.hands[seat] if seat in self.pending else ()

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        if self.waiting:
            (row,) = actions.values()
            return self._take(ROWS.index(row))._go_on(())
        hands = tuple(without(hand, actions[seat]) for seat, hand in enumerate(self.hands))
        waiting = sorted((Waiting(*chosen) for chosen in actions.items()), key=lambda one: NUMBER[one.card])
        played = tuple(Played(one.seat, one.card) for one in waiting)
        return _Laying(msgspec.structs.replace(self, hands=hands, waiting=tuple(waiting)), played)._go_on(())

    def _take(self, row: int) -> "_Laying":
        (seat, card), cards = msgspec.structs.astuple(self.waiting[0]), self.rows[row]
        points = sum(map(heads, cards))
        taken = tuple(had + points * (seat == other) for other, had in enumerate(self.taken))
        rows = (*self.rows[:row], (card,), *self.rows[row + 1 :])
        state = msgspec.structs.replace(
            self, rows=rows, waiting=self.waiting[1:], taken=taken, gone=self.gone + cards
        )
        return _Laying(state, (RowTaken(seat, row, points),))

    def view(self, seat: Seat) -> TakeFiveView:
        return TakeFiveView(
            self.deal_no,
            self.setting.deals,
            self.setting.seats,
            seat,
            self.waiting[0].seat if self.waiting else 0,
            self.hands[seat],
            totals(self.points, self.setting.seats),
            self.rows,
            self.waiting,
            self.taken,
            self.gone,
        )

    def tally(self) -> Outcome:
        return fewest_points_win(self.points, self.setting.seats)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()


class _Laying(msgspec.Struct, frozen=True):
    """A state in which cards may wait that need no choice, and what happened on the way to it."""

    state: TakeFiveState
    events: tuple[Event, ...]

    def _go_on(self, before: tuple[Event, ...]) -> Step:
        """Lays the waiting cards, lowest first, up to the first for which a seat has to choose."""
        state, events = self.state, before + self.events
        while state.waiting:
            card = state.waiting[0].card
            fits = [at for at, row in enumerate(state.rows) if NUMBER[row[-1]] < NUMBER[card]]
            if not fits:
                return Step(state, events)
            at = max(fits, key=lambda at: NUMBER[state.rows[at][-1]])
            if len(state.rows[at]) == FULL:
                taken = state._take(at)
                state, events = taken.state, events + taken.events
                continue
            rows = (*state.rows[:at], (*state.rows[at], card), *state.rows[at + 1 :])
            state = msgspec.structs.replace(state, rows=rows, waiting=state.waiting[1:])
        return Step(state, events) if any(state.hands) else _scored(state, events)


def _scored(state: TakeFiveState, events: tuple[Event, ...]) -> Step:
    """The end of a deal, and the next if there is one."""
    setting, points = state.setting, (*state.points, state.taken)
    events = (*events, Scored(state.deal_no, state.taken, totals(points, setting.seats)))
    if state.deal_no == setting.deals:
        return Step(msgspec.structs.replace(state, points=points), events)
    following = _deal(setting, state.deal_no + 1, points)
    return Step(following.state, events + following.events)


def _deal(setting: Setting, deal_no: int, points: Deals) -> Step:
    hands, stock = deal_hands(setting, deal_no, HAND)
    rows = tuple((card,) for card in stock[: len(ROWS)])
    nothing = (0,) * setting.seats
    state = TakeFiveState(setting, deal_no, points, hands, stock[len(ROWS) :], rows, (), nothing, ())
    return Step(state, (*dealt(deal_no, 0, hands), Begun(stock[: len(ROWS)])))


def heads(card: Card) -> int:
    """The points of a card, by its number."""
    number = NUMBER[card]
    return 7 if number == 55 else 5 if number % 11 == 0 else 3 if number % 10 == 0 else 1 + (number % 5 == 0)


class TakeFive:
    """The rules."""

    api = 1
    id = "take-five"
    title = "Take Five"
    counts = "penalty points"
    rules = 1
    seats = range(2, 7)
    independent_deals = True
    decisions = ("card", "row")
    words = ROWS
    options = Options
    events = Dealt | Begun | Played | RowTaken | Scored
    views = TakeFiveView

    def suits(self, seats: int) -> Mapping[Suit, str]:
        return {"A": "low", "B": "high"}

    def deck(self, seats: int) -> tuple[Card, ...]:
        return DECK

    def ranked(self, view: TakeFiveView) -> str:
        return ""

    def deals(self, seats: int, options: Options | None = None) -> int:
        return 2

    def largest_lead(self, seats: int) -> int:
        """All cards to one seat."""
        return sum(map(heads, DECK))

    def start(self, seats: int, options: Options, deals: int, source: DealSource) -> Step:
        return _deal(Setting(seats, deals, DECK, source), 1, ())

    def imagine(self, view: TakeFiveView, stream: Stream) -> TakeFiveState:
        """All hands are equally long: cards are laid by all at once."""
        setting = Setting(view.seats, view.deals, DECK, DealSource(stream.key()))
        sizes = (len(view.hand),) * view.seats
        seen = (*view.rows, view.gone, [one.card for one in view.waiting])
        hands, stock = imagined_with_stock(view.seat, view.hand, sizes, DECK, seen, {}, stream)
        over = not view.waiting and not view.hand
        points = booked(view.points, view.deal_no - 1 + over)
        return TakeFiveState(
            setting, view.deal_no, points, hands, stock, view.rows, view.waiting, view.taken, view.gone
        )


GAME: Final[Game] = TakeFive()
