"""Which of two entrants is better, and how surely, for every two of a tournament.

The difference of two adjusted gains has the variance V₁₁ + V₂₂ − 2 V₁₂, from the covariance matrix that the
standings' intervals come from (statistics.py); over its root it is compared with Student's t, with the
clusters of who has fewer, less one, as degrees of freedom. p is two-sided and for this one pair: of many
pairs of equal bots one in twenty has p < .05.
"""

from collections.abc import Collection, Iterable
from itertools import combinations

import msgspec
from scipy.special import stdtr

from tournaments.results import MatchResult
from tournaments.statistics import Unit, fitted, rounded, rows_of


class Superiority(msgspec.Struct, frozen=True):
    """`better` gains `difference` per deal more than `worse`, both adjusted for opponents; `error` is its
    standard error, and chance alone would make it as large with probability `p`. Rounded to 6 decimals."""

    better: str
    worse: str
    difference: float
    error: float
    p: float


def superiorities(
    results: Iterable[MatchResult],
    entrants: Collection[str],
    withdrawn: Collection[str] = (),
    *,
    unit: Unit = "deal",
    widening: float = 1.0,
) -> tuple[Superiority, ...]:
    """Of every two ranked entrants who can be compared: who have an interval, and whom tables connect. The
    best first, then by whom it is better than. `widening` as for the standings."""
    ranked = set(entrants) - set(withdrawn)
    fit = fitted(rows_of(results, entrants, unit), ranked)
    known = [at for at, name in enumerate(fit.names) if name in ranked and fit.sure[at]]
    found = []
    for one, other in combinations(sorted(known, key=lambda at: -rounded(float(fit.gain[at]))), 2):
        if fit.component[one] != fit.component[other]:
            continue
        v = fit.covariance
        difference = float(fit.gain[one] - fit.gain[other])
        error = widening * max(float(v[one, one] + v[other, other] - 2 * v[one, other]), 0.0) ** 0.5
        fewer = min(fit.clusters[one], fit.clusters[other])
        found.append(
            Superiority(
                better=fit.names[one],
                worse=fit.names[other],
                difference=rounded(difference),
                error=rounded(error),
                p=_two_sided(rounded(difference), rounded(error), fewer - 1),
            )
        )
    return tuple(found)


def _two_sided(difference: float, error: float, degrees: int) -> float:
    if not error:
        return 0.0 if difference else 1.0
    return rounded(2 * stdtr(degrees, -abs(difference) / error))
