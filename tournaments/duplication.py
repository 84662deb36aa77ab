"""What duplicate deals were worth: by how much they reduced the luck of the cards.

It compares two variances of an adjusted gain: with rows summed by deal over all its seatings, and with rows
summed by table, as if each seating had its own cards (the inverse of the design effect of cluster samples,
L. Kish, Survey Sampling, 1965, 8.2, since the members of a cluster compensate each other here). Both ignore
what the deals of a pod have in common: that is not luck of the cards, and duplicates do not reduce it. Knows
no scores and no ranks.
"""

from collections.abc import Collection, Iterable

from tournaments.results import MatchResult
from tournaments.statistics import fitted, rounded, rows_of


def duplication(
    results: Iterable[MatchResult], entrants: Collection[str], withdrawn: Collection[str] = ()
) -> float | None:
    """The mean variance of the ranked entrants' gains by table ÷ that by deal. 1: duplicates were worth
    nothing; below 1: they did harm. None without an interval or variance. Rounded to 6 decimals."""
    rows = rows_of(results, entrants)
    ranked = set(entrants) - set(withdrawn)
    together, apart = fitted(rows, ranked, "deal"), fitted(rows, ranked, "table")
    known = [i for i, name in enumerate(together.names) if name in ranked and together.has_interval[i]]
    variance = float(together.covariance.diagonal()[known].sum())
    return rounded(float(apart.covariance.diagonal()[known].sum()) / variance) if variance > 0 else None
