"""What duplicate deals were worth: how many times as many deals it would take without them.

The variance of an adjusted gain goes down with the number of deals. Clustered by deal it is what it is;
clustered by table, as if each seating had been dealt cards of its own, it is what so many independent deals
would give (the design effect of cluster samples, L. Kish, Survey Sampling, 1965, 8.2, turned over: here the
members of a cluster make up for each other).
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from tournaments.results import MatchResult
from tournaments.statistics import Unit, fitted, rounded, rows_of

APART: Final[Mapping[Unit, Unit]] = {"deal": "table", "pod": "match"}
"""A unit over all its seatings, and one seating of it."""


def duplication(
    results: Iterable[MatchResult],
    entrants: Collection[str],
    withdrawn: Collection[str] = (),
    *,
    unit: Unit = "deal",
) -> float | None:
    """Mean variance of the ranked entrants' gains as if apart ÷ as it is: 1 is worth nothing, below 1 does
    harm. None where there is no interval, or no variance. Rounded to 6 decimals."""
    results = list(results)
    ranked = set(entrants) - set(withdrawn)
    fits = [fitted(rows_of(results, entrants, by), ranked) for by in (APART[unit], unit)]
    of = [at for at, name in enumerate(fits[1].names) if name in ranked and fits[1].sure[at]]
    apart, together = (float(fit.covariance.diagonal()[of].sum()) for fit in fits)
    return rounded(apart / together) if together > 0 else None
