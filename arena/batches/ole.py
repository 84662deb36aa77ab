"""Olé! in step. The numbers O-… are the rulings of SPEC.md."""

import functools
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from arena.batches.batch import (
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
from arena.batches.hidden import imagined_owners
from arena.games.game import Game
from arena.games.ole import (
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
from arena.learning.observation import Numbers

TOPS: Final = tuple(ORDERS)
PHASES: Final = ("top", "opening", "turn", "series", "over")
TOP, OPENING, TURN, SERIES_ON, OVER = range(len(PHASES))


class Tables(NamedTuple):
    """`outranks`, `begins_series`: by the number of a position (the colour on top and the card on the table)
    and an action. `lowest`: by the colour on top, the card that opens. `values`: by action."""

    outranks: Mask
    begins_series: Mask
    lowest: Indexes
    values: Indexes


@functools.cache
def _tables(game: Ole, seats: int) -> Tables:
    deck = game.deck(seats)
    rules = np.array([[[rule(card, table, top) for card in deck] for table in deck] for top in TOPS])
    rules = np.pad(rules.reshape(-1, len(deck)), ((0, 0), (0, len(game.words))))
    lowest = np.array([deck.index(LOWEST[top]) for top in TOPS])
    return Tables(
        rules > 0, rules == SERIES, lowest, np.pad(Deck.of(game, seats).values, (0, len(game.words)))
    )


class OleBatch(Batch):
    """Deals that end at different times: one that is over waits for the others."""

    def __init__(
        self, match: Match, owner: Owners, turn: npt.ArrayLike, dealer: npt.ArrayLike, *, forced_play: bool
    ) -> None:
        """Where the seats in `turn` have to choose the colour on top."""
        super().__init__(match, owner)
        game, seats = match.game, self.seats
        assert isinstance(game, Ole)
        self._forced_play = forced_play
        self._tables = _tables(game, seats)
        self._red = self.actions.index(TOPS[0])
        self._chip = self.actions.index(CHIP)
        self._seat_in_turn: Indexes = np.broadcast_to(turn, self.size).astype(np.intp)
        self._dealer: Indexes = np.broadcast_to(dealer, self.size).astype(np.intp)
        self._phase: Indexes = np.full(self.size, TOP)
        self._top: Indexes = np.full(self.size, GONE)
        self._table: Indexes = np.zeros(self.size, np.intp)
        self._chips: Points = np.zeros((self.size, seats), np.int64)
        self._in_a_row: Indexes = np.zeros(self.size, np.intp)
        mine = self._owner[:, :, None] == np.arange(seats)
        self._sizes: Indexes = mine.sum(axis=1)
        self._values: Points = (mine * self._tables.values[:, None]).sum(axis=1)
        """By deal and seat, the sum of the values in hand."""
        self._plays: list[tuple[Indexes, Indexes, Indexes]] = []
        """Of each step, the deals that were not over, their seats and their actions; the cards that open are
        a step of their own."""
        self._told = 0
        self.turn = self._seat_in_turn

    @classmethod
    def _first(cls, match: Match, size: int, rng: np.random.Generator) -> Self:
        """O-1: red is on top. O-12: the dealer is drawn by lot."""
        assert isinstance(match.options, OleOptions)
        owner = dealt(len(match.game.deck(match.seats)), match.seats, size, rng)
        dealer = rng.integers(match.seats, size=size)
        batch = cls(match, owner, 0, dealer, forced_play=match.options.forced_play)
        batch._open(np.zeros(size, np.intp))
        return batch

    @classmethod
    def imagine(cls, game: Game, view: Any, size: int, rng: np.random.Generator, *, copies: int = 1) -> Self:
        deck = game.deck(view.seats)
        seen = [play.action for play in view.plays if play.action != CHIP]
        barred = barred_by_chips(view, deck)
        owner = imagined_owners(view.seat, view.hand, view.sizes, deck, [seen], barred, size, rng)
        return cls._shown(game, np.repeat(owner, copies, axis=0), [view])

    @classmethod
    def of(cls, game: Game, states: Sequence[OleState]) -> Self:
        # The number of plays stands in observations.
        alike(game, states, lambda state: (state.phase == "top", len(state.plays)))
        return cls._shown(game, held(game, states), [state.view(0) for state in states])

    @classmethod
    def _shown(cls, game: Game, owner: Owners, views: Sequence[OleView]) -> Self:
        """A batch with these hands, and all else as these views show it, or one view of all."""
        first, size = views[0], len(owner)
        totals = np.empty((size, first.seats), np.int64)
        totals[:] = [view.points for view in views]
        match = Match.of_view(game, first, size)._replace(totals=totals)
        turn, dealer = [view.leader for view in views], [view.dealer for view in views]
        batch = cls(match, owner, turn, dealer, forced_play=first.forced_play)
        place = {action: at for at, action in enumerate(batch.actions)}
        batch._phase[:] = [PHASES.index(view.phase) for view in views]
        batch._top[:] = [GONE if view.top is None else TOPS.index(view.top) for view in views]
        batch._table[:] = [0 if view.table is None else place[view.table] for view in views]
        batch._chips[:] = [view.chips for view in views]
        batch._in_a_row[:] = [view.chips_in_a_row for view in views]
        for number in range(max(len(view.plays) for view in views)):
            rows = [at for at, view in enumerate(views) if number < len(view.plays)]
            plays = [views[row].plays[number] for row in rows]
            deals = np.array(rows, np.intp) if len(views) == size else batch._row
            seats, actions = np.empty(len(deals), np.intp), np.empty(len(deals), np.intp)
            seats[:], actions[:] = [play.seat for play in plays], [place[play.action] for play in plays]
            batch._plays.append((deals, seats, actions))
        batch.turn = np.where(batch._phase == OVER, GONE, batch._seat_in_turn)
        return batch

    def following(self, rng: np.random.Generator) -> Self:
        """O-10, O-12: the loser chooses the colour on top."""
        self._require_next()
        match, seats, points = self.match, self.seats, self.points
        totals, dealer = match.totals + points, (self._dealer + 1) % seats
        after = (dealer[:, None] + np.arange(1, seats + 1)) % seats
        lost = np.take_along_axis(points * (totals.max() + 1) + totals, after, axis=1).argmax(axis=1)
        chooser = after[self._row, lost]
        match = match._replace(deal_no=match.deal_no + 1, totals=totals)
        owner = dealt(self._cards, seats, self.size, rng)
        return type(self)(match, owner, chooser, dealer, forced_play=self._forced_play)

    @property
    def top(self) -> Indexes:
        """By deal, the colour on top, as a number in ORDERS; GONE before it is chosen."""
        return self._top

    @property
    def table(self) -> Indexes:
        """By deal, the card on the table, when there is one."""
        return self._table

    @property
    def sizes(self) -> Indexes:
        """By deal and seat, the cards in hand."""
        return self._sizes.copy()

    @property
    def is_opening(self) -> Mask:
        """By deal, whether the second card of the opening is due."""
        opening: Mask = self._phase == OPENING
        return opening

    @property
    def over(self) -> bool:
        return bool((self._phase == OVER).all())

    @property
    def points(self) -> Points:
        """O-17."""
        return self._values + CHIP_POINTS * self._chips

    @property
    def gains(self) -> Points:
        return -self.points

    def legal(self) -> Mask:
        """O-15; no chip in the opening (O-2b); with `forced_play` none where a card can be laid (O-5)."""
        legal: Mask = self._owner == self.turn.astype(np.int8)[:, None]
        if self.is_choosing:
            legal[:] = False
            legal[:, self._red : self._red + len(TOPS)] = True
            return legal
        legal &= self._tables.outranks.take(self._position(), axis=0)
        chip = self._phase > OPENING
        if self._forced_play:
            chip &= ~legal.any(axis=1)
        legal[:, self._chip] = chip
        legal[self._phase == OVER] = False
        return legal

    def step(self, actions: npt.ArrayLike) -> None:
        actions = self._as_actions(actions)
        over = self._phase == OVER
        if over.any():
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
        position, chip = self._position(), actions == self._chip
        at = self._of_action + actions
        fits = (self._owners.take(at) == self.turn) & self._of(self._tables.outranks, position, actions)
        fits |= self._may_take_chip() & chip | over
        if not fits.all():
            self._refuse(actions, fits)
        self._note(over, actions)
        seat = self._seat_in_turn
        mine = self._of_seat + seat
        laid = ~chip
        self._owners[at] = GONE  # No seat owns a chip.
        self._chips.reshape(-1)[mine] += chip & ~over
        self._sizes.reshape(-1)[mine] -= laid
        self._values.reshape(-1)[mine] -= self._tables.values.take(actions)
        self._in_a_row = np.where(laid, 0, self._in_a_row + 1)
        # O-4: by rule 3 the same seat goes on, but not in the opening (O-2a).
        goes_on = self._of(self._tables.begins_series, position, actions) & (self._phase != OPENING)
        self._table = np.where(laid, actions, self._table)
        following = seat + 1
        following[following == self.seats] = 0
        self._seat_in_turn = np.where(goes_on, seat, following)
        # O-6, O-7, O-14.
        ended = over | (self._sizes.reshape(-1).take(mine) == 0) | (self._in_a_row >= self.seats)
        self._phase = np.where(ended, OVER, np.where(goes_on, SERIES_ON, TURN))
        self.turn = np.where(ended, GONE, self._seat_in_turn)

    @property
    def is_choosing(self) -> bool:
        """Whether the losers of the last deals choose the colour on top, as they do at the same time."""
        return bool(self.size) and self._phase[0] == TOP

    def _position(self) -> Indexes:
        """The row of the tables by action."""
        return self._top * self._cards + self._table

    def _of(self, table: Mask, position: Indexes, actions: Indexes) -> Mask:
        return table.reshape(-1).take(position * len(self.actions) + actions)

    def _may_take_chip(self) -> Mask:
        if not self._forced_play:
            return self._phase > OPENING
        return self.legal()[:, self._chip]

    def _open(self, top: Indexes) -> None:
        """O-1, O-16: the holder of the lowest card lays it, and has to lay a second card next."""
        self._top, self._table = top, self._tables.lowest.take(top)
        at = self._of_action + self._table
        self._seat_in_turn = self._owners.take(at).astype(np.intp)
        self._note(np.zeros(self.size, np.bool_), self._table)
        self._owners[at] = GONE
        mine = self._of_seat + self._seat_in_turn
        self._sizes.reshape(-1)[mine] -= 1
        self._values.reshape(-1)[mine] -= self._tables.values.take(self._table)
        self._phase = np.full(self.size, OPENING)
        self.turn = self._seat_in_turn

    def _note(self, over: Mask, actions: Indexes) -> None:
        rows = np.flatnonzero(~over) if over.any() else self._row
        self._plays.append((rows, self._seat_in_turn[rows], actions[rows]))

    def _catch_up(self, public: Numbers) -> None:
        for field, value in (
            ("leader", self._seat_in_turn),
            ("top", self._top + 1),
            ("phase", self._phase + 1),
            ("chips", self._chips),
            ("chips_in_a_row", self._in_a_row),
            ("sizes", self._sizes),
            ("dealer", self._dealer),
            ("forced_play", self._forced_play),
        ):
            self._write(field, value)
        self._write("table", 0)
        if not self.is_choosing:
            self._put("table", 0, self._table, 1)
        for number in range(self._told, len(self._plays)):
            rows, seats, actions = self._plays[number]
            cards = actions < self._cards
            rows, seats, actions = rows[cards], seats[cards], actions[cards]
            self._put("plays", 0, actions, number + 1, rows)
            self._put("plays", 1, actions, seats + 1, rows)
            self._put("plays", 2, actions, 1, rows)
        self._told = len(self._plays)
