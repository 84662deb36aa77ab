"""Flat Monte Carlo in step: every action still in the race is played out from the same imagined deals
(playouts.py), round by round. An action that is clearly worse than the best leaves the race. Actions that are
not advised start with a handicap.

Knows neither rules nor clock.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from arena.games.game import Action, View
from arena.players.house.playouts import WHOLE_DEAL, Gains, Playouts

DOUBT: Final = 10.0
"""The handicap: every action but the advised one begins with this many fictitious deals in which it was worse
by DISTRUST."""
DISTRUST: Final = 1.0
SURE: Final = 2.5
"""An action leaves the race if the leader gains more from the same deals by this many standard errors."""
FEWEST_WORLDS: Final = 16
"""No action leaves the race before this many imagined deals."""


class Race:
    """The race of the `legal` actions; `advised` is the one to beat. `tricks`: the most to play out."""

    def __init__(
        self,
        playouts: Playouts,
        view: View,
        legal: Sequence[Action],
        advised: Action,
        tricks: int = WHOLE_DEAL,
    ) -> None:
        self._playouts = playouts
        self._tricks = tricks
        self._view = view
        self.legal = tuple(legal)
        self._advised = self.legal.index(advised)
        self.racing = np.arange(len(legal))
        """The indices in `legal` of the actions still in the race."""
        self._gains: Gains = np.zeros((0, len(legal)))
        """By imagined deal and action in the race."""
        self._out: list[tuple[Action, float]] = []
        """The actions that have left the race, the last one first, each with its belief."""
        self.playouts = 0
        self.steps = min(tricks, len(view.hand)) * view.seats
        """The steps of the last round; before the first, about as many as it will have."""

    def round(self, worlds: int) -> None:
        """Play out every action in the race from `worlds` more imagined deals."""
        gains = self._playouts.gains(self._view, [self.legal[i] for i in self.racing], worlds, self._tricks)
        self.playouts += gains.size
        self.steps = self._playouts.steps
        self._gains = np.concatenate((self._gains, gains))
        if len(self._gains) < FEWEST_WORLDS:
            return
        worths = self._worths()
        leader = int(worths.argmax())
        worse = self._gains[:, leader : leader + 1] - self._gains
        stays = worse.mean(axis=0) <= SURE * worse.std(axis=0) / np.sqrt(len(worse))
        stays |= worths >= worths[leader]
        for i in np.flatnonzero(~stays)[np.argsort(worths[~stays])]:
            self._out.insert(0, (self.legal[self.racing[i]], float(worths[i])))
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
        its handicap; those that have left the race come after the others."""
        worths = self._worths()
        order = np.argsort(-worths, kind="stable")
        return [*((self.legal[self.racing[i]], float(worths[i])) for i in order), *self._out]

    def _worths(self) -> Gains:
        """The beliefs of the actions in the race."""
        worlds = len(self._gains)
        doubt = np.where(self.racing == self._advised, 0.0, DOUBT)
        worths: Gains = self._gains.sum(axis=0) / max(1, worlds) - doubt * DISTRUST / np.maximum(
            1.0, worlds + doubt
        )
        return worths
