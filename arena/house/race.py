"""Flat Monte Carlo in step: every action still in the race is played out from the same imagined deals, by the
hundred at a time (arena/batches). Actions then differ by what they do and not by the luck of the deal.

All seats play by advice in playouts, or now and then at random, since nobody plays quite as advised; where
there is no advice in step, always at random. An action that is surely worse than the best leaves the race.
Actions that are not advised start with a handicap.

Knows the rules in step; no clock, no wire. A playout ends with the deal.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from arena.batches.advice import AdviseInStep
from arena.batches.batch import GONE, Batch, Indexes
from arena.games.game import Action, Game, View

ERRORS: Final = 0.1
"""The share of random actions in playouts that follow advice."""
DOUBT: Final = 10.0
"""The handicap: every action but the advised one begins with this many imaginary deals in which it was worse
by DISTRUST."""
DISTRUST: Final = 1.0
SURE: Final = 2.5
"""An action leaves the race when it is worse than the best by this many standard errors."""
FEWEST_WORLDS: Final = 16
"""No action leaves the race before this many imagined deals."""

Gains = npt.NDArray[np.float64]


class Race:
    """The race of the actions of `view.seat` among `legal`, of which `advised` is the one to beat. `kind` are
    the game's rules in step."""

    def __init__(
        self,
        game: Game,
        kind: type[Batch],
        view: View,
        legal: Sequence[Action],
        advised: Action,
        advise: AdviseInStep | None,
        rng: np.random.Generator,
    ) -> None:
        self._game = game
        self._kind = kind
        # As if this deal were the last one: then a playout ends with it.
        self._view = msgspec.structs.replace(view, deals=view.deal_no)
        self._advise = advise
        self._rng = rng
        self.legal = tuple(legal)
        numbers = {action: at for at, action in enumerate((*game.deck(view.seats), *game.words))}
        self._numbers = np.array([numbers[action] for action in legal], np.intp)
        self._advised = self.legal.index(advised)
        self.racing = np.arange(len(legal))
        """Which of `legal` are still in the race."""
        self._worlds = np.zeros(len(legal))
        self._sums = np.zeros(len(legal))
        """Over its deals, how much more each action gained than the advised one."""
        self._squares = np.zeros(len(legal))
        self._level = 0.0
        self.playouts = 0
        self.steps = 0
        """Of the last round."""

    def round(self, worlds: int) -> None:
        """Play every action still in the race out from so many more imagined deals."""
        gains = self._played(worlds)
        own = int(np.flatnonzero(self.racing == self._advised)[0])
        ahead = gains - gains[:, own : own + 1]
        self._level += gains[:, own].sum()
        self._worlds[self.racing] += worlds
        self._sums[self.racing] += ahead.sum(axis=0)
        self._squares[self.racing] += (ahead**2).sum(axis=0)
        self.playouts += gains.size
        if self._worlds[self._advised] >= FEWEST_WORLDS:
            at_most = self._mean() + SURE * self.errors()
            stays = at_most >= self.ahead().max()
            stays[self._advised] = True  # The others are compared with it.
            self.racing = self.racing[stays[self.racing]]

    @property
    def decided(self) -> bool:
        """Whether only one action is left."""
        return len(self.racing) == 1

    def ahead(self) -> Gains:
        """By action, how much more it gains than the advised one, handicap included."""
        doubt = np.where(np.arange(len(self.legal)) == self._advised, 0.0, DOUBT)
        return (self._sums - doubt * DISTRUST) / np.maximum(1.0, self._worlds + doubt)

    def errors(self) -> Gains:
        """By action, the standard error of how much more it gains than the advised one."""
        worlds = np.maximum(1.0, self._worlds)
        variance = np.maximum(0.0, self._squares / worlds - self._mean() ** 2)
        return np.sqrt(variance / worlds)

    @property
    def best(self) -> Action:
        """The action that is believed to gain most."""
        return self.beliefs[0][0]

    @property
    def beliefs(self) -> list[tuple[Action, float]]:
        """The actions, best first, each with its expected gain in this deal above the mean of all seats."""
        level = self._level / max(1.0, self._worlds[self._advised])
        ahead = self.ahead()
        return [(self.legal[at], float(level + ahead[at])) for at in np.argsort(-ahead, kind="stable")]

    def _mean(self) -> Gains:
        return self._sums / np.maximum(1.0, self._worlds)

    def _played(self, worlds: int) -> Gains:
        """By imagined deal and action in the race, the gain above the mean of all seats."""
        seat, racing = self._view.seat, self._numbers[self.racing]
        batch = self._kind.imagine(self._game, self._view, worlds, self._rng, copies=len(racing))
        ours = np.tile(racing, worlds)
        chosen, self.steps = False, 0
        while not batch.over:
            if not chosen and batch.turn[0] == seat:
                actions, chosen = ours, True
            else:
                actions = self._policy(batch)
                if not chosen:  # Others choose in secret before it: alike in all copies of a deal.
                    actions = np.repeat(actions[:: len(racing)], len(racing))
            batch.step(actions)
            self.steps += 1
        gains = batch.gains
        above: Gains = (gains[:, seat] - gains.mean(axis=1)).reshape(worlds, len(racing))
        return above

    def _policy(self, batch: Batch) -> Indexes:
        if self._advise is None:
            return batch.at_random(self._rng)
        actions = self._advise(batch)
        errors = np.flatnonzero((self._rng.random(batch.size) < ERRORS) & (batch.turn != GONE))
        if len(errors):
            actions[errors] = batch.at_random(self._rng, errors)
        return actions
