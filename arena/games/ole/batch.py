"""Olé! in step: many deals as arrays, with a row for each. The numbers O-… are the rulings of SPEC.md.

To change this file, know four things. `step` runs millions of times, so it takes whole arrays and looks rules
up in tables (`OleTables`) by *position*: the colour on top and the card on the table, as one number. All that
a seat's points depend on is one integer, its *account*: cards in hand · ONE_CARD + chips · ONE_CHIP + the
values of the cards in hand; one addition keeps all three. All deals choose the colour on top together, and
open together (`_plays` is then empty, or has one step); afterwards they end at different times, and a deal
that is over takes no more part: its `turn` is GONE and its actions are replaced by chips that count nothing.
`tests/games/instep` compares each action with rules.py.
"""

import functools
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from arena.games.game import Game
from arena.games.instep.batch import (
    GONE,
    Batch,
    Deck,
    Indexes,
    Mask,
    Match,
    Owners,
    Points,
    alike,
    dealt,
    held,
)
from arena.games.instep.hidden import imagined_owners
from arena.games.observation import Numbers
from arena.games.ole.rules import (
    CHIP,
    CHIP_POINTS,
    LOWEST,
    ORDERS,
    SERIES,
    Ole,
    OleOptions,
    OleState,
    OleView,
    barred_by_chips,
    rule,
)

TOPS: Final = tuple(ORDERS)
PHASES: Final = ("top", "opening", "turn", "series", "over")
TOP, OPENING, TURN, SERIES_ON, OVER = range(len(PHASES))

ONE_CARD: Final = 1 << 32
ONE_CHIP: Final = 1 << 16
"""What a card in hand and a chip add to the account of a seat."""


class OleTables(NamedTuple):
    """What a step looks up."""

    rules: npt.NDArray[np.int8]
    """By position and action: the rule by which the card is laid, 0 if it cannot be."""
    outranks: Mask
    """Whether that is not 0."""
    lowest: Indexes
    """By the colour on top: the card that opens."""
    accounted: Indexes
    """By action: what it adds to the account of its seat."""
    next_seat: Indexes
    """At seat + 1, and at the seat itself if it goes on."""


@functools.cache
def _tables(game: Ole, seats: int) -> OleTables:
    deck = game.deck(seats)
    rules = np.array([[[rule(card, table, top) for card in deck] for table in deck] for top in TOPS], np.int8)
    rules = np.pad(rules.reshape(-1, len(deck)), ((0, 0), (0, len(game.words))))
    lowest = np.array([deck.index(LOWEST[top]) for top in TOPS])
    accounted = np.zeros(rules.shape[1], np.intp)
    accounted[: len(deck)] = -ONE_CARD - Deck.of(game, seats).values
    accounted[len(deck) + game.words.index(CHIP)] = ONE_CHIP
    return OleTables(rules, rules > 0, lowest, accounted, np.arange(seats + 1) % seats)


