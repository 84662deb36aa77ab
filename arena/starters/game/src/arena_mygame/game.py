"""The rules of My Game: state in, actions in, new state and events out.

The numbers R-… are those of rules.md. Nothing here may read a clock, a file or a random number: all
randomness comes from the DealSource that is passed in, so that everybody can deal the same cards again."""

from collections.abc import Mapping

import msgspec

from arena.games.api import (
    Action,
    Card,
    Deals,
    DealSource,
    Dealt,
    Event,
    Extras,
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
    TakenTrick,
    Trick,
    View,
    barred_by_following,
    booked,
    check,
    clockwise,
    deal_out,
    dealt,
    deck,
    following,
    hand_sizes,
    imagined_hands,
    laid,
    most_points_win,
    next_to_play,
    suit,
    totals,
    value,
)

HAND_SIZE = 8
SUITS = {"R": "red", "Y": "yellow", "G": "green", "B": "blue"}


class Taken(Event, frozen=True):
    """A complete trick was taken by `seat`."""

    seat: Seat

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} takes the trick"


class MyGameView(View, frozen=True):
    """All that a seat may know. `trick` is the current trick in order of play, `tricks` the finished ones of
    this deal."""

    trick: tuple[Card, ...]
    tricks: tuple[TakenTrick, ...]

    @property
    def finished_tricks(self) -> int:
        return len(self.tricks)

    @property
    def open_trick(self) -> tuple[Card, ...]:
        return self.trick


class MyGameState(msgspec.Struct, frozen=True):
    """One moment of a match. A state is never changed: `apply` makes the next one."""

    setting: Setting
    deal_no: int
    points: Deals
    """By finished deal and seat."""
    hands: Hands
    trick: Trick
    tricks: tuple[TakenTrick, ...]
    pending: Mapping[Seat, str]
    """The seats that have to decide, each with the kind of its decision."""

    @property
    def stock(self) -> tuple[Card, ...]:
        return ()

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """R-2."""
        return following(self.hands[seat], self.trick) if seat in self.pending else ()

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        ((seat, card),) = actions.items()
        seats, leader, tricks = self.setting.seats, self.trick.leader, self.tricks
        hands, cards = laid(self.hands, seat, card), (*self.trick.cards, card)
        events: tuple[Event, ...] = (Played(seat, card),)
        if len(cards) == seats:
            taker = clockwise(leader, winning(cards), seats)
            tricks = (*tricks, TakenTrick(leader, cards, taker))
            events = (*events, Taken(taker))
            leader, cards = taker, ()
        trick = Trick(leader, cards)
        pending = next_to_play(trick, hands)
        state = MyGameState(self.setting, self.deal_no, self.points, hands, trick, tricks, pending)
        return Step(state, events) if pending else state._score(events)

    def view(self, seat: Seat) -> MyGameView:
        return MyGameView(
            self.deal_no,
            self.setting.deals,
            self.setting.seats,
            seat,
            self.trick.leader,
            self.hands[seat],
            totals(self.points, self.setting.seats),
            self.trick.cards,
            self.tricks,
        )

    def tally(self) -> Outcome:
        """R-4."""
        return most_points_win(self.points, self.setting.seats)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()

    def _score(self, events: tuple[Event, ...]) -> Step:
        """The end of a deal, and the start of the next one if there is one."""
        setting = self.setting
        takers = [trick.taker for trick in self.tricks]
        points = (*self.points, tuple(takers.count(seat) for seat in range(setting.seats)))
        events = (*events, Scored(self.deal_no, points[-1], totals(points, setting.seats)))
        if self.deal_no == setting.deals:
            return Step(msgspec.structs.replace(self, points=points), events)
        leader = clockwise(self.tricks[0].leader, 1, setting.seats)
        state, cards = deal(setting, self.deal_no + 1, points, leader)
        return Step(state, events + cards)


def winning(cards: tuple[Card, ...]) -> int:
    """R-3: the position of the card that takes the trick."""
    led = suit(cards[0])
    return max(range(len(cards)), key=lambda at: (suit(cards[at]) == led, value(cards[at])))


def deal(setting: Setting, deal_no: int, points: Deals, leader: Seat) -> Step:
    """The start of a deal."""
    hands = deal_out(setting, deal_no)
    trick = Trick(leader, ())
    state = MyGameState(setting, deal_no, points, hands, trick, (), next_to_play(trick, hands))
    return Step(state, dealt(deal_no, leader, hands))


class MyGameRules:
    """The game as the arena sees it. `api` is the version of arena.games.api that it was written for."""

    api = 1
    id = "mygame"
    title = "My Game"
    counts = "points"
    rules = 1
    seats = range(3, 7)
    independent_deals = True
    decisions = ("play",)
    words: tuple[Action, ...] = ()
    options = Options
    events = Dealt | Played | Taken | Scored
    views = MyGameView

    def __init__(self, extras: Extras) -> None:
        self.extras = extras

    def suits(self, seats: int) -> Mapping[str, str]:
        return SUITS

    def deck(self, seats: int) -> tuple[Card, ...]:
        """Four suits, and eight cards for each seat."""
        return deck(dict.fromkeys(SUITS, range(1, 2 * seats + 1)))

    def ranked(self, view: MyGameView) -> str:
        return ""

    def deals(self, seats: int, options: Options | None = None) -> int:
        return seats

    def largest_lead(self, seats: int) -> int:
        """One seat takes all tricks."""
        return HAND_SIZE

    def start(self, seats: int, options: Options, deals: int, source: DealSource) -> Step:
        """R-1."""
        return deal(Setting(seats, deals, self.deck(seats), source), 1, (), source.lot(seats))

    def imagine(self, view: MyGameView, stream: Stream) -> MyGameState:
        """A random state that gives the seat this view: each card that it has not seen is in another hand,
        but not in the hand of a seat that has shown that it lacks the suit."""
        setting = Setting(view.seats, view.deals, self.deck(view.seats), DealSource(stream.key()))
        trick = Trick(view.leader, view.trick)
        begun = (*view.tricks, trick)
        hands = imagined_hands(
            view.seat,
            view.hand,
            hand_sizes(trick, view.seat, len(view.hand), view.seats),
            setting.deck,
            [one.cards for one in begun],
            barred_by_following(begun, setting.deck, view.seats),
            stream,
        )
        pending = next_to_play(trick, hands)
        points = booked(view.points, view.deal_no - 1 + (not pending))
        return MyGameState(setting, view.deal_no, points, hands, trick, view.tricks, pending)
