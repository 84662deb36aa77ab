"""Which of two entrants is better, and how sure that is, for every pair of a tournament.

The difference of two adjusted gains has the variance V₁₁ + V₂₂ − 2 V₁₂, from the covariance matrix of the
standings' intervals (statistics.py). Divided by its root, the difference is compared with Student's t; the
degrees of freedom are the smaller of the two numbers of pods, less one. `p` is two-sided and for this one
pair: of many pairs of equal bots one in twenty has p < .05. `holm` is corrected for the number of pairs
(S. Holm, Scandinavian Journal of Statistics 6, 1979): the probability that any pair of equal bots has
holm < .05 is at most .05. Knows no scores and no ranks.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from math import isfinite

import msgspec

from tournaments.results import MatchResult
from tournaments.statistics import GainFit, fitted, rounded, rows_of
from tournaments.student import two_sided


class Superiority(msgspec.Struct, frozen=True):
    """The comparison of two entrants, rounded to 6 decimals."""

    better: str
    worse: str
    difference: float
    """How much more `better` gains per deal, both adjusted for opponents."""
    error: float
    """The standard error of the difference."""
    p: float
    """The probability of such a difference, or a greater one, by chance alone."""
    holm: float
    """`p`, corrected for the number of pairs by Holm's method."""


def superiorities(
    results: Iterable[MatchResult],
    entrants: Collection[str],
    withdrawn: Collection[str] = (),
    *,
    widening: float = 1.0,
) -> tuple[Superiority, ...]:
    """The comparisons of all pairs of ranked entrants that have an interval and are connected by tables,
    sorted by the better entrant, best first, then by the worse one. `widening` as for the standings."""
    ranked = set(entrants) - set(withdrawn)
    pairs = list(_pairs(fitted(rows_of(results, entrants), ranked), ranked, widening))
    corrected = _holm([pair.p for pair in pairs])
    return tuple(
        msgspec.structs.replace(pair, holm=holm) for pair, holm in zip(pairs, corrected, strict=True)
    )


def _pairs(fit: GainFit, ranked: Collection[str], widening: float) -> Iterator[Superiority]:
    if not isfinite(widening):
        return
    known = [i for i, name in enumerate(fit.names) if name in ranked and fit.has_interval[i]]
    for one, other in combinations(sorted(known, key=lambda i: -rounded(float(fit.gain[i]))), 2):
        if fit.component[one] != fit.component[other]:
            continue
        v = fit.covariance
        difference = rounded(float(fit.gain[one] - fit.gain[other]))
        variance = max(float(v[one, one] + v[other, other] - 2 * v[one, other]), 0.0)
        error = rounded(widening * variance**0.5)
        degrees = min(fit.units[one], fit.units[other]) - 1
        if error:  # Without an error the programs are equal, or the error is unknown.
            p = rounded(float(two_sided(degrees, abs(difference) / error)))
            yield Superiority(fit.names[one], fit.names[other], difference, error, p, p)


def _holm(ps: Sequence[float]) -> list[float]:
    """Each p times the number of p that are not smaller; at most 1, and never less than for a smaller p."""
    corrected = [0.0] * len(ps)
    least = 0.0
    for smaller, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, (len(ps) - smaller) * ps[i]))
        corrected[i] = rounded(least)
    return corrected
