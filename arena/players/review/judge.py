"""What a choice cost: the expected gain of the best action that a search finds, less that of the action that
was played.

Two steps, so that the cost is not overstated: a race finds an action that looks better than the one played,
and then only these two are played out from imagined deals that the race has not seen. Whoever picks the best
of many by its luck and reports that luck sees costs where there are none.

Knows the view of the seat and nothing else of the match. A seed and the choice decide the result.
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
"""Imagined deals of the race; fewer if one action is surely best before."""
ROUND: Final = 64
"""Imagined deals of one round."""
LARGE_ROUND: Final = 512
MOST_WORLDS: Final = 8 * LARGE_ROUND
"""Imagined deals from which the two actions are played out; fewer if the cost is known well enough before."""
ERRORS_FOR_SURE: Final = 2.0
"""A choice surely costs something if its cost is above 0 by more than so many standard errors."""
NEGLIGIBLE: Final = 1e-9
"""Points: what sums of equal numbers may differ by."""
GOOD_ERROR: Final = 0.15
"""A standard error, in points, that is good enough."""


class Judge:
    """Judges choices in one game. `effort` multiplies the numbers of imagined deals."""

    def __init__(self, game: Game, seed: str = "", effort: int = 1) -> None:
        self._game = game
        self._seed = seed
        self._effort = effort

    def judged(self, choice: Choice) -> JudgedChoice:
        """What it cost."""
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
        """The best action; the one that was played has the benefit of the doubt."""
        race = Race(playouts, choice.view, choice.legal, choice.played)
        for _ in range(self._effort * RACE_WORLDS // ROUND):
            race.round(ROUND)
            if race.decided:
                break
        return race.best

    def _cost(self, playouts: Playouts, choice: Choice, better: Action) -> tuple[float, float]:
        """How much more the better action gains, in points, and the standard error of that."""
        gains = np.zeros((0, 2))
        error = np.inf
        while len(gains) < self._effort * MOST_WORLDS and error > GOOD_ERROR / np.sqrt(self._effort):
            more = playouts.gains(choice.view, (better, choice.played), LARGE_ROUND)
            gains = np.concatenate((gains, more))
            error = float((gains[:, 0] - gains[:, 1]).std(ddof=1) / np.sqrt(len(gains)))
        cost = float((gains[:, 0] - gains[:, 1]).mean())
        return (0.0 if abs(cost) < NEGLIGIBLE else cost), (0.0 if error < NEGLIGIBLE else error)
