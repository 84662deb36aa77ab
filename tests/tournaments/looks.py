"""What a comparison says after each of many units, all at once, for simulations of many runs: the same as
`tournaments.compare.answer` asked after every unit, which test_compare.py sees to.
"""

from functools import cache
from math import inf, log
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tournaments.compare import SHARES, Question, final_radius, radius

Array: TypeAlias = NDArray[np.float64]


class Looks(NamedTuple):
    """After each unit: is the mean found to be above 0, is it found to be below, does the interval hold 0."""

    better: NDArray[np.bool_]
    worse: NDArray[np.bool_]
    holds: NDArray[np.bool_]

    @property
    def verdict(self) -> tuple[str, int]:
        """The first one, and after how many units; `undecided` after all."""
        found = self.better | self.worse
        if not found.any():
            return "undecided", len(found)
        first = int(found.argmax())
        return ("better" if self.better[first] else "not better"), first + 1


def looks(units: Array, question: Question, *, two_sided: bool = False) -> Looks:
    """What `tournaments.compare.answer` says after each of the units, all at once. `two_sided`: as verdicts
    were given before, when the interval that is shown leaves 0."""
    alpha = question.alpha
    if question.bound is not None:
        up, down = (_capital(side * units, question.bound) for side in (1, -1))
        enough, both = -log(alpha), -log(alpha / 2)
        return Looks(up >= enough, down >= enough, (up < both) & (down < both))
    count = np.arange(1, len(units) + 1)
    mean = np.cumsum(units) / count
    spread = np.sqrt(np.maximum(np.cumsum(units**2) / count - mean**2, 0))
    final = question.budget if question.final else None
    wide, narrow = (_halves(len(units), level, final) for level in (alpha, 2 * alpha))
    with np.errstate(invalid="ignore"):
        wide, narrow = (np.where(spread > 0, halves * spread, inf) for halves in (wide, narrow))
    half = wide if two_sided else narrow
    return Looks(mean > half, mean < -half, np.abs(mean) <= wide)


def _capital(units: Array, bound: float) -> Array:
    gains = np.cumsum(np.log1p(SHARES[:, None] * units / bound), axis=1)
    return np.asarray(logsumexp(gains, axis=0)) - log(len(SHARES))


@cache
def _halves(count: int, alpha: float, final: int | None) -> Array:
    return np.array(
        [
            radius(n, 1.0, alpha) if final is None else final_radius(n, 1.0, alpha, final)
            for n in range(1, count + 1)
        ]
    )
