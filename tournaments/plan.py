"""How many rounds or deals a wished margin takes: said before a tournament is played.

An entrant's gain in a deal, over all its seatings, has a standard deviation s; after r rounds of d deals its
95 % interval is t(u − 1) · s / √(r d) either way, by Student's t for u independent units: the r d deals, or
the r pods where deals depend on each other. An s measured in a tournament contains what adjusting for
opponents costs.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from math import inf, sqrt
from typing import Final, NamedTuple

import numpy as np
from scipy.special import stdtrit

from tournaments.results import MatchResult
from tournaments.statistics import CONFIDENCE, FEWEST_CLUSTERS, Unit, fitted, rounded, rows_of

MOST: Final = 1_000_000
"""Nobody plays more rounds, or more deals in a match."""


class Spread(NamedTuple):
    """deviation: the standard deviation of a bot's gain in a deal over all its seatings, such that the mean
    of n deals has 1/√n of it. unit: what is independent."""

    deviation: float
    unit: Unit = "deal"


def margin_after(rounds: int, deals: int, spread: Spread) -> float:
    """Half the interval, in gain per deal; ∞ below FEWEST_CLUSTERS units."""
    units = rounds * deals if spread.unit == "deal" else rounds
    if units < FEWEST_CLUSTERS:
        return inf
    quantile = float(stdtrit(units - 1, (1 + CONFIDENCE) / 2))
    return quantile * spread.deviation / sqrt(rounds * deals)


def rounds_for(margin: float, deals: int, spread: Spread) -> int | None:
    """The fewest rounds of so many deals after which the interval is `margin` either way, or less; None
    where MOST will not do."""
    return _fewest(margin, lambda rounds: margin_after(rounds, deals, spread))


def deals_for(margin: float, rounds: int, spread: Spread) -> int | None:
    """The same with the fewest deals in each of so many rounds."""
    return _fewest(margin, lambda deals: margin_after(rounds, deals, spread))


def _fewest(margin: float, after: Callable[[int], float]) -> int | None:
    """`after` never rises."""
    least = 1 + bisect_left(range(1, MOST + 1), True, key=lambda number: after(number) <= margin)
    return least if least <= MOST else None


def measured_deviation(
    results: Iterable[MatchResult],
    entrants: Collection[str],
    withdrawn: Collection[str] = (),
    *,
    unit: Unit = "deal",
) -> float | None:
    """A deal's, as in Spread: from the standard errors that a tournament ended with and the deals of each
    ranked entrant; None where there is no interval."""
    results = list(results)
    ranked = set(entrants) - set(withdrawn)
    fit = fitted(rows_of(results, entrants, unit), ranked)
    of = [at for at, name in enumerate(fit.names) if name in ranked and fit.sure[at]]
    if not of:
        return None
    deals = Counter(who for who, _ in {(row.who, row.cluster) for row in rows_of(results, entrants, "deal")})
    played = np.array([deals[fit.names[at]] for at in of])
    return rounded(float(np.mean(fit.covariance.diagonal()[of] * played)) ** 0.5)
