"""Oh Hell: states, actions and events.

The numbers O-… are the rulings of rules.md. Knows neither bots nor screens.
"""

from collections.abc import Mapping, Sequence
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
    Step,
    Stream,
    Suit,
    Taken,
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
    highest,
    imagined_with_stock,
    laid,
    most_points_win,
    next_to_play,
    suit,
    totals,
)

SUITS: Final[Mapping[Suit, str]] = {"C": "clubs", "D": "diamonds", "S": "spades", "H": "hearts"}
DECK: Final = deck(dict.fromkeys(SUITS, range(2, 15)))
LARGEST: Final[Mapping[int, int]] = {3: 10, 4: 10, 5: 10, 6: 8, 7: 7}
"""By number of seats, the cards in each hand of the first deal (O-1)."""
EXACT: Final = 10
"""The points for taking as many tricks as were bid."""
NO_BID: Final = -1
BIDS: Final = tuple(str(tricks) for tricks in range(max(LARGEST.values()) + 1))
"""By number of tricks, the action that bids it."""


class OhHellOptions(Options, frozen=True):
    """`hook`: the dealer, who bids last, may not make the bids add up to the number of tricks (O-4)."""

    hook: bool = True


class Turned(Event, frozen=True):
    """The top card of the stock was turned up. Its suit is trump."""

    card: Card

    def sentence(self, name: Naming) -> str:
        return f"{self.card} is turned up: {SUITS[suit(self.card)]} are trump"


class Bid(Event, frozen=True):
    """`seat` said how many tricks it will take."""

    seat: Seat
    tricks: int

    def sentence(self, name: Naming) -> str:
        return f"{name(self.seat)} bids {self.tricks}"


class OhHellView(View, frozen=True):
    """`size`: the number of tricks of this deal. `turned`: the card that was turned up; its suit is trump.
    `bids`: by seat, -1 before the bid. `won`: the tricks taken in this deal, by seat. `trick` is the current
    trick in order of play, `tricks` the finished ones of this deal. `hook`: the option."""

    dealer: Seat
    size: int
    turned: Card
    bids: tuple[int, ...]
    won: tuple[int, ...]
    trick: tuple[Card, ...]
    tricks: tuple[TakenTrick, ...]
    hook: bool

    @property
    def finished_tricks(self) -> int | None:
        return len(self.tricks)

    @property
    def open_trick(self) -> tuple[Card, ...]:
        return self.trick


class OhHellSetting(Setting, frozen=True):
    """With the option `hook`."""

    hook: bool


class OhHellState(msgspec.Struct, frozen=True):
    """One moment of a match. `bids`: by seat, NO_BID before the bid."""

    setting: OhHellSetting
    deal_no: int
    points: Deals
    """By finished deal and seat; the last deal counts as finished when the match is over."""
    dealer: Seat
    hands: Hands
    turned: Card
    stock: tuple[Card, ...]
    """Without the card that was turned up."""
    bids: tuple[int, ...]
    trick: Trick
    tricks: tuple[TakenTrick, ...]
    pending: Mapping[Seat, str]

    @property
    def size(self) -> int:
        """The number of tricks of this deal."""
        return hand_size(self.deal_no, self.setting.seats)

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        if seat not in self.pending:
            return ()
        if self.pending[seat] == "play":
            return following(self.hands[seat], self.trick)
        left = self.size - sum(bid for bid in self.bids if bid != NO_BID)
        hooked = left if self.setting.hook and seat == self.dealer else None  # O-4
        return tuple([BIDS[tricks] for tricks in range(self.size + 1) if tricks != hooked])

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        check(self, actions)
        ((seat, action),) = actions.items()
        return self._play(seat, action) if self.pending[seat] == "play" else self._bid(seat, action)

    def _bid(self, seat: Seat, action: Action) -> Step:
        """O-3: one after the other from the dealer's left neighbour, who then leads."""
        tricks = BIDS.index(action)
        bids = (*self.bids[:seat], tricks, *self.bids[seat + 1 :])
        pending = next_to_play(self.trick, self.hands) if seat == self.dealer else _to_bid(seat, len(bids))
        return Step(msgspec.structs.replace(self, bids=bids, pending=pending), (Bid(seat, tricks),))

    def _play(self, seat: Seat, card: Card) -> Step:
        seats, leader, tricks = self.setting.seats, self.trick.leader, self.tricks
        hands, cards = laid(self.hands, seat, card), (*self.trick.cards, card)
        events: tuple[Event, ...] = (Played(seat, card),)
        if len(cards) == seats:
            taker = clockwise(leader, highest(cards, suit(self.turned)), seats)  # O-6
            tricks = (*tricks, TakenTrick(leader, cards, taker))
            events = (*events, Taken(len(tricks), taker))
            leader, cards = taker, ()
        trick = Trick(leader, cards)
        pending = next_to_play(trick, hands)
        state = msgspec.structs.replace(self, hands=hands, trick=trick, tricks=tricks, pending=pending)
        return Step(state, events) if pending else state._score(events)

    def _score(self, events: tuple[Event, ...]) -> Step:
        """The end of a deal, and the start of the next if there is one."""
        setting = self.setting
        points = (*self.points, deal_points(self.bids, won(self.tricks, setting.seats)))
        events = (*events, Scored(self.deal_no, points[-1], totals(points, setting.seats)))
        if self.deal_no == setting.deals:
            return Step(msgspec.structs.replace(self, points=points), events)
        state, more = _deal(setting, self.deal_no + 1, points, clockwise(self.dealer, 1, setting.seats))
        return Step(state, events + more)

    def view(self, seat: Seat) -> OhHellView:
        setting = self.setting
        return OhHellView(
            self.deal_no,
            setting.deals,
            setting.seats,
            seat,
            self.trick.leader,
            self.hands[seat],
            totals(self.points, setting.seats),
            self.dealer,
            self.size,
            self.turned,
            self.bids,
            won(self.tricks, setting.seats),
            self.trick.cards,
            self.tricks,
            setting.hook,
        )

    def tally(self) -> Outcome:
        """O-8: the highest total is best, equal totals share a placing."""
        return most_points_win(self.points, self.setting.seats)

    def outcome(self) -> Outcome | None:
        return None if self.pending else self.tally()


