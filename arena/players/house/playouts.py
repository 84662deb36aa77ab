"""Playouts in step: actions of one seat, all played out from the same imagined deals, hundreds at a time
(arena/games/instep). So they differ by what they do, and not by the luck of the deal. If there is a model of
players, deals that explain the other seats' decisions are imagined more often.

All seats play by advice, and now and then at random, since nobody plays exactly as advised; always at random
if there is no advice in step, or it does not help. A playout ends with the deal or, in games that count
points with each trick, after some tricks.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from arena.games.game import Action, Game, View
from arena.games.instep.batch import GONE, Batch, Indexes
from arena.games.instep.decisions import Decisions
from arena.games.instep.registered import in_step
from arena.games.instep.tricks import TrickBatch
from arena.games.instep.weighted import imagine

ERRORS: Final = 0.1
"""The share of random actions in playouts that follow advice."""

AT_RANDOM: Final = ("david-and-goliath",)
"""The playouts of these games are random although there is advice in step. The advice for David & Goliath
takes three times as long as a random card, and with 50 ms for a decision it did not improve the search:
-1.8 +/- 1.4 points a deal on a busy machine, +0.9 +/- 1.5 when only processor time counted."""

WHOLE_DEAL: Final = 1000
"""More tricks than any deal has."""

Gains = npt.NDArray[np.float64]


class Playouts:
    """Playouts of one game, decided by `rng`. `steps`: the number of steps that the last ones took."""

    def __init__(self, game: Game, rng: np.random.Generator) -> None:
        self.steps = 0
        self._game = game
        self._kind, advise, self._decisions_of = in_step(game)
        self._advise = None if game.id in AT_RANDOM else advise
        self._seen: tuple[View, Decisions | None] | None = None
        self._rng = rng

    def gains(self, view: View, actions: Sequence[Action], worlds: int, tricks: int = WHOLE_DEAL) -> Gains:
        """What `view.seat` gains above the mean of all in `tricks` tricks, by imagined deal and action."""
        numbers = {action: i for i, action in enumerate((*self._game.deck(view.seats), *self._game.words))}
        decisions, copies = self._decisions(view), len(actions)
        batch = imagine(self._kind, self._game, view, decisions, worlds, self._rng, copies=copies)
        ours = np.tile(np.array([numbers[action] for action in actions], np.intp), worlds)
        chosen, self.steps = False, 0
        while not batch.over:
            if self.steps >= tricks * view.seats and isinstance(batch, TrickBatch) and not len(batch.trick):
                break
            if not chosen and batch.turn[0] == view.seat:
                played, chosen = ours, True
            else:
                played = self._policy(batch)
                if not chosen:  # Others choose in secret before it: the same in all copies of a deal.
                    played = np.repeat(played[:: len(actions)], len(actions))
            batch.step(played)
            self.steps += 1
        gains = batch.gains
        above: Gains = (gains[:, view.seat] - gains.mean(axis=1)).reshape(worlds, len(actions))
        return above

    def _decisions(self, view: View) -> Decisions | None:
        """The other seats' decisions, computed once for all rounds of a race."""
        if self._decisions_of is None:
            return None
        if self._seen is None or self._seen[0] is not view:
            self._seen = view, self._decisions_of(self._game, view)
        return self._seen[1]

    def _policy(self, batch: Batch) -> Indexes:
        if self._advise is None:
            return batch.at_random(self._rng)
        actions = self._advise(batch)
        errors = np.flatnonzero((self._rng.random(batch.size) < ERRORS) & (batch.turn != GONE))
        if len(errors):
            actions[errors] = batch.at_random(self._rng, errors)
        return actions