class OleBatch(Batch):
    """Deals that end at different times: a deal that is over waits for the others."""

    def __init__(
        self, match: Match, owner: Owners, turn: npt.ArrayLike, dealer: npt.ArrayLike, *, forced_play: bool
    ) -> None:
        """Deals in which the seats in `turn` have to choose the colour on top."""
        super().__init__(match, owner)
        game, seats = match.game, self.seats
        assert isinstance(game, Ole)
        self._forced_play = forced_play
        self._tables = _tables(game, seats)
        self._red = self.actions.index(TOPS[0])
        self._chip = self.actions.index(CHIP)
        self._seat_in_turn: Indexes = np.broadcast_to(turn, self.size).astype(np.intp)
        self._dealer: Indexes = np.broadcast_to(dealer, self.size).astype(np.intp)
        self._top: Indexes = np.full(self.size, GONE)
        self._table: Indexes = np.zeros(self.size, np.intp)
        self._in_a_row: Indexes = np.zeros(self.size, np.intp)
        self._in_series = np.zeros(self.size, np.bool_)
        mine = self._owner[:, : self._cards, None] == np.arange(seats)
        accounts: Indexes = -(mine * self._tables.accounted[: self._cards, None]).sum(axis=1)
        self._accounts = accounts.reshape(-1)
        """By deal and seat, in one dimension."""
        self._plays: list[tuple[Indexes, Indexes]] = []
        """The seats and actions of each step, a chip if the deal is over. The cards that open come first."""
        self._observed = 0
        self.turn = self._seat_in_turn

    @classmethod
    def _first(cls, match: Match, size: int, rng: np.random.Generator) -> Self:
        """O-1: red is on top. O-12: the dealer is chosen by lot."""
        assert isinstance(match.options, OleOptions)
        owner = dealt(len(match.game.deck(match.seats)), match.seats, size, rng)
        dealer = rng.integers(match.seats, size=size)
        batch = cls(match, owner, 0, dealer, forced_play=match.options.forced_play)
        batch._open(np.zeros(size, np.intp))
        return batch

    @classmethod
    def imagined(cls, game: Game, view: Any, size: int, rng: np.random.Generator) -> Owners:
        deck = game.deck(view.seats)
        seen = [play.action for play in view.plays if play.action != CHIP]
        barred = barred_by_chips(view, deck)
        return imagined_owners(view.seat, view.hand, view.sizes, deck, [seen], barred, size, rng)

    @classmethod
    def with_owners(cls, game: Game, view: Any, owner: Owners) -> Self:
        return cls._shown(game, owner, [view])

    @classmethod
    def of(cls, game: Game, states: Sequence[OleState]) -> Self:
        # Observations contain the number of plays, so it must be the same in all.
        alike(game, states, lambda state: (state.phase == "top", len(state.plays)))
        return cls._shown(game, held(game, states), [state.view(0) for state in states])

    @classmethod
    def _shown(cls, game: Game, owner: Owners, views: Sequence[OleView]) -> Self:
        """A batch with these hands, and everything else as these views show it, or one view for all."""
        first, size = views[0], len(owner)
        totals = np.empty((size, first.seats), np.int64)
        totals[:] = [view.points for view in views]
        match = Match.of_view(game, first, size)._replace(totals=totals)
        turn, dealer = [view.leader for view in views], [view.dealer for view in views]
        batch = cls(match, owner, turn, dealer, forced_play=first.forced_play)
        place = {action: i for i, action in enumerate(batch.actions)}
        batch._in_series[:] = [view.phase == "series" for view in views]
        batch._top[:] = [GONE if view.top is None else TOPS.index(view.top) for view in views]
        batch._table[:] = [0 if view.table is None else place[view.table] for view in views]
        batch._accounts.reshape(size, -1)[:] += ONE_CHIP * np.array([view.chips for view in views])
        batch._in_a_row[:] = [view.chips_in_a_row for view in views]
        for number in range(max(len(view.plays) for view in views)):
            plays = [view.plays[number] for view in views]
            seats, actions = np.empty(size, np.intp), np.empty(size, np.intp)
            seats[:], actions[:] = [play.seat for play in plays], [place[play.action] for play in plays]
            batch._plays.append((seats, actions))
        if first.phase == "over":
            batch.turn = np.full(size, GONE)
        return batch

    def following(self, rng: np.random.Generator) -> Self:
        """O-10, O-12: the loser chooses the colour on top."""
        self._require_next()
        match, seats, points = self.match, self.seats, self.points
        totals, dealer = match.totals + points, (self._dealer + 1) % seats
        after = (dealer[:, None] + np.arange(1, seats + 1)) % seats
        # Points first, then totals, then the first after the dealer: argmax takes the first of equals.
        lost = np.take_along_axis(points * (totals.max() + 1) + totals, after, axis=1).argmax(axis=1)
        chooser = after[self._row, lost]
        match = match._replace(deal_no=match.deal_no + 1, totals=totals)
        owner = dealt(self._cards, seats, self.size, rng)
        return type(self)(match, owner, chooser, dealer, forced_play=self._forced_play)

    @property
    def top(self) -> Indexes:
        """The colour on top in each deal, as a number in ORDERS; GONE before it is chosen."""
        return self._top

    @property
    def table(self) -> Indexes:
        """The card on the table in each deal; without meaning before there is one."""
        return self._table

    @property
    def sizes(self) -> Indexes:
        """The number of cards in hand, by deal and seat."""
        sizes: Indexes = (self._accounts // ONE_CARD).reshape(self.size, -1)
        return sizes

    @property
    def chips(self) -> Indexes:
        """The number of chips taken, by deal and seat."""
        chips: Indexes = (self._accounts % ONE_CARD // ONE_CHIP).reshape(self.size, -1)
        return chips

    @property
    def is_choosing(self) -> bool:
        """Whether the losers of the last deals choose the colour on top, all at the same time."""
        return not self._plays

    @property
    def is_opening(self) -> Mask:
        """Whether the second card of the opening is due, by deal."""
        return np.full(self.size, self._opens())

    @property
    def over(self) -> bool:
        return bool((self.turn == GONE).all())

    @property
    def points(self) -> Points:
        """O-17."""
        values = (self._accounts % ONE_CHIP).reshape(self.size, -1)
        return values + CHIP_POINTS * self.chips

    @property
    def gains(self) -> Points:
        return -self.points

    def legal(self) -> Mask:
        """O-15; no chip in the opening (O-2b), and with `forced_play` none if a card can be laid (O-5)."""
        over = self.turn == GONE
        legal: Mask = self._owner == np.where(over, GONE - 1, self.turn).astype(np.int8)[:, None]
        if self.is_choosing:
            legal[:] = False
            legal[:, self._red : self._red + len(TOPS)] = True
            return legal
        legal &= self._tables.outranks.take(self._position(), axis=0)
        if not self._opens():
            legal[:, self._chip] = ~(over | legal.any(axis=1)) if self._forced_play else ~over
        return legal

    def step(self, actions: npt.ArrayLike) -> None:
        actions = self._as_actions(actions)
        over = self.turn == GONE
        any_over = over.any()
        if any_over:
            actions = np.where(over, self._chip, actions)
        fits = actions.view(np.uintp) < len(self.actions)
        if not fits.all():
            self._refuse(actions, fits)
        if self.is_choosing:
            fits = (actions >= self._red) & (actions < self._red + len(TOPS))
            if not fits.all():
                self._refuse(actions, fits)
            self._open(actions - self._red)
            return
        cells, chip = self._of_action + actions, actions == self._chip
        by = self._rule(actions, cells, chip, over)
        # O-4: after rule 3 the same seat goes on, but not in the opening (O-2a).
        goes_on = np.zeros(self.size, np.bool_) if self._opens() else by == SERIES
        seat = self._seat_in_turn
        self._plays.append((seat, actions.copy()))
        self._owners[cells] = GONE  # No seat owns a chip.
        accounted = self._tables.accounted.take(actions)
        if any_over:
            accounted[over] = 0
        mine = self._of_seat + seat
        account = self._accounts.take(mine) + accounted
        self._accounts[mine] = account
        self._table = np.where(chip, self._table, actions)
        self._in_a_row = (self._in_a_row + 1) * chip
        self._in_series = goes_on
        self._seat_in_turn = self._tables.next_seat.take(seat + ~goes_on)
        # O-6, O-7, O-14.
        ended = over | (account < ONE_CARD) | (self._in_a_row >= self.seats)
        self.turn = np.where(ended, GONE, self._seat_in_turn)

    def _rule(self, actions: Indexes, cells: Indexes, chip: Mask, over: Mask) -> npt.NDArray[np.int8]:
        """The rule by which each card is laid. Raises IllegalAction if a card or a chip is not legal."""
        by = self._tables.rules.reshape(-1).take(self._position() * len(self.actions) + actions)
        fits = (self._owners.take(cells) == self.turn) & (by > 0)
        if self._forced_play:
            fits |= chip & (self.legal()[:, self._chip] | over)
        elif not self._opens():
            fits |= chip
        if not fits.all():
            self._refuse(actions, fits)
        return by

    def _opens(self) -> bool:
        """Whether the second cards of the opening are due, all at the same time."""
        return len(self._plays) == 1

    def _position(self) -> Indexes:
        """The row of `rules` and `outranks` for each deal."""
        return self._top * self._cards + self._table

    def _open(self, top: Indexes) -> None:
        """O-1, O-16: the holder of the lowest card lays it, and has to lay a second card next."""
        self._top, self._table = top, self._tables.lowest.take(top)
        cells = self._of_action + self._table
        self._seat_in_turn = self._owners.take(cells).astype(np.intp)
        self._plays.append((self._seat_in_turn, self._table))
        self._owners[cells] = GONE
        self._accounts[self._of_seat + self._seat_in_turn] += self._tables.accounted.take(self._table)
        self.turn = self._seat_in_turn

    def _phases(self) -> Indexes:
        """The number of each deal's phase."""
        if self.is_choosing or self._opens():
            return np.full(self.size, TOP if self.is_choosing else OPENING)
        return np.where(self.turn == GONE, OVER, np.where(self._in_series, SERIES_ON, TURN))

    def _catch_up(self, public: Numbers) -> None:
        for field, value in (
            ("leader", self._seat_in_turn),
            ("top", self._top + 1),
            ("phase", self._phases() + 1),
            ("chips", self.chips),
            ("chips_in_a_row", self._in_a_row),
            ("sizes", self.sizes),
            ("dealer", self._dealer),
            ("forced_play", self._forced_play),
        ):
            self._write(field, value)
        self._write("table", 0)
        if not self.is_choosing:
            self._put("table", 0, self._table, 1)
        for number in range(self._observed, len(self._plays)):
            seats, actions = self._plays[number]
            rows = np.flatnonzero(actions < self._cards)
            seats, actions = seats[rows], actions[rows]
            self._put("plays", 0, actions, number + 1, rows)
            self._put("plays", 1, actions, seats + 1, rows)
            self._put("plays", 2, actions, 1, rows)
        self._observed = len(self._plays)
