"""David & Goliath in step. The numbers D-… are the rulings of SPEC.md."""

import functools
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.games.david_and_goliath.rules import DUST, DavidAndGoliath
from arena.games.game import Game
from arena.games.imagining import Barred
from arena.games.instep.batch import Deck, Indexes, Mask, Match, Owners, Points
from arena.games.instep.tricks import PLACES, FinishedTricks, TrickBatch
from arena.games.observation import Numbers
from arena.games.tricks import Trick, barred_by_following

COUNTED: Final = 1 << 9
"""Added to a pile for each card; greater than all values of a suit together, so both fit into one number."""


class DavidAndGoliathTables(NamedTuple):
    """What a step looks up, by card."""

    suits: Indexes
    values: Indexes
    piled: Indexes
    """What it adds to a pile."""
    bits: Indexes
    """A hand in one suit is the sum of the bits of its cards."""
    follows: Mask
    """By led suit and action, whether the action follows suit; all do in the last row, for no duty."""


@functools.cache
def _tables(game: DavidAndGoliath, seats: int) -> DavidAndGoliathTables:
    suits, values = Deck.of(game, seats)
    follows = np.arange(suits.max() + 2)[:, None] == suits
    follows[-1] = True
    return DavidAndGoliathTables(suits, values, values + COUNTED, 1 << (values - 1), follows)


class DavidAndGoliathBatch(TrickBatch):
    """There is a duty to follow. The `to` of a complete trick are the seats of the low and the high card."""

    def __init__(self, match: Match, owner: Owners, leader: npt.ArrayLike) -> None:
        super().__init__(match, owner, leader)
        assert isinstance(match.game, DavidAndGoliath)
        self._tables = _tables(match.game, match.seats)
        self._suits = len(self._tables.follows) - 1
        self._of_suit = self._row * (self.seats * self._suits)
        self._piles: Indexes = np.zeros((self.size, self.seats, self._suits), np.intp)
        """What each seat has won of each suit: COUNTED for each card, and the sum of the values."""
        self._holds: Indexes = np.zeros((self.size, self.seats, self._suits), np.intp)
        """The hand of each seat in each suit, as the sum of the bits of its cards."""
        for number in range(self._suits):
            cards = self._tables.suits == number
            mine = self._owner[:, cards, None] == np.arange(self.seats)
            self._holds[:, :, number] = (mine * self._tables.bits[cards, None]).sum(axis=1)

    @property
    def piles(self) -> Indexes:
        """The cards won, by deal, seat and suit: the sum of their values, and COUNTED for each."""
        return self._piles

    @property
    def hands_by_suit(self) -> Indexes:
        """The cards in hand, by deal, seat and suit: for a card with the value n, bit n - 1 is set."""
        return self._holds

    def legal(self) -> Mask:
        holding = self.hands()
        return holding & self._tables.follows.take(self._duty(), axis=0) if self._laid else holding

    @property
    def points(self) -> Points:
        """D-4, D-5."""
        count, total = np.divmod(self._piles, COUNTED)
        points: Points = np.where(count < DUST, total, count).sum(axis=2)
        return points

    @classmethod
    def _barred(cls, game: Game, view: Any) -> Barred:
        begun = (*view.tricks, Trick(view.leader, view.trick))
        return barred_by_following(begun, game.deck(view.seats), view.seats)

    def _may_play(self, actions: Indexes, held: Mask) -> Mask:
        if not self._laid:
            return held
        duty = self._duty()
        return held & self._tables.follows.reshape(-1).take(duty * len(self.actions) + actions)

    def _duty(self) -> Indexes:
        """The suit that the seat in turn has to follow in each deal; the number of suits for none."""
        led = self._tables.suits.take(self._trick[0])
        return np.where(self._holds.reshape(-1).take(self._suit_of(self.turn, led)) > 0, led, self._suits)

    def _suit_of(self, seat: Indexes, suits: Indexes) -> Indexes:
        """The place of a seat's suit in a flat array by deal, seat and suit."""
        return self._of_suit + seat * self._suits + suits

    def _go(self, actions: Indexes, cells: Indexes) -> None:
        self._holds.reshape(-1)[self._suit_of(self.turn, self._tables.suits.take(actions))] -= (
            self._tables.bits.take(actions)
        )
        super()._go(actions, cells)

    def _finish(self, cards: Indexes, leader: Indexes) -> FinishedTricks:
        """D-2: the high card cannot also be the low one. D-3: among equal cards the last played counts."""
        high, low = high_and_low(self._tables.values.take(cards))
        low[high == low] -= 1  # If all are equal, the last is the high card.
        high_to, rest_to = self._seat(leader, low), self._seat(leader, high)
        piles = self._piles.reshape(-1)
        for place, card in enumerate(cards):
            taker = np.where(high == place, high_to, rest_to)
            piles[self._suit_of(taker, self._tables.suits.take(card))] += self._tables.piled.take(card)
        return FinishedTricks(cards, leader, (high_to, rest_to))

    def _seat(self, leader: Indexes, place: Indexes) -> Indexes:
        seat = leader + place
        seat[seat >= self.seats] -= self.seats
        return seat

    def _catch_up(self, public: Numbers) -> None:
        for cards, _, (high_to, rest_to) in self._finished[self._observed :]:
            high, _ = high_and_low(self._tables.values.take(cards))
            for place, card in enumerate(cards):
                self._put("won", 0, card, np.where(high == place, high_to, rest_to) + 1)
        super()._catch_up(public)


def high_and_low(values: Indexes) -> tuple[Indexes, Indexes]:
    """The places of the highest and the lowest card in each deal, from values by place and deal. Among equals
    the last one is taken, so both are the same if all are equal."""
    places = np.arange(len(values))[:, None]
    strengths = values * PLACES
    return (strengths + places).max(axis=0) % PLACES, -(strengths - places).min(axis=0) % PLACES
