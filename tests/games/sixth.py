"""A throw-away game with all that the arena's own games lack: a stock and a turned-up card, one card passed
in secret, hands that grow smaller from deal to deal, a deck that does not divide by the seats, two seats.

All pass a card to the left at once; then tricks, with a duty to follow. A trick counts a point, or two.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from arena.games.api import (
    Action,
    Card,
    Deals,
    DealSource,
    Dealt,
    Event,
    Hands,
    Naming,
    Options,
    Outcome,
    Played,
    Scored,
    Seat,
    Setting,
    State,
    Step,
    Stream,
    TakenTrick,
    Trick,
    View,
    barred_by_following,
    booked,
    check,
    clockwise,
    deal_hands,
    dealt,
    deck,
    following,
    hand_sizes,
    imagined_with_stock,
    laid,
    most_points_win,
    next_to_play,
    ordered,
    totals,
    value,
)

DECK: Final = deck(dict.fromkeys("AC", range(1, 10)))


class SixthOptions(Options, frozen=True):
    double: bool = False


class Turned(Event, frozen=True):
    """The top card of the stock was turned up."""

    card: Card

    def sentence(self, name: Naming) -> str:
        return f"{self.card} is turned up"


class Passed(Event, frozen=True):
    """A seat passed a card: known to `to` alone, with `to` the seat itself or the one that got it."""

    seat: Seat
    to: Seat
    card: Card

    @property
    def audience(self) -> Seat | None:
        return self.to

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} passes {self.card}"


class Taken(Event, frozen=True):
    """A seat took a trick."""

    seat: Seat

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} takes the trick"


class SixthView(View, frozen=True):
    turned: Card
    stock: int
    passed: Card | None
    received: Card | None
    trick: tuple[Card, ...]
    tricks: tuple[TakenTrick, ...]
    double: bool

    @property
    def finished_tricks(self) -> int | None:
        return len(self.tricks)

    @property
    def open_trick(self) -> tuple[Card, ...]:
        return self.trick


class SixthSetting(Setting, frozen=True):
    double: bool


class SixthState(msgspec.Struct, frozen=True):
    setting: SixthSetting
    deal_no: int
    points: Deals
    hands: Hands
    stock: tuple[Card, ...]
    turned: Card
    passed: tuple[Card, ...]
    trick: Trick
    tricks: tuple[TakenTrick, ...] = ()

    @property
    def pending(self) -> Mapping[Seat, str]:
        if not self.passed:
            return dict.fromkeys(range(self.setting.seats), "pass")
        return next_to_play(self.trick, self.hands)

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        if seat not in self.pending:
            return ()
        return following(self.hands[seat], self.trick) if self.passed else self.hands[seat]

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        return self._play(*next(iter(actions.items()))) if self.passed else self._pass(actions)

    def _pass(self, actions: Mapping[Seat, Action]) -> Step:
        seats = range(self.setting.seats)
        passed = tuple(actions[seat] for seat in seats)
        hands = tuple(ordered({*self.hands[seat], passed[seat - 1]} - {passed[seat]}, DECK) for seat in seats)
        left = [clockwise(seat, 1, len(seats)) for seat in seats]
        events = [Passed(seat, to, passed[seat]) for seat in seats for to in (seat, left[seat])]
        return Step(msgspec.structs.replace(self, hands=hands, passed=passed), tuple(events))

    def _play(self, seat: Seat, card: Card) -> Step:
        hands, cards = laid(self.hands, seat, card), (*self.trick.cards, card)
        leader, tricks, events = self.trick.leader, self.tricks, [Played(seat, card)]
        if len(cards) == self.setting.seats:
            best = max((one for one in cards if one[0] == cards[0][0]), key=value)
            taker = clockwise(leader, cards.index(best), self.setting.seats)
            tricks = (*tricks, TakenTrick(leader, cards, taker))
            events.append(Taken(taker))
            leader, cards = taker, ()
        state = msgspec.structs.replace(self, hands=hands, trick=Trick(leader, cards), tricks=tricks)
        return Step(state, tuple(events)) if state.pending else state._score(tuple(events))

    def _score(self, events: tuple[Event, ...]) -> Step:
        takers = [trick.taker for trick in self.tricks]
        worth = 2 if self.setting.double else 1
        row = tuple(worth * takers.count(seat) for seat in range(self.setting.seats))
        points = (*self.points, row)
        events = (*events, Scored(self.deal_no, row, totals(points, self.setting.seats)))
        if self.deal_no == self.setting.deals:
            return Step(msgspec.structs.replace(self, points=points), events)
        state, cards = _deal(self.setting, self.deal_no + 1, points)
        return Step(state, events + cards)

    def view(self, seat: Seat) -> SixthView:
        setting = self.setting
        return SixthView(
            self.deal_no,
            setting.deals,
            setting.seats,
            seat,
            self.trick.leader,
            self.hands[seat],
            totals(self.points, setting.seats),
            self.turned,
            len(self.stock),
            self.passed[seat] if self.passed else None,
            self.passed[seat - 1] if self.passed else None,
            self.trick.cards,
            self.tricks,
            setting.double,
        )

    def tally(self) -> Outcome:
        return most_points_win(self.points, self.setting.seats)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()


def _deal(setting: SixthSetting, deal_no: int, points: Deals) -> Step:
    hands, (turned, *stock) = deal_hands(setting, deal_no, 4 - (deal_no - 1) % 2)
    leader = clockwise(setting.source.lot(setting.seats), deal_no, setting.seats)
    state = SixthState(setting, deal_no, points, hands, tuple(stock), turned, (), Trick(leader, ()))
    return Step(state, (*dealt(deal_no, leader, hands), Turned(turned)))


class Sixth:
    id = "sixth"
    title = "The sixth game"
    counts = "points"
    rules = 1
    seats = range(2, 5)
    independent_deals = True
    decisions = ("pass", "play")
    words: tuple[str, ...] = ()
    options = SixthOptions
    events = Dealt | Turned | Passed | Played | Taken | Scored
    views = SixthView

    def suits(self, seats: int) -> Mapping[str, str]:
        return {"A": "apple", "C": "cherry"}

    def deck(self, seats: int) -> tuple[Card, ...]:
        return DECK

    def ranked(self, view: SixthView) -> str:
        return ""

    def deals(self, seats: int, options: Options | None = None) -> int:
        return 4

    def largest_lead(self, seats: int) -> int:
        return 8

    def start(self, seats: int, options: SixthOptions, deals: int, source: DealSource) -> Step:
        return _deal(SixthSetting(seats, deals, DECK, source, options.double), 1, ())

    def imagine(self, view: SixthView, stream: Stream) -> State:
        """The card that was passed lies with the left neighbour until it is played; the other seats' passed
        cards are not known, and no view shows them to this seat."""
        setting = SixthSetting(view.seats, view.deals, DECK, DealSource(stream.key()), view.double)
        trick = Trick(view.leader, view.trick)
        begun = (*view.tricks, trick)
        played = {card for one in begun for card in one.cards}
        sizes = list(hand_sizes(trick, view.seat, len(view.hand), view.seats))
        left = clockwise(view.seat, 1, view.seats)
        known = {view.passed} - {None} - played - {*view.hand}
        barred = dict(barred_by_following(begun, DECK, view.seats))
        sizes[left] -= len(known)
        seen = [(view.turned,), known, *(one.cards for one in begun)]
        hands, stock = imagined_with_stock(view.seat, view.hand, sizes, DECK, seen, barred, stream)
        hands = tuple(
            ordered({*hand, *known}, DECK) if seat == left else hand for seat, hand in enumerate(hands)
        )
        passed: list[Card] = []
        if view.passed is not None:
            passed = [DECK[0]] * view.seats
            passed[view.seat], passed[view.seat - 1] = view.passed, view.received or DECK[0]
        over = view.passed is not None and not hands[view.seat] and not next_to_play(trick, hands)
        points = booked(view.points, view.deal_no - 1 + over)
        return SixthState(
            setting, view.deal_no, points, hands, stock, view.turned, tuple(passed), trick, view.tricks
        )
