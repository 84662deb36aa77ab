"""Both editions of Sticheln in step. The numbers S-… and T-… are the rulings of SPEC.md. Tables say how
strongly a card takes, so that the maximum of a trick gives its taker (`_finish`)."""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.games.instep.batch import GONE, Deck, Indexes, Mask, Match, Owners, Points
from arena.games.instep.tricks import PLACES, FinishedTricks, TrickBatch
from arena.games.observation import Numbers
from arena.games.sticheln.rules import Sticheln, TargetOptions
from protocol.cards import Card


class StichelnTables(NamedTuple):
    """What is looked up for a suit and a card, in one dimension: at the row of the suit plus the card."""

    takes: Indexes
    """How strongly the card takes a trick to which the suit was led, times PLACES, so that the place can be
    added; 0 only for zeros, which take nothing."""
    counts: Indexes
    """The points of the card for a seat with the suit as pain colour."""
    row: Indexes
    """By card: the row of its suit."""
    values: Indexes
    """By card."""


@functools.cache
def _tables(game: Sticheln, seats: int) -> StichelnTables:
    suits, values = Deck.of(game, seats)
    same = suits == np.arange(suits.max() + 1)[:, None]
    # S-3, S-4: a card of another colour, unless a zero, is stronger than all of the led colour.
    takes = np.where(same | (values == 0), values, values + values.max() + 1)
    counts = np.where(same, -values, 1)
    return StichelnTables(takes.reshape(-1) * PLACES, counts.reshape(-1), suits * len(suits), values)


class StichelnBatch(TrickBatch):
    """Each deal begins with the seats' choices of pain cards, one after the other and in secret. A target of
    points (T-6) does not end a match here; the caller can look at the totals."""

    def __init__(self, match: Match, owner: Owners, leader: npt.ArrayLike) -> None:
        super().__init__(match, owner, leader)
        assert isinstance(match.game, Sticheln)
        self._edition = match.game.edition
        self._tables = _tables(match.game, match.seats)
        self._pain: Indexes = np.zeros((self.seats, self.size), np.intp)
        """By seat and deal; 0 until chosen."""
        self._chosen = 0
        self._points: Points = np.zeros((self.size, self.seats), np.int64)
        self.turn = np.zeros(self.size, np.intp)
        # Added by place in the trick: among equal cards the first takes.
        self._earlier = np.arange(PLACES - 1, PLACES - 1 - self.seats, -1)[:, None]

    @property
    def pain_is_known(self) -> bool:
        """Whether all have chosen their pain cards."""
        return self._chosen == self.seats

    def pain_of(self, seats: Indexes) -> Indexes:
        """The pain card of a seat in each deal, once it is known."""
        return self._pain.reshape(-1).take(seats * self.size + self._row)

    @property
    def points(self) -> Points:
        """S-8."""
        return self._points.copy()

    def legal(self) -> Mask:
        """T-1: every card in hand."""
        return self.hands()

    @classmethod
    def _revealed(cls, view: Any) -> Sequence[Sequence[Card]]:
        return (view.pain,)

    def _resume(self, views: Sequence[Any]) -> None:
        if views[0].pain:
            self._reveal(self._numbers([view.pain for view in views]))
            super()._resume(views)

    def _go(self, actions: Indexes, cells: Indexes) -> None:
        if self._chosen == self.seats:
            super()._go(actions, cells)
            return
        self._pain[self._chosen] = actions
        self._chosen += 1
        self.turn = self.turn + 1
        if self._chosen == self.seats:
            for cards in self._pain:
                self._owners[self._of_action + cards] = GONE
            self._left -= self.seats
            self._reveal(self._pain)
            self.turn = self._leader

    def _reveal(self, pain: Indexes) -> None:
        """S-6, S-8: count what all have chosen. S-11: those cards are in no hand any more."""
        self._pain, self._chosen = pain, self.seats
        self._points -= self._tables.values[pain].T

    def _finish(self, cards: Indexes, leader: Indexes) -> FinishedTricks:
        """S-3 to S-5, S-8, T-2."""
        tables = self._tables
        strongest = (tables.takes.take(tables.row.take(cards[0]) + cards) + self._earlier).max(axis=0)
        taker = leader + (PLACES - 1 - strongest % PLACES)
        taker[taker >= self.seats] -= self.seats
        zeros = strongest < PLACES
        if self._edition.led_zero_takes:
            taker = np.where(zeros, leader, taker)
        hurts = tables.row.take(self.pain_of(taker))
        counted = tables.counts.take(hurts + cards).sum(axis=0)
        if not self._edition.led_zero_takes:
            counted[zeros] = 0
        self._points.reshape(-1)[self._of_seat + taker] += counted
        if not self._edition.led_zero_takes:
            taker[zeros] = GONE
        return FinishedTricks(cards, leader, (taker,))

    def _catch_up(self, public: Numbers) -> None:
        if self._chosen == self.seats and not self._observed:
            for seat, cards in enumerate(self._pain):
                self._put("pain", 0, cards, seat + 1)
        if isinstance(self.match.options, TargetOptions):
            self._write("target", self.match.options.target)
        super()._catch_up(public)
