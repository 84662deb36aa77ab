"""How many rounds or deals a wanted margin needs, computed before a tournament is played.

An entrant's gain in a deal, over all its seatings, has a variance s². A share ρ of it is common to all deals
of a pod, since they share the order round the table (the intraclass correlation of cluster samples, L. Kish,
Survey Sampling, 1965, 5.4). After r rounds of d deals the 95 % interval is

    t(r − 1) · s · √((1 + (d − 1) ρ) / (r d))

either way, by Student's t. However many deals there are, only more rounds make it narrower than
t(r − 1) · s · √(ρ / r). A spread measured in a tournament includes the cost of adjusting for opponents. Knows
no format and no game.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from math import inf, sqrt
from typing import Final, NamedTuple

import numpy as np

from tournaments import student
from tournaments.results import MatchResult
from tournaments.statistics import FEWEST_PODS, fitted, rounded, rows_of

MOST: Final = 1_000_000
"""The most rounds, and the most deals in a match, that are considered."""


class Spread(NamedTuple):
    """How far a bot's gains in a deal, over all the deal's seatings, spread."""

    deviation: float
    """The standard deviation."""
    correlation: float = 0.0
    """The share of the variance that all deals of a pod have in common, from 0 to 1."""


def margin_after(rounds: int, deals: int, spread: Spread) -> float:
    """Half the width of the interval, in gain per deal; infinite below FEWEST_PODS rounds."""
    if rounds < FEWEST_PODS:
        return inf
    quantile = float(student.quantile(rounds - 1))
    return quantile * spread.deviation * sqrt((1 + (deals - 1) * spread.correlation) / (rounds * deals))


def rounds_for(margin: float, deals: int, spread: Spread) -> int | None:
    """The fewest rounds of `deals` deals with an interval of at most `margin` either way; None above MOST."""
    return _fewest(margin, lambda rounds: margin_after(rounds, deals, spread))


def deals_for(margin: float, rounds: int, spread: Spread) -> int | None:
    """The fewest deals in each of `rounds` rounds for the same; None above MOST."""
    return _fewest(margin, lambda deals: margin_after(rounds, deals, spread))


def _fewest(margin: float, after: Callable[[int], float]) -> int | None:
    """The least number for which `after`, which must not grow, is at most `margin`; None above MOST."""
    least = 1 + bisect_left(range(1, MOST + 1), True, key=lambda number: after(number) <= margin)
    return least if least <= MOST else None


def measured_spread(
    results: Iterable[MatchResult], entrants: Collection[str], withdrawn: Collection[str] = ()
) -> Spread | None:
    """The spread in a tournament, from the standard errors of its ranked entrants and their numbers of pods
    and deals; None if none of them has an interval. With one deal per match the correlation is unknown, and
    0 here."""
    rows = rows_of(results, entrants)
    ranked = set(entrants) - set(withdrawn)
    by_pod, by_deal = fitted(rows, ranked), fitted(rows, ranked, "deal")
    known = [i for i, name in enumerate(by_pod.names) if name in ranked and by_pod.has_interval[i]]
    if not known:
        return None
    deals = Counter(who for who, _ in {(row.who, row.place.within("deal")) for row in rows})
    played = np.array([deals[by_pod.names[i]] for i in known])
    variance = float(np.mean(by_deal.covariance.diagonal()[known] * played))
    inflation = float(np.mean(by_pod.covariance.diagonal()[known] * played)) / variance if variance else 1.0
    per_pod = float(np.mean(played / by_pod.units[known]))
    correlation = (inflation - 1) / (per_pod - 1) if per_pod > 1 else 0.0
    return Spread(rounded(sqrt(variance)), rounded(min(1.0, max(0.0, correlation))))
