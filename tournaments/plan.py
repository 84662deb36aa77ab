"""How many deals a wished margin takes: said before a tournament is played.

An entrant's gain per deal, over all seatings, has a standard deviation s; after n deals its 95 % interval is
t(n − 1) · s / √n either way. Adjusting for opponents and adaptive drawing widen that a little, which an s
measured in a tournament contains (the first) or does not (the second).
"""

from collections.abc import Collection, Iterable
from math import ceil, sqrt

import msgspec
import numpy as np
from scipy.special import ndtri, stdtrit

from tournaments.results import MatchResult
from tournaments.statistics import CONFIDENCE, FEWEST_CLUSTERS, Unit, fitted, rounded, rows_of


class Plan(msgspec.Struct, frozen=True):
    """units: deals over all seatings (or pods, where deals depend on each other) that each entrant plays.
    rounds: of `per_round` units each. margin: what that many rounds give, at most the wished one."""

    units: int
    rounds: int
    margin: float


def plan(margin: float, deviation: float, per_round: int) -> Plan:
    """The fewest units and rounds after which the interval is `margin` either way, or less, when a unit's
    gain has that standard deviation."""
    if not (margin > 0 and deviation >= 0 and per_round >= 1):
        raise ValueError(f"a margin of {margin}, a deviation of {deviation}, {per_round} a round")
    units = max(FEWEST_CLUSTERS, ceil((ndtri((1 + CONFIDENCE) / 2) * deviation / margin) ** 2))
    while margin_after(units, deviation) > margin:
        units += 1
    rounds = -(-units // per_round)
    return Plan(units, rounds, rounded(margin_after(rounds * per_round, deviation)))


def margin_after(units: int, deviation: float) -> float:
    quantile = float(stdtrit(units - 1, (1 + CONFIDENCE) / 2))
    return quantile * deviation / sqrt(units)


def measured_deviation(
    results: Iterable[MatchResult],
    entrants: Collection[str],
    withdrawn: Collection[str] = (),
    *,
    unit: Unit = "deal",
) -> float | None:
    """A unit's standard deviation, from the standard errors that a tournament ended with and the clusters of
    each entrant; None where there is no interval."""
    ranked = set(entrants) - set(withdrawn)
    fit = fitted(rows_of(results, entrants, unit), ranked)
    of = np.array([name in ranked for name in fit.names], dtype=bool) & fit.sure
    if not of.any():
        return None
    return rounded(float(np.mean(fit.covariance.diagonal()[of] * fit.clusters[of])) ** 0.5)
