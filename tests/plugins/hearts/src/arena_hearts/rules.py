"""Hearts: states, actions and events.

The numbers H-… are the rulings of rules.md. Knows neither bots nor screens.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from arena.games.api import (
    Action,
    Barred,
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
    Step,
    Stream,
    Suit,
    Taken,
    TakenTrick,
    Trick,
    View,
    all_barred,
    barred_by_following,
    booked,
    check,
    clockwise,
    deal_out,
    dealt,
    deck,
    fewest_points_win,
    following,
    hand_sizes,
    held_by,
    highest,
    imagined_hands,
    laid,
    next_to_play,
    ordered,
    suit,
    totals,
)

SEATS: Final = 4
SUITS: Final[Mapping[Suit, str]] = {"C": "clubs", "D": "diamonds", "S": "spades", "H": "hearts"}
DECK: Final = deck(dict.fromkeys(SUITS, range(2, 15)))
TRICKS: Final = len(DECK) // SEATS
OPENING: Final = "C2"
QUEEN: Final = "S12"
QUEEN_POINTS: Final = 13
MOON: Final = 26
"""The points of a deal: thirteen hearts, and the queen of spades."""
PASSED: Final = 3
"""How many cards each seat passes."""

Direction: TypeAlias = Literal["left", "right", "across", "hold"]
DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)
"""Of the first four deals; then again from the first (H-2)."""
STEPS: Final[Mapping[Direction, int]] = {"left": 1, "right": 3, "across": 2, "hold": 0}
"""How many seats clockwise the cards go."""
PASSING: Final[Mapping[Seat, str]] = dict.fromkeys(range(SEATS), "pass")


class HeartsOptions(Options, frozen=True):
    """`queen_breaks`: the queen of spades breaks hearts as a heart does (H-6). `bloody`: penalty cards may be
    thrown off in the first trick (H-5)."""

    queen_breaks: bool = True
    bloody: bool = False


class Passed(Event, frozen=True):
    """`seat` chose a card to pass to the seat `to`. Only the seat itself knows."""

    seat: Seat
    to: Seat
    card: Card

    @property
    def audience(self) -> Seat | None:
        return self.seat

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} passes {self.card} to {name(self.to)}"


class Received(Event, frozen=True):
    """The cards that `seat` got from the seat `giver`, in deck order. Only `seat` is told."""

    seat: Seat
    giver: Seat
    cards: tuple[Card, ...]

    @property
    def audience(self) -> Seat | None:
        return self.seat

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} gets {' '.join(self.cards)} from {name(self.giver)}"


class HeartsView(View, frozen=True):
    """`direction`: where cards are passed in this deal. `passed`: the cards that this seat has chosen to pass
    so far, which stay in its hand until all have chosen. `received`: what it then got. `broken`: whether
    hearts may be led. `trick` is the current trick in order of play, `tricks` the finished ones of this deal.
    `penalty`: the points of the cards taken in this deal, by seat. `queen_breaks`, `bloody`: the options.

    While cards are passed nobody leads yet, and `leader` is 0."""

    direction: Direction
    passed: tuple[Card, ...]
    received: tuple[Card, ...]
    broken: bool
    trick: tuple[Card, ...]
    tricks: tuple[TakenTrick, ...]
    penalty: tuple[int, ...]
    queen_breaks: bool
    bloody: bool

    @property
    def finished_tricks(self) -> int | None:
        return len(self.tricks)

    @property
    def open_trick(self) -> tuple[Card, ...]:
        return self.trick


class HeartsSetting(Setting, frozen=True):
    """With the options."""

    options: HeartsOptions


class HeartsState(msgspec.Struct, frozen=True):
    """One moment of a match. `passed`: by seat, the cards chosen to be passed, in deck order, so that their
    order tells nobody anything; all are kept after they have changed hands."""

    setting: HeartsSetting
    deal_no: int
    points: Deals
    """By finished deal and seat; the last deal counts as finished when the match is over."""
    hands: Hands
    passed: Hands
    broken: bool
    trick: Trick
    tricks: tuple[TakenTrick, ...]
    pending: Mapping[Seat, str]

    @property
    def stock(self) -> tuple[Card, ...]:
        return ()

    @property
    def direction(self) -> Direction:
        return direction(self.deal_no)

    @property
    def passing(self) -> bool:
        """Whether cards are being passed: the only decision of all seats at once."""
        return len(self.pending) == SEATS

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        if seat not in self.pending:
            return ()
        hand = self.hands[seat]
        if self.passing:
            return tuple([card for card in hand if card not in self.passed[seat]])
        if self.trick.cards:
            return self._following(following(hand, self.trick))
        # H-6: hearts that are not broken are led only by who holds nothing else.
        return hand if self.broken else tuple([card for card in hand if suit(card) != "H"]) or hand

    def _following(self, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """H-5: in the first trick a penalty card is thrown off only by who holds nothing else."""
        if self.tricks or self.setting.options.bloody:
            return cards
        return tuple([card for card in cards if not penalty(card)]) or cards

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        if self.passing:
            return self._pass(actions)
        ((seat, card),) = actions.items()
        return self._play(seat, card)

    def _pass(self, actions: Mapping[Seat, Action]) -> Step:
        """H-2: one more card of each seat; with the third one they change hands."""
        steps = STEPS[self.direction]
        passed = tuple(ordered((*self.passed[seat], actions[seat]), DECK) for seat in range(SEATS))
        events: tuple[Event, ...] = tuple(
            Passed(seat, clockwise(seat, steps, SEATS), actions[seat]) for seat in range(SEATS)
        )
        state = msgspec.structs.replace(self, passed=passed)
        if len(passed[0]) < PASSED:
            return Step(state, events)
        givers = [clockwise(seat, -steps, SEATS) for seat in range(SEATS)]
        events += tuple(Received(seat, giver, passed[giver]) for seat, giver in enumerate(givers))
        hands = tuple(
            ordered({*self.hands[seat], *passed[giver]} - {*passed[seat]}, DECK)
            for seat, giver in enumerate(givers)
        )
        return msgspec.structs.replace(state, hands=hands)._open(events)

    def _open(self, events: tuple[Event, ...]) -> Step:
        """H-3: the two of clubs is led. Its holder has no choice, so it is no decision."""
        leader = next(seat for seat, hand in enumerate(self.hands) if OPENING in hand)
        state, more = msgspec.structs.replace(self, trick=Trick(leader, ()))._play(leader, OPENING)
        return Step(state, events + more)

    def _play(self, seat: Seat, card: Card) -> Step:
        leader, tricks = self.trick.leader, self.tricks
        hands, cards = laid(self.hands, seat, card), (*self.trick.cards, card)
        events: tuple[Event, ...] = (Played(seat, card),)
        if len(cards) == SEATS:
            taker = clockwise(leader, highest(cards), SEATS)
            tricks = (*tricks, TakenTrick(leader, cards, taker))
            events = (*events, Taken(len(tricks), taker))
            leader, cards = taker, ()
        trick = Trick(leader, cards)
        pending = next_to_play(trick, hands)
        broken = self.broken or breaks(card, self.setting.options.queen_breaks)
        state = HeartsState(
            self.setting, self.deal_no, self.points, hands, self.passed, broken, trick, tricks, pending
        )
        return Step(state, events) if pending else state._score(events)

    def _score(self, events: tuple[Event, ...]) -> Step:
        """The end of a deal, and the start of the next if there is one."""
        setting = self.setting
        points = (*self.points, deal_points(self.tricks))
        events = (*events, Scored(self.deal_no, points[-1], totals(points, SEATS)))
        if self.deal_no == setting.deals:
            return Step(msgspec.structs.replace(self, points=points), events)
        state, cards = _deal(setting, self.deal_no + 1, points)
        return Step(state, events + cards)

    def view(self, seat: Seat) -> HeartsView:
        setting, steps = self.setting, STEPS[self.direction]
        from_giver = self.passed[clockwise(seat, -steps, SEATS)]
        return HeartsView(
            self.deal_no,
            setting.deals,
            SEATS,
            seat,
            self.trick.leader,
            self.hands[seat],
            totals(self.points, SEATS),
            self.direction,
            self.passed[seat],
            () if self.passing else from_giver,
            self.broken,
            self.trick.cards,
            self.tricks,
            taken_penalties(self.tricks),
            setting.options.queen_breaks,
            setting.options.bloody,
        )

    def tally(self) -> Outcome:
        """H-9: the lowest total is best, equal totals share a placing."""
        return fewest_points_win(self.points, SEATS)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()


def direction(deal_no: int) -> Direction:
    """Where cards are passed in a deal (H-2)."""
    return DIRECTIONS[(deal_no - 1) % len(DIRECTIONS)]


def penalty(card: Card) -> int:
    """The points of a card (H-7)."""
    return QUEEN_POINTS if card == QUEEN else int(suit(card) == "H")


def breaks(card: Card, queen_breaks: bool) -> bool:
    """Whether hearts may be led once this card has been played (H-6)."""
    return suit(card) == "H" or (queen_breaks and card == QUEEN)


def taken_penalties(tricks: Sequence[TakenTrick]) -> tuple[int, ...]:
    """By seat, the points of the cards taken."""
    points = [0] * SEATS
    for trick in tricks:
        assert trick.taker is not None
        points[trick.taker] += sum(map(penalty, trick.cards))
    return tuple(points)


def deal_points(tricks: Sequence[TakenTrick]) -> tuple[int, ...]:
    """By seat, the points of a deal. H-8: who took all the points gets none, and the others get them all."""
    points = taken_penalties(tricks)
    return tuple(MOON - taken for taken in points) if max(points) == MOON else points


def _deal(setting: HeartsSetting, deal_no: int, points: Deals) -> Step:
    hands = deal_out(setting, deal_no)
    state = HeartsState(setting, deal_no, points, hands, ((),) * SEATS, False, Trick(0, ()), (), PASSING)
    events = dealt(deal_no, None, hands)
    return state._open(events) if state.direction == "hold" else Step(state, events)


def barred_by_hearts(tricks: Iterable[Trick], options: HeartsOptions) -> Barred:
    """What a seat showed by a penalty card in the first trick (H-5), or by leading a heart before hearts were
    broken (H-6): that it held nothing else."""
    others = {card for card in DECK if not penalty(card)}
    shown: dict[Seat, set[Card]] = {}
    broken = False
    for trick_no, trick in enumerate(tricks):
        for at, card in enumerate(trick.cards):
            seat = clockwise(trick.leader, at, SEATS)
            if trick_no == 0 and not options.bloody and penalty(card):
                shown.setdefault(seat, set()).update(others)
            if at == 0 and suit(card) == "H" and not broken:
                shown.setdefault(seat, set()).update(others, (QUEEN,))
            broken = broken or breaks(card, options.queen_breaks)
    return shown


class Hearts:
    """The game as its package lists it, without its extras."""

    api = 1
    id = "hearts"
    title = "Hearts"
    counts = "penalty points"
    rules = 1
    seats = range(SEATS, SEATS + 1)
    independent_deals = True
    decisions = ("pass", "play")
    words: tuple[str, ...] = ()
    options = HeartsOptions
    events = Dealt | Passed | Received | Played | Taken | Scored
    views = HeartsView

    def suits(self, seats: int) -> Mapping[Suit, str]:
        return SUITS

    def deck(self, seats: int) -> tuple[Card, ...]:
        return DECK

    def ranked(self, view: HeartsView) -> str:
        return ""

    def deals(self, seats: int, options: HeartsOptions | None = None) -> int:
        """One for each direction of passing."""
        return len(DIRECTIONS)

    def largest_lead(self, seats: int) -> int:
        """By shooting the moon (H-8)."""
        return MOON

    def start(self, seats: int, options: HeartsOptions, deals: int, source: DealSource) -> Step:
        return _deal(HeartsSetting(seats, deals, DECK, source, options), 1, ())

    def imagine(self, view: HeartsView, stream: Stream) -> HeartsState:
        """Every card not seen is in another hand: a card that this seat passed, in that of its receiver; none
        in a hand that has shown not to hold it. What others passed to each other is any of the cards that the
        receiver can have got."""
        options = HeartsOptions(view.queen_breaks, view.bloody)
        setting = HeartsSetting(SEATS, view.deals, DECK, DealSource(stream.key()), options)
        steps, trick = STEPS[view.direction], Trick(view.leader, view.trick)
        begun, choosing = (*view.tricks, trick), not (view.tricks or view.trick)
        receiver = clockwise(view.seat, steps, SEATS)
        barred = all_barred(
            barred_by_following(begun, DECK, SEATS),
            barred_by_hearts(begun, options),
            {} if choosing or not steps else held_by(receiver, view.passed, SEATS),
        )
        sizes = hand_sizes(trick, view.seat, len(view.hand), SEATS)
        seen = [one.cards for one in begun]
        hands = imagined_hands(view.seat, view.hand, sizes, DECK, seen, barred, stream)
        pending = PASSING if choosing else next_to_play(trick, hands)
        return HeartsState(
            setting=setting,
            deal_no=view.deal_no,
            points=booked(view.points, view.deal_no - 1 + (not pending)),
            hands=hands,
            passed=_imagined_passes(view, hands, stream),
            broken=view.broken,
            trick=trick,
            tricks=view.tricks,
            pending=pending,
        )


def _imagined_passes(view: HeartsView, hands: Hands, stream: Stream) -> Hands:
    """By seat, cards that it can have chosen to pass, as many as `view.seat` has. Once they have changed
    hands, they are among those that the receiver holds or has played."""
    steps, choosing = STEPS[view.direction], not (view.tricks or view.trick)
    played: list[list[Card]] = [[] for _ in range(SEATS)]
    for trick in (*view.tricks, Trick(view.leader, view.trick)):
        for at, card in enumerate(trick.cards):
            played[clockwise(trick.leader, at, SEATS)].append(card)
    passed = []
    for seat in range(SEATS):
        receiver = clockwise(seat, steps, SEATS)
        if seat == view.seat:
            passed.append(view.passed)
        elif receiver == view.seat and not choosing:
            passed.append(view.received)
        else:
            owner = seat if choosing else receiver
            held = stream.shuffled((*hands[owner], *played[owner]))
            passed.append(ordered(held[: len(view.passed)], DECK))
    return tuple(passed)