def hand_size(deal_no: int, seats: int) -> int:
    """The number of cards in each hand of a deal (O-1): down to one, up again, and so on."""
    largest = LARGEST[seats]
    return 1 + abs(largest - 1 - (deal_no - 1) % (2 * largest - 2))


def won(tricks: Sequence[TakenTrick], seats: int) -> tuple[int, ...]:
    """By seat, the number of tricks taken."""
    takers = [trick.taker for trick in tricks]
    return tuple([takers.count(seat) for seat in range(seats)])


def deal_points(bids: Sequence[int], won: Sequence[int]) -> tuple[int, ...]:
    """By seat, the points of a deal (O-7): one for each trick, and EXACT for as many as were bid."""
    return tuple(taken + EXACT * (taken == bid) for bid, taken in zip(bids, won, strict=True))


def _to_bid(after: Seat, seats: int) -> Mapping[Seat, str]:
    """The `pending` when the next seat after `after` is to bid."""
    return {clockwise(after, 1, seats): "bid"}


def _deal(setting: OhHellSetting, deal_no: int, points: Deals, dealer: Seat) -> Step:
    """O-2: the next card is turned up, and the rest lie face down until the deal is over."""
    hands, (turned, *stock) = deal_hands(setting, deal_no, hand_size(deal_no, setting.seats))
    leader = clockwise(dealer, 1, setting.seats)
    state = OhHellState(
        setting=setting,
        deal_no=deal_no,
        points=points,
        dealer=dealer,
        hands=hands,
        turned=turned,
        stock=tuple(stock),
        bids=(NO_BID,) * setting.seats,
        trick=Trick(leader, ()),
        tricks=(),
        pending=_to_bid(dealer, setting.seats),
    )
    return Step(state, (*dealt(deal_no, leader, hands), Turned(turned)))


class OhHell:
    """The game as its package lists it, without its extras."""

    api = 1
    id = "oh-hell"
    title = "Oh Hell"
    counts = "points"
    rules = 1
    seats = range(min(LARGEST), max(LARGEST) + 1)
    independent_deals = True
    decisions = ("bid", "play")
    words = BIDS
    options = OhHellOptions
    events = Dealt | Turned | Bid | Played | Taken | Scored
    views = OhHellView

    def suits(self, seats: int) -> Mapping[Suit, str]:
        return SUITS

    def deck(self, seats: int) -> tuple[Card, ...]:
        return DECK

    def ranked(self, view: OhHellView) -> str:
        return ""

    def deals(self, seats: int, options: OhHellOptions | None = None) -> int:
        """Down to hands of one card, and up again."""
        return 2 * LARGEST[seats] - 1

    def largest_lead(self, seats: int) -> int:
        """One seat bids and takes all tricks, and the other misses its bid."""
        return LARGEST[seats] + EXACT

    def start(self, seats: int, options: OhHellOptions, deals: int, source: DealSource) -> Step:
        """O-3: the first dealer is drawn by lot."""
        return _deal(OhHellSetting(seats, deals, DECK, source, options.hook), 1, (), source.lot(seats))

    def imagine(self, view: OhHellView, stream: Stream) -> OhHellState:
        """Every card not seen is in another hand or in the stock, and not in the hand of a seat that did not
        follow its suit."""
        seats, trick = view.seats, Trick(view.leader, view.trick)
        setting = OhHellSetting(seats, view.deals, DECK, DealSource(stream.key()), view.hook)
        begun = (*view.tricks, trick)
        hands, stock = imagined_with_stock(
            view.seat,
            view.hand,
            hand_sizes(trick, view.seat, len(view.hand), seats),
            DECK,
            [(view.turned,), *(one.cards for one in begun)],
            barred_by_following(begun, DECK, seats),
            stream,
        )
        bidders = sum(bid != NO_BID for bid in view.bids)
        last = clockwise(view.dealer, bidders, seats)
        pending = next_to_play(trick, hands) if bidders == seats else _to_bid(last, seats)
        return OhHellState(
            setting=setting,
            deal_no=view.deal_no,
            points=booked(view.points, view.deal_no - 1 + (not pending)),
            dealer=view.dealer,
            hands=hands,
            turned=view.turned,
            stock=stock,
            bids=view.bids,
            trick=trick,
            tricks=view.tricks,
            pending=pending,
        )
