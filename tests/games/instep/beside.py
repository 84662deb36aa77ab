"""A batch of deals beside the same deals by the plain rules, action by action: all that there is to see is
compared.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.games.game import Action, Game, Options, State
from arena.games.instep.batch import GONE, Batch
from arena.games.observation import Observation
from protocol.cards import Seat
from protocol.streams import DealSource


def started(game: Game, seats: int, options: Options, size: int, key: str, deals: int = 2) -> list[State]:
    """The beginnings of so many matches."""
    return [game.start(seats, options, deals, DealSource(f"{key}/{number}")).state for number in range(size)]


class Beside:
    """`batch` holds the deals of `states`, which are at their beginning or later."""

    def __init__(self, game: Game, batch: Batch, states: Sequence[State], *, observed: bool) -> None:
        self.game = game
        self.batch = batch
        self.states = list(states)
        self.observed = observed
        self.compared = 0
        self._deal_no = batch.match.deal_no
        self._chosen: list[dict[Seat, Action]] = [{} for _ in states]
        self._number = {action: number for number, action in enumerate(batch.actions)}
        self._observation = Observation(game, batch.seats)

    def is_over(self, state: State) -> bool:
        return not state.pending or state.deal_no != self._deal_no

    def play(self, rng: np.random.Generator) -> None:
        """Plays the deals out at random and compares all that there is to see."""
        while True:
            actions = self._compare(rng)
            if self.batch.over:
                break
            self.batch.step(actions)
            actions[:] = GONE  # A caller may use its array again.
            for deal, (state, chosen) in enumerate(zip(self.states, self._chosen, strict=True)):
                if chosen and chosen.keys() == state.pending.keys():
                    self.states[deal], self._chosen[deal] = state.apply(chosen).state, {}
        tallies = [state.tally() for state in self.states]
        np.testing.assert_array_equal(self.batch.points, [of.points[self._deal_no - 1] for of in tallies])
        np.testing.assert_array_equal(self.batch.gains, [of.gains[self._deal_no - 1] for of in tallies])

    def _compare(self, rng: np.random.Generator) -> npt.NDArray[np.intp]:
        """The actions chosen for this step."""
        expected = np.zeros((self.batch.size, len(self.batch.actions)), np.bool_)
        turn = np.full(self.batch.size, GONE)
        for deal, (state, chosen) in enumerate(zip(self.states, self._chosen, strict=True)):
            if not self.is_over(state):
                turn[deal] = next(seat for seat in state.pending if seat not in chosen)
                expected[deal, [self._number[action] for action in state.legal(turn[deal])]] = True
        np.testing.assert_array_equal(self.batch.turn, turn)
        np.testing.assert_array_equal(self.batch.legal(), expected)
        if self.observed:
            self._compare_observations(turn)
        actions = ((1 - rng.random(expected.shape)) * expected).argmax(axis=1)
        for deal in np.flatnonzero(turn != GONE).tolist():
            self._chosen[deal][int(turn[deal])] = self.batch.actions[actions[deal]]
            self.compared += 1
        return actions

    def _compare_observations(self, turn: npt.NDArray[Any]) -> None:
        seen = np.zeros((self.batch.size, self._observation.size))
        for row, state, seat in zip(seen, self.states, turn.tolist(), strict=True):
            if seat != GONE:
                row[:] = self._observation.of(state.view(seat))
        np.testing.assert_array_equal(self.batch.observe(), seen)
