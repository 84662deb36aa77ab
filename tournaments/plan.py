"""How many rounds or deals a wished margin takes: said before a tournament is played.

An entrant's gain in a deal, over all its seatings, has a variance s², of which the share ρ is common to all
deals of its pod, as they share the order round the table (the intraclass correlation of cluster samples,
L. Kish, Survey Sampling, 1965, 5.4). After r rounds of d deals its 95 % interval is

    t(r − 1) · s · √((1 + (d − 1) ρ) / (r d))

either way, by Student's t. More deals make it no narrower than t(r − 1) · s · √(ρ / r): from there on only
rounds do. What is measured in a tournament contains what adjusting for opponents costs.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from math import inf, sqrt
from typing import Final, NamedTuple

import numpy as np
from scipy.special import stdtrit

from tournaments.results import MatchResult
from tournaments.statistics import CONFIDENCE, FEWEST_PODS, fitted, rounded, rows_of

MOST: Final = 1_000_000
"""Nobody plays more rounds, or more deals in a match."""


class Spread(NamedTuple):
    """deviation: the standard deviation of a bot's gain in a deal over all its seatings. correlation: the
    share of its variance that the deals of a pod have in common, from 0 to 1."""

    deviation: float
    correlation: float = 0.0


def margin_after(rounds: int, deals: int, spread: Spread) -> float:
    """Half the interval, in gain per deal; ∞ below FEWEST_PODS rounds."""
    if rounds < FEWEST_PODS:
        return inf
    quantile = float(stdtrit(rounds - 1, (1 + CONFIDENCE) / 2))
    return quantile * spread.deviation * sqrt((1 + (deals - 1) * spread.correlation) / (rounds * deals))


def rounds_for(margin: float, deals: int, spread: Spread) -> int | None:
    """The fewest rounds of so many deals after which the interval is `margin` either way, or less; None
    where MOST will not do."""
    return _fewest(margin, lambda rounds: margin_after(rounds, deals, spread))


def deals_for(margin: float, rounds: int, spread: Spread) -> int | None:
    """The same with the fewest deals in each of so many rounds. None where more rounds are needed."""
    return _fewest(margin, lambda deals: margin_after(rounds, deals, spread))


def _fewest(margin: float, after: Callable[[int], float]) -> int | None:
    """`after` never rises."""
    least = 1 + bisect_left(range(1, MOST + 1), True, key=lambda number: after(number) <= margin)
    return least if least <= MOST else None


def measured_spread(
    results: Iterable[MatchResult], entrants: Collection[str], withdrawn: Collection[str] = ()
) -> Spread | None:
    """From the standard errors that a tournament ended with and the pods and deals of each ranked entrant;
    None where there is no interval. With one deal a match nothing is known of what deals have in common, and
    the correlation is 0."""
    rows = rows_of(results, entrants)
    ranked = set(entrants) - set(withdrawn)
    by_pod, by_deal = fitted(rows, ranked), fitted(rows, ranked, "deal")
    of = [at for at, name in enumerate(by_pod.names) if name in ranked and by_pod.sure[at]]
    if not of:
        return None
    deals = Counter(who for who, _ in {(row.who, row.place.within("deal")) for row in rows})
    played = np.array([deals[by_pod.names[at]] for at in of])
    variance = float(np.mean(by_deal.covariance.diagonal()[of] * played))
    inflation = float(np.mean(by_pod.covariance.diagonal()[of] * played)) / variance if variance else 1.0
    each = float(np.mean(played / by_pod.units[of]))
    correlation = (inflation - 1) / (each - 1) if each > 1 else 0.0
    return Spread(rounded(sqrt(variance)), rounded(min(1.0, max(0.0, correlation))))
