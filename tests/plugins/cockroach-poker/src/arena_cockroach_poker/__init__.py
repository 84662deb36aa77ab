"""Cockroach Poker (Kakerlakenpoker) for the arena: a card goes round face down with a claim about it; who is
wrong about the claim takes the card, and four of a kind lose. A seat whose hand is empty still has to answer.
`GAME` is what the entry point names; there is no advice, no picture and no batch.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

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
    Scored,
    Seat,
    Setting,
    Step,
    Stream,
    Suit,
    View,
    booked,
    check,
    clockwise,
    deal_hands,
    dealt,
    deck,
    fewest_points_win,
    held_by,
    imagined_with_stock,
    ordered,
    suit,
    totals,
    without,
)

SUITS: Final[Mapping[Suit, str]] = {
    "B": "bats",
    "C": "cockroaches",
    "F": "flies",
    "R": "rats",
    "S": "scorpions",
    "T": "toads",
}
DECK: Final = deck(dict.fromkeys(SUITS, range(1, 9)))
SEATS: Final = range(2, 7)
OF_A_KIND: Final = 4
TO: Final = tuple(f"to{seat}" for seat in range(SEATS[-1]))
LETTER: Final = {name: letter for letter, name in SUITS.items()}
NOBODY: Final = -1

Rows: TypeAlias = tuple[tuple[Card, ...], ...]
Phase: TypeAlias = Literal["offer", "to", "claim", "answer", "over"]
Claim: TypeAlias = Literal["bats", "cockroaches", "flies", "rats", "scorpions", "toads"]


class Offered(Event, frozen=True):
    """`seat` slides a card, face down, to seat `to`, and says what it is."""

    seat: Seat
    to: Seat
    claim: Claim

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} offers {name(self.to)} a card: {self.claim}"


class Chosen(Event, frozen=True):
    """`seat` has chosen a card to offer, or looked at the one that it was offered."""

    seat: Seat

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} has a card to pass on"


class Looked(Event, frozen=True):
    """`seat` alone saw the card, which it now holds."""

    seat: Seat
    card: Card

    @property
    def audience(self) -> Seat | None:
        return self.seat

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} sees {self.card}"


class Addressed(Event, frozen=True):
    """`seat` will offer its card to seat `to`."""

    seat: Seat
    to: Seat

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} turns to {name(self.to)}"


class Revealed(Event, frozen=True):
    """The card was turned over, and lies open before `seat` now."""

    seat: Seat
    card: Card

    def sentence(self, name: Naming) -> str:
        return f"it was {self.card}, and {name(self.seat)} takes it"


class CockroachView(View, frozen=True):
    """`holder` has the card that goes round, and offers it to `to` (-1: nobody yet) as `claim`. `known`: that
    card, if this seat has seen it. `had`: by seat, 1 if it has seen it. `before`: by seat, the cards that lie
    open before it, as they came."""

    phase: Phase
    holder: Seat
    to: int
    claim: Claim | None
    known: Card | None
    had: tuple[int, ...]
    before: Rows
    sizes: tuple[int, ...]


class CockroachState(msgspec.Struct, frozen=True):
    """One moment of a match. `card`: the one that goes round, in the hand of `holder`; "" for none."""

    setting: Setting
    deal_no: int
    points: Deals
    hands: Hands
    stock: tuple[Card, ...]
    phase: Phase
    holder: Seat
    to: int
    claim: Claim | None
    card: Card
    had: tuple[int, ...]
    before: Rows

    @property
    def pending(self) -> Mapping[Seat, str]:
        if self.phase == "over":
            return OVER
        return {self.to if self.phase == "answer" else self.holder: self.phase}

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        if seat not in self.pending:
            return ()
        others = [at for at, had in enumerate(self.had) if not had and at != self.holder]
        match self.phase:
            case "offer":
                return self.hands[seat]
            case "to":
                return tuple([TO[at] for at in others])
            case "claim":
                return tuple(SUITS.values())
            case _:
                return ("true", "false", "look") if len(others) > 1 else ("true", "false")

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        ((seat, action),) = actions.items()
        replace = msgspec.structs.replace
        match self.phase:
            case "offer":
                return Step(
                    replace(self, phase="to", card=action, had=_with(self.had, seat)), (Chosen(seat),)
                )
            case "to":
                to = TO.index(action)
                return Step(replace(self, phase="claim", to=to), (Addressed(seat, to),))
            case "claim":
                claim = msgspec.convert(action, Claim)
                claimed = replace(self, phase="answer", claim=claim)
                return Step(claimed, (Offered(seat, self.to, claim),))
            case _:
                return self._answer(seat, action)

    def _answer(self, seat: Seat, action: Action) -> Step:
        replace = msgspec.structs.replace
        hands = list(self.hands)
        hands[self.holder] = without(hands[self.holder], self.card)
        if action == "look":
            hands[seat] = ordered((*hands[seat], self.card), self.setting.deck)
            looked = replace(
                self,
                phase="to",
                hands=tuple(hands),
                holder=seat,
                to=NOBODY,
                claim=None,
                had=_with(self.had, seat),
            )
            return Step(looked, (Looked(seat, self.card), Chosen(seat)))
        assert self.claim is not None
        right = (suit(self.card) == LETTER[self.claim]) == (action == "true")
        taker = self.holder if right else seat
        before = list(self.before)
        before[taker] = (*before[taker], self.card)
        state = replace(
            self,
            phase="offer",
            hands=tuple(hands),
            holder=taker,
            to=NOBODY,
            claim=None,
            card="",
            had=(0,) * self.setting.seats,
            before=tuple(before),
        )
        events: tuple[Event, ...] = (Revealed(taker, self.card),)
        four = sum(suit(card) == suit(self.card) for card in before[taker]) == OF_A_KIND
        return state._score(events) if four or not hands[taker] else Step(state, events)

    def _score(self, events: tuple[Event, ...]) -> Step:
        """The seat whose turn it would be has lost the deal."""
        setting = self.setting
        row = tuple(int(seat == self.holder) for seat in range(setting.seats))
        points = (*self.points, row)
        events = (*events, Scored(self.deal_no, row, totals(points, setting.seats)))
        if self.deal_no == setting.deals:
            return Step(msgspec.structs.replace(self, points=points, phase="over"), events)
        following = _deal(setting, self.deal_no + 1, points)
        return Step(following.state, events + following.events)

    def view(self, seat: Seat) -> CockroachView:
        return CockroachView(
            self.deal_no,
            self.setting.deals,
            self.setting.seats,
            seat,
            next(iter(self.pending), self.holder),
            self.hands[seat],
            totals(self.points, self.setting.seats),
            self.phase,
            self.holder,
            self.to,
            self.claim,
            self.card if self.had[seat] else None,
            self.had,
            self.before,
            tuple(map(len, self.hands)),
        )

    def tally(self) -> Outcome:
        return fewest_points_win(self.points, self.setting.seats)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()


def _with(had: tuple[int, ...], seat: Seat) -> tuple[int, ...]:
    return (*had[:seat], 1, *had[seat + 1 :])


def _deal(setting: Setting, deal_no: int, points: Deals) -> Step:
    """As many cards to each as there are, and the rest face down. The first deal begins with seat 0."""
    seats = setting.seats
    hands, stock = deal_hands(setting, deal_no, len(DECK) // seats)
    first, nothing = clockwise(0, deal_no - 1, seats), (0,) * seats
    state = CockroachState(
        setting, deal_no, points, hands, stock, "offer", first, NOBODY, None, "", nothing, ((),) * seats
    )
    return Step(state, dealt(deal_no, first, hands))


class CockroachPoker:
    """The rules."""

    api = 1
    id = "cockroach-poker"
    title = "Cockroach Poker"
    counts = "losses"
    rules = 1
    seats = SEATS
    independent_deals = True
    decisions = ("offer", "to", "claim", "answer")
    words = (*TO, *LETTER, "true", "false", "look")
    options = Options
    events = Dealt | Chosen | Looked | Addressed | Offered | Revealed | Scored
    views = CockroachView

    def suits(self, seats: int) -> Mapping[Suit, str]:
        return SUITS

    def deck(self, seats: int) -> tuple[Card, ...]:
        return DECK

    def ranked(self, view: CockroachView) -> str:
        return ""

    def deals(self, seats: int, options: Options | None = None) -> int:
        return 2

    def largest_lead(self, seats: int) -> int:
        return 1

    def start(self, seats: int, options: Options, deals: int, source: DealSource) -> Step:
        return _deal(Setting(seats, deals, DECK, source), 1, ())

    def imagine(self, view: CockroachView, stream: Stream) -> CockroachState:
        """A card that this seat has seen and passed on is in the hand of its holder; one that it has not seen
        is any of those."""
        seats = view.seats
        setting = Setting(seats, view.deals, DECK, DealSource(stream.key()))
        passed = view.known is not None and view.holder != view.seat
        barred = held_by(view.holder, (view.known or "",), seats) if passed else {}
        hands, stock = imagined_with_stock(
            view.seat, view.hand, view.sizes, DECK, view.before, barred, stream
        )
        going = view.phase in ("to", "claim", "answer")
        card = view.known or (stream.choice(hands[view.holder]) if going else "")
        points = booked(view.points, view.deal_no - 1 + (view.phase == "over"))
        return CockroachState(
            setting,
            view.deal_no,
            points,
            hands,
            stock,
            view.phase,
            view.holder,
            view.to,
            view.claim,
            card,
            view.had,
            view.before,
        )


GAME: Final[Game] = CockroachPoker()
