"""Flat Monte Carlo in step: every action still in the race is played out from the same imagined deals, by the
hundred at a time (arena/batches). Actions then differ by what they do and not by the luck of the deal.

All seats play by advice in playouts, or now and then at random, since nobody plays quite as advised; where
there is no advice in step, always at random. An action that is surely worse than the best leaves the race.
Actions that are not advised start with a handicap.

Knows the rules in step; no clock, no wire. A playout ends with the deal.
"""

from collections.abc import Sequence
from typing import Final

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
"""An action leaves the race when the leader gains more from the same deals, by this many standard errors."""
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
        self._view = view
        self._advise = advise
        self._rng = rng
        self.legal = tuple(legal)
        numbers = {action: at for at, action in enumerate((*game.deck(view.seats), *game.words))}
        self._numbers = np.array([numbers[action] for action in legal], np.intp)
        self._advised = self.legal.index(advised)
        self.racing = np.arange(len(legal))
        """Which of `legal` are still in the race."""
        self._gains: Gains = np.zeros((0, len(legal)))
        """By imagined deal and action in the race."""
        self._left: list[tuple[Action, float]] = []
        """Those that have left it, the last one first, each with what was believed of it."""
        self.playouts = 0
        self.steps = 0
        """Of the last round."""

    def round(self, worlds: int) -> None:
        """Play every action still in the race out from so many more imagined deals."""
        gains = self._played(worlds)
        self.playouts += gains.size
        self._gains = np.concatenate((self._gains, gains))
        if len(self._gains) < FEWEST_WORLDS:
            return
        worths = self._worths()
        leader = int(worths.argmax())
        behind = self._gains[:, leader : leader + 1] - self._gains
        stays = behind.mean(axis=0) <= SURE * behind.std(axis=0) / np.sqrt(len(behind))
        stays |= worths >= worths[leader]
        for at in np.flatnonzero(~stays)[np.argsort(worths[~stays])]:
            self._left.insert(0, (self.legal[self.racing[at]], float(worths[at])))
        self.racing, self._gains = self.racing[stays], self._gains[:, stays]

    @property
    def decided(self) -> bool:
        """Whether only one action is left."""
        return len(self.racing) == 1

    @property
    def best(self) -> Action:
        """The action that is believed to gain most."""
        return self.beliefs[0][0]

    @property
    def beliefs(self) -> list[tuple[Action, float]]:
        """The actions, best first, each with its expected gain in this deal above the mean of all seats, less
        its handicap; those that have left the race behind the others."""
        worths = self._worths()
        order = np.argsort(-worths, kind="stable")
        return [*((self.legal[self.racing[at]], float(worths[at])) for at in order), *self._left]

    def _worths(self) -> Gains:
        """Of the actions in the race."""
        worlds = len(self._gains)
        doubt = np.where(self.racing == self._advised, 0.0, DOUBT)
        worths: Gains = self._gains.sum(axis=0) / max(1, worlds) - doubt * DISTRUST / np.maximum(
            1.0, worlds + doubt
        )
        return worths

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
