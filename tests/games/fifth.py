"""A throw-away game that shows what a new game costs: this one file, and one line of a registry.

Four cards each; every trick all seats choose a card in secret, and the highest takes a point, if it is alone.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from arena.games.events import Dealt, Event, Naming, Scored
from arena.games.game import OVER, Action, Options, Setting, Step, View, check, deal_out, dealt
from arena.games.imagining import booked, imagined_hands
from protocol.cards import Card, Hands, Seat, deck, value, without
from protocol.outcome import Deals, Outcome, most_points_win, totals
from protocol.streams import DealSource, Stream

HAND_SIZE: Final = 4


class Shown(Event, frozen=True):
    """The cards chosen, by seat, and who has the highest alone."""

    cards: tuple[Card, ...]
    seat: Seat | None

    def sentence(self, name: Naming) -> str:
        winner = "nobody" if self.seat is None else name(self.seat)
        return f"{' '.join(self.cards)}: {winner} has the highest alone"


class FifthView(View, frozen=True):
    shown: tuple[Shown, ...]


class FifthState(msgspec.Struct, frozen=True):
    setting: Setting
    deal_no: int
    points: Deals
    hands: Hands
    shown: tuple[Shown, ...] = ()

    @property
    def stock(self) -> tuple[Card, ...]:
        return ()

    @property
    def pending(self) -> Mapping[Seat, str]:
        over = len(self.shown) == HAND_SIZE
        return OVER if over else dict.fromkeys(range(self.setting.seats), "bid")

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        return self.hands[seat] if seat in self.pending else ()

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        cards = tuple(actions[seat] for seat in range(self.setting.seats))
        values = [value(card) for card in cards]
        highest = max(values)
        shown = Shown(cards, values.index(highest) if values.count(highest) == 1 else None)
        hands = tuple(without(hand, card) for hand, card in zip(self.hands, cards, strict=True))
        state = msgspec.structs.replace(self, hands=hands, shown=(*self.shown, shown))
        return Step(state, (shown,)) if state.pending else state._score(shown)

    def _score(self, last: Event) -> Step:
        takers = [shown.seat for shown in self.shown]
        points = (*self.points, tuple(takers.count(seat) for seat in range(self.setting.seats)))
        scored = Scored(self.deal_no, points[-1], totals(points, self.setting.seats))
        if self.deal_no == self.setting.deals:
            return Step(msgspec.structs.replace(self, points=points), (last, scored))
        state, cards = _deal(self.setting, self.deal_no + 1, points)
        return Step(state, (last, scored, *cards))

    def view(self, seat: Seat) -> FifthView:
        setting = self.setting
        sums = totals(self.points, setting.seats)
        return FifthView(
            self.deal_no, setting.deals, setting.seats, seat, 0, self.hands[seat], sums, self.shown
        )

    def tally(self) -> Outcome:
        return most_points_win(self.points, self.setting.seats)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()


def _deal(setting: Setting, deal_no: int, points: Deals) -> Step:
    hands = deal_out(setting, deal_no)
    return Step(FifthState(setting, deal_no, points, hands), dealt(deal_no, 0, hands))


class Fifth:
    id = "fifth"
    title = "The fifth game"
    counts = "points"
    rules = 1
    seats = range(2, 5)
    independent_deals = True
    decisions = ("bid",)
    words: tuple[str, ...] = ()
    options = Options
    events = Dealt | Shown | Scored
    views = FifthView

    def suits(self, seats: int) -> Mapping[str, str]:
        return {"A": "apple", "C": "cherry"}

    def deck(self, seats: int) -> tuple[Card, ...]:
        return deck(dict.fromkeys("AC", range(1, seats * HAND_SIZE // 2 + 1)))

    def ranked(self, view: FifthView) -> str:
        return ""

    def deals(self, seats: int, options: Options | None = None) -> int:
        return seats

    def largest_lead(self, seats: int) -> int:
        return HAND_SIZE

    def start(self, seats: int, options: Options, deals: int, source: DealSource) -> Step:
        return _deal(Setting(seats, deals, self.deck(seats), source), 1, ())

    def imagine(self, view: FifthView, stream: Stream) -> FifthState:
        setting = Setting(view.seats, view.deals, self.deck(view.seats), DealSource(stream.key()))
        seen = [shown.cards for shown in view.shown]
        sizes = (HAND_SIZE - len(view.shown),) * view.seats
        hands = imagined_hands(view.seat, view.hand, sizes, setting.deck, seen, {}, stream)
        finished = view.deal_no - 1 + (len(view.shown) == HAND_SIZE)
        return FifthState(setting, view.deal_no, booked(view.points, finished), hands, view.shown)
