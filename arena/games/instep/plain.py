"""Any game in a batch, by its plain rules, one deal after the other: for games without rules in step. It does
the same, but more slowly.
"""

from collections.abc import Sequence
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from arena.games.game import Action, Game, State
from arena.games.instep.batch import GONE, Batch, Mask, Match, Points, alike, held
from arena.games.observation import NUMBER, Numbers, Observation
from protocol.cards import Seat
from protocol.streams import DealSource, Stream

KEY_BYTES: Final = 16


class PlainBatch(Batch):
    """Points of a deal that is not over are 0."""

    def __init__(self, match: Match, states: Sequence[State]) -> None:
        super().__init__(match, held(match.game, states))
        self._states = list(states)
        self._chosen: list[dict[Seat, Action]] = [{} for _ in states]
        self._number = {action: number for number, action in enumerate(self.actions)}
        self._find_turn()

    @classmethod
    def _first(cls, match: Match, size: int, rng: np.random.Generator) -> Self:
        game, seats, options, deals = match.game, match.seats, match.options, match.deals
        keys = [rng.bytes(KEY_BYTES).hex() for _ in range(size)]
        return cls(match, [game.start(seats, options, deals, DealSource(key)).state for key in keys])

    @classmethod
    def imagine(cls, game: Game, view: Any, size: int, rng: np.random.Generator, *, copies: int = 1) -> Self:
        stream = Stream(rng.bytes(KEY_BYTES).hex())
        imagined = [game.imagine(view, stream) for _ in range(size)]
        return cls.of(game, [state for state in imagined for _ in range(copies)])

    @classmethod
    def of(cls, game: Game, states: Sequence[State]) -> Self:
        return cls(alike(game, states, lambda state: None), states)

    def following(self, rng: np.random.Generator) -> Self:
        """The matches have decided the cards already."""
        self._require_next()
        totals = np.array([state.view(0).points for state in self._states], np.int64)
        return type(self)(self.match._replace(deal_no=self.match.deal_no + 1, totals=totals), self._states)

    @property
    def over(self) -> bool:
        return bool((self.turn == GONE).all())

    def hands(self) -> Mask:
        hands = np.zeros((self.size, self._cards), np.bool_)
        for row, state, turn in zip(hands, self._states, self.turn.tolist(), strict=True):
            if turn != GONE:
                row[[self._number[card] for card in state.hands[turn]]] = True
        return hands

    def legal(self) -> Mask:
        legal = np.zeros((self.size, len(self.actions)), np.bool_)
        for row, state, turn in zip(legal, self._states, self.turn.tolist(), strict=True):
            if turn != GONE:
                row[[self._number[action] for action in state.legal(turn)]] = True
        return legal

    def step(self, actions: npt.ArrayLike) -> None:
        actions = self._as_actions(actions)
        over = self.turn == GONE
        known = over | ((actions >= 0) & (actions < len(self.actions)))
        fits = known & (over | self.legal()[self._row, np.where(known & ~over, actions, 0)])
        if not fits.all():
            self._refuse(actions, fits)
        for deal in np.flatnonzero(~over).tolist():
            state, chosen = self._states[deal], self._chosen[deal]
            chosen[int(self.turn[deal])] = self.actions[actions[deal]]
            if chosen.keys() == state.pending.keys():
                self._states[deal], self._chosen[deal] = state.apply(chosen).state, {}
        self._find_turn()

    @property
    def points(self) -> Points:
        return self._tallied("points")

    @property
    def gains(self) -> Points:
        return self._tallied("gains")

    def observe(self) -> Numbers:
        observation = Observation(self.match.game, self.seats)
        observed = np.zeros((self.size, observation.size), NUMBER)
        for row, state, turn in zip(observed, self._states, self.turn.tolist(), strict=True):
            if turn != GONE:
                row[:] = observation.of(state.view(turn))
        return observed

    def _find_turn(self) -> None:
        self.turn = np.array(
            [
                GONE if self._is_over(state) else next(seat for seat in state.pending if seat not in chosen)
                for state, chosen in zip(self._states, self._chosen, strict=True)
            ],
            np.intp,
        )

    def _is_over(self, state: State) -> bool:
        return not state.pending or state.deal_no != self.match.deal_no

    def _counts(self, state: State) -> bool:
        """Whether this deal was played, and is over."""
        return self._is_over(state) and state.deal_no >= self.match.deal_no

    def _tallied(self, what: str) -> Points:
        nothing = (0,) * self.seats
        return np.array(
            [
                getattr(state.tally(), what)[self.match.deal_no - 1] if self._counts(state) else nothing
                for state in self._states
            ],
            np.int64,
        )
