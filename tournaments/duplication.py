"""What duplicate deals were worth: by how much they made the luck of the cards smaller.

The variance of an adjusted gain, summed by deal over all its seatings, against the same summed by table, as
if each seating had been dealt cards of its own (the design effect of cluster samples, L. Kish, Survey
Sampling, 1965, 8.2, turned over: here the members of a cluster make up for each other). What the deals of a
pod have in common is left out of both: it is no luck of the cards, and duplicates do nothing about it.
"""

from collections.abc import Collection, Iterable

from tournaments.results import MatchResult
from tournaments.statistics import fitted, rounded, rows_of


def duplication(
    results: Iterable[MatchResult], entrants: Collection[str], withdrawn: Collection[str] = ()
) -> float | None:
    """Mean variance of the ranked entrants' gains as if apart ÷ as it is: 1 is worth nothing, below 1 does
    harm. None where there is no interval, or no variance. Rounded to 6 decimals."""
    rows = rows_of(results, entrants)
    ranked = set(entrants) - set(withdrawn)
    together, apart = fitted(rows, ranked, "deal"), fitted(rows, ranked, "table")
    of = [at for at, name in enumerate(together.names) if name in ranked and together.sure[at]]
    variance = float(together.covariance.diagonal()[of].sum())
    return rounded(float(apart.covariance.diagonal()[of].sum()) / variance) if variance > 0 else None
