"""Matches in step for learning: observations, masks and rewards as numpy arrays, a row for each match.

    observation   what the seat in turn may know, as numbers (arena/games/observation.py)
    mask          the actions that it may choose
    reward        by seat, its gain in a deal, in the step that ends the deal; else 0

The numbers are those of the PettingZoo environments (environment.py), which play one match. Matches wait for
each other at the end of a deal. Knows no bots."""

import secrets
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.games import registry
from arena.games.agreed import SomeOptions, agreed
from arena.games.game import Action
from arena.games.instep.batch import GONE, Batch, Indexes, Mask
from arena.games.instep.registered import IN_STEP, batch_for, in_step
from arena.games.named import named, of_name
from arena.games.observation import Numbers, Observation
from arena.system.errors import UserError

SEED_BITS: Final = 128
Rewards: TypeAlias = npt.NDArray[np.float32]


class BatchStep(NamedTuple):
    """What follows a step; arrays have a row for each match."""

    observation: Numbers
    mask: Mask
    turn: Indexes
    """The seat that chooses next; -1 while the match waits or is over: then its rows of `observation` and
    `mask` are zeros, and its action is ignored."""
    rewards: Rewards
    """By match and seat."""
    done: bool
    """Whether all matches are over."""


class Environments:
    """`size` matches. `deals` and `options` as in `arena match`. A copy, by `copy.deepcopy` or by `pickle` in
    another process, continues like the original. Raises ValueError for an unknown game, or if the game cannot
    be played so."""

    def __init__(
        self,
        game: str = "sticheln",
        seats: int = 4,
        size: int = 1024,
        deals: int | None = None,
        options: SomeOptions | None = None,
    ) -> None:
        try:
            self.game = registry.game(game)
        except UserError as error:
            raise ValueError(str(error)) from None
        self.deals, self.options = agreed(self.game, seats, deals, options)
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"size={size!r}: expected a whole number of matches, at least 1")
        self.size = size
        self.seats = seats
        self.actions: tuple[Action, ...] = (*self.game.deck(seats), *self.game.words)
        self.layout = Observation(self.game, seats).layout
        """The part of an observation that each field of a view takes."""
        self._rng = np.random.default_rng(secrets.randbits(SEED_BITS))
        self._batch = self._dealt()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "game": named(self.game)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= {**state, "game": of_name(state["game"])}

    def reset(self, seed: int | None = None) -> BatchStep:
        """Begin new matches. A seed determines a sequence of them and begins its first; a call without a seed
        begins the next of the sequence."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._batch = self._dealt()
        return self._seen(np.zeros((self.size, self.seats), np.float32))

    def step(self, actions: npt.ArrayLike) -> BatchStep:
        """In every match the seat in turn chooses the action with this number. Raises IllegalAction, and
        changes nothing, if one is not legal."""
        before = self._batch.turn
        self._batch.step(actions)
        rewards = np.zeros((self.size, self.seats), np.float32)
        ended = (self._batch.turn == GONE) & (before != GONE)
        if ended.any():
            rewards[ended] = self._batch.gains[ended]
        while self._batch.over and self._batch.match.deal_no < self._batch.match.deals:
            self._batch = self._batch.following(self._rng)
        return self._seen(rewards)

    def advised(self) -> Indexes:
        """What the arena's own advice chooses for the seat in turn of each match: an opponent, or a teacher.
        Raises UserError for a game without advice in step."""
        advise = in_step(self.game).advise
        if advise is None:
            raise UserError(
                f"{self.game.id} has no advice in step; these games have it: {', '.join(IN_STEP)}"
            )
        return advise(self._batch)

    def _dealt(self) -> Batch:
        kind = batch_for(self.game, self.options)
        return kind.start(self.game, self.seats, self.size, self._rng, deals=self.deals, options=self.options)

    def _seen(self, rewards: Rewards) -> BatchStep:
        batch = self._batch
        return BatchStep(batch.observe(), batch.legal(), batch.turn.copy(), rewards, batch.over)
