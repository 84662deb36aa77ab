"""Which of two entrants is better, and how surely, for every two of a tournament.

The difference of two adjusted gains has the variance V₁₁ + V₂₂ − 2 V₁₂, from the covariance matrix that the
standings' intervals come from (statistics.py); over its root it is compared with Student's t, with the pods
of who has fewer, less one, as degrees of freedom. `p` is two-sided and for this one pair: of many pairs of
equal bots one in twenty has p < .05. `holm` is corrected for the number of pairs (S. Holm, Scandinavian
Journal of Statistics 6, 1979): the chance that any of the equal pairs of a table has holm < .05 is .05 at
most.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

import msgspec
from scipy.special import stdtr

from tournaments.results import MatchResult
from tournaments.statistics import Fit, fitted, rounded, rows_of


class Superiority(msgspec.Struct, frozen=True):
    """`better` gains `difference` per deal more than `worse`, both adjusted for opponents; `error` is its
    standard error, and chance alone would make it as large with probability `p`; `holm` is p corrected for
    all pairs. Rounded to 6 decimals."""

    better: str
    worse: str
    difference: float
    error: float
    p: float
    holm: float


def superiorities(
    results: Iterable[MatchResult],
    entrants: Collection[str],
    withdrawn: Collection[str] = (),
    *,
    widening: float = 1.0,
) -> tuple[Superiority, ...]:
    """Of every two ranked entrants who can be compared: who have an interval, and whom tables connect. The
    best first, then by whom it is better than. `widening` as for the standings."""
    ranked = set(entrants) - set(withdrawn)
    found = list(_pairs(fitted(rows_of(results, entrants), ranked), ranked, widening))
    corrected = _holm([pair.p for pair in found])
    return tuple(
        msgspec.structs.replace(pair, holm=holm) for pair, holm in zip(found, corrected, strict=True)
    )


def _pairs(fit: Fit, ranked: Collection[str], widening: float) -> Iterator[Superiority]:
    known = [at for at, name in enumerate(fit.names) if name in ranked and fit.sure[at]]
    for one, other in combinations(sorted(known, key=lambda at: -rounded(float(fit.gain[at]))), 2):
        if fit.component[one] != fit.component[other]:
            continue
        v = fit.covariance
        difference = rounded(float(fit.gain[one] - fit.gain[other]))
        variance = max(float(v[one, one] + v[other, other] - 2 * v[one, other]), 0.0)
        error = rounded(widening * variance**0.5)
        degrees = min(fit.units[one], fit.units[other]) - 1
        if error:  # Two whose difference never varies are equal programs, or nothing is known of chance.
            p = rounded(2 * stdtr(degrees, -abs(difference) / error))
            yield Superiority(fit.names[one], fit.names[other], difference, error, p, p)


def _holm(ps: Sequence[float]) -> list[float]:
    """Each p times the number of those that are not smaller; never below that of a smaller one."""
    corrected = [0.0] * len(ps)
    least = 0.0
    for smaller, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, (len(ps) - smaller) * ps[at]))
        corrected[at] = rounded(least)
    return corrected
