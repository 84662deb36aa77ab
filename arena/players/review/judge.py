"""What a choice cost: the expected gain of the best action that a search finds, less that of the action that
was played.

It takes two steps, so as not to overstate the cost: a race finds an action that looks better than the one
played; then only these two are played out from new imagined deals. The winner of a race is partly lucky, and
its gain in the race would count that luck as a cost.

Knows only the seat's view of the match. A seed and the choice decide the result.
"""

import hashlib
from typing import Final

import numpy as np

from arena.games.game import Action, Game
from arena.players.house.playouts import Playouts
from arena.players.house.race import Race
from arena.players.review.choices import Choice
from arena.players.review.judged import JudgedChoice, PlayedChoice

RACE_WORLDS: Final = 256
"""The number of imagined deals in the race; fewer if one action is clearly best before."""
ROUND: Final = 64
"""The number of imagined deals in one round."""
LARGE_ROUND: Final = 512
MOST_WORLDS: Final = 8 * LARGE_ROUND
"""The number of imagined deals from which the two actions are played out; fewer if GOOD_ERROR is reached."""
ERRORS_FOR_SURE: Final = 2.0
"""A choice surely costs something if its cost is above 0 by more than this many standard errors."""
NEGLIGIBLE: Final = 1e-9
"""Sums of equal numbers may differ by this, in points."""
GOOD_ERROR: Final = 0.15
"""A standard error, in points, that is small enough."""


class Judge:
    """Judges choices in one game. `effort` multiplies the numbers of imagined deals."""

    def __init__(self, game: Game, seed: str = "", effort: int = 1) -> None:
        self._game = game
        self._seed = seed
        self._effort = effort

    def judged(self, choice: Choice) -> JudgedChoice:
        key = f"arena1/review/{self._seed}/{choice.match}/{choice.seat}/{choice.request}"
        rng = np.random.default_rng(list(hashlib.sha256(key.encode()).digest()))
        playouts = Playouts(self._game, rng)
        better = self._raced(playouts, choice)
        cost, error = (0.0, 0.0) if better == choice.played else self._cost(playouts, choice, better)
        return JudgedChoice(
            **{name: getattr(choice, name) for name in PlayedChoice.__struct_fields__},
            better=better,
            cost=cost,
            error=error,
            sure=cost > ERRORS_FOR_SURE * error,
        )

    def _raced(self, playouts: Playouts, choice: Choice) -> Action:
        """The best action. The one that was played has the benefit of the doubt."""
        race = Race(playouts, choice.view, choice.legal, choice.played)
        for _ in range(self._effort * RACE_WORLDS // ROUND):
            race.round(ROUND)
            if race.decided:
                break
        return race.best

    def _cost(self, playouts: Playouts, choice: Choice, better: Action) -> tuple[float, float]:
        """How much more the better action gains, and the standard error of that, both in points."""
        gains = np.zeros((0, 2))
        error = np.inf
        while len(gains) < self._effort * MOST_WORLDS and error > GOOD_ERROR / np.sqrt(self._effort):
            more = playouts.gains(choice.view, (better, choice.played), LARGE_ROUND)
            gains = np.concatenate((gains, more))
            error = float((gains[:, 0] - gains[:, 1]).std(ddof=1) / np.sqrt(len(gains)))
        cost = float((gains[:, 0] - gains[:, 1]).mean())
        return (0.0 if abs(cost) < NEGLIGIBLE else cost), (0.0 if error < NEGLIGIBLE else error)
