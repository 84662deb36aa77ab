"""Adjusted gain: what an entrant gains per deal above its table's mean, corrected for whom it met, and how
sure that is.

**Model.** One row per deal, seating and seat: y = gain − mean gain at that table, and x = e_who − the mean
of e over that table, so that y = x·β + noise with β the strengths. Ordinary least squares; strengths are
compared only where tables connect them, and are shifted so that their mean over the ranked entrants of a
connected component is 0. House bots share one strength, and so do substitutes, as one more participant.

**Forfeits.** From the faulted deal on the row of the seat as played is the substitute's. The entrant itself
has, for every finished deal of that match, those before the fault too, a row in which it gained the lowest
gain of that deal, whoever had it: no more than it made itself, no more than its substitute made of its
place, no more than anybody else. So no deal becomes a better one by a crash, not even for the last at the
table, whom the lowest gain of the others would lift.

**Intervals** (95 %). With P the centred inverse of XᵀX, the deviations are P Σ_c Xᵀ_c u_c: one sum a cluster
c, of rows that may depend on each other in any way; u = y − X·β are the residuals. Their sandwich covariance
is P (Σ_c Xᵀ_c u_c uᵀ_c X_c) Pᵀ (Liang & Zeger, Biometrika 73, 1986), times G / (G − 1) for G clusters, "CR1"
(Cameron & Miller, Journal of Human Resources 50, 2015; (N − 1) / (N − K) for N rows and K strengths, which
they put beside it, is near 1 here); quantiles are Student's t with the clusters that the entrant is in, less
one, as degrees of freedom, since those of all others say little about it (after Bell & McCaffrey, Survey
Methodology 28, 2002). A cluster is a deal over all the seatings of its pod, or the whole pod where deals
depend on each other.

A forfeit strikes all deals of a match at once. So where a deal is a cluster, the rows of one forfeit are one
more: clusters in two ways (Cameron, Gelbach & Miller, Journal of Business & Economic Statistics 29, 2011),
without taking off what both have in common, so that no variance is ever below 0. Without this, intervals of
bots that forfeit one match in twenty cover .89 instead of .95.

Too narrow where pods are drawn adaptively from few results: by how much is measured by playing again
(`tournaments/resamples.py`). What intervals hold is measured by `python -m tests.bench.simulation`.

Knows no scores and no ranks.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from tournaments.results import MatchResult, in_match_order

# No name of an entrant has parentheses.
HOUSE: Final = "(house)"
SUBSTITUTE: Final = "(substitute)"

FEWEST_CLUSTERS: Final = 3
"""Below, there is no interval."""

CONFIDENCE: Final = 0.95

Unit: TypeAlias = Literal["deal", "pod", "table", "match"]
"""What is independent: deals, or only pods, where a game's deals depend on each other. *Table* and *match*
are these as if each seating had cards of its own: not true, but what duplication is measured against."""

Array: TypeAlias = NDArray[np.float64]
Cluster: TypeAlias = tuple[int, ...]


class Estimate(msgspec.Struct, frozen=True):
    """Gain per deal, None without a finished deal, and its 95 % interval, None below FEWEST_CLUSTERS;
    rounded to 6 decimals."""

    gain: float | None = None
    low: float | None = None
    high: float | None = None


class Row(NamedTuple):
    """What `who` gained at a table, above the table's mean. Who is named twice in `table` counts twice.
    `forfeit` is the same for all rows that one forfeit made, where `cluster` is not."""

    who: str
    table: tuple[str, ...]
    y: float
    cluster: Cluster
    forfeit: Cluster | None = None


class Fit(NamedTuple):
    """Least squares over rows: by name (sorted) the strengths, their covariance, how many clusters each is
    in, and the number of its connected component."""

    names: list[str]
    gain: Array
    covariance: Array
    clusters: NDArray[np.int64]
    component: NDArray[np.int32]

    @property
    def sure(self) -> NDArray[np.bool_]:
        return self.clusters >= FEWEST_CLUSTERS

    @property
    def width(self) -> Array:
        """Half the 95 % interval by Student's t; NaN for who is not `sure`."""
        error = np.sqrt(np.maximum(self.covariance.diagonal(), 0))
        quantile: Array = stdtrit(np.where(self.sure, self.clusters - 1, np.nan), (1 + CONFIDENCE) / 2)
        return quantile * error


def adjusted_gains(
    results: Iterable[MatchResult],
    entrants: Collection[str],
    withdrawn: Collection[str] = (),
    *,
    unit: Unit = "deal",
    widening: float = 1.0,
) -> dict[str, Estimate]:
    """By name, for those of `entrants` with a finished deal, and for HOUSE (whoever is no entrant) and
    SUBSTITUTE if they played one. Entrants not `withdrawn` are the ranked ones, whose mean is 0. Intervals
    are `widening` times as wide as Student's t says.

    The order of `results` changes nothing, not even in the last bit.
    """
    fit = fitted(rows_of(results, entrants, unit), set(entrants) - set(withdrawn))
    width = widening * fit.width
    return {
        name: Estimate(
            gain=rounded(gain),
            low=rounded(gain - half) if sure else None,
            high=rounded(gain + half) if sure else None,
        )
        for name, gain, half, sure in zip(fit.names, fit.gain, width, fit.sure, strict=True)
    }


def fitted(rows: Sequence[Row], ranked: Collection[str]) -> Fit:
    """The strengths behind `rows`, with mean 0 over the `ranked` of each component."""
    names = sorted({row.who for row in rows})
    if not rows:
        return Fit(names, np.empty(0), np.empty((0, 0)), np.empty(0, np.int64), np.empty(0, np.int32))
    y = np.array([row.y for row in rows])
    x = _design(rows, names)
    _, component = connected_components(abs(x).T @ abs(x), directed=False)
    inverse = _centred_inverse(x, component, np.array([name in ranked for name in names]))
    gain = inverse @ (x.T @ y)
    scores = x * (y - x @ gain)[:, None]
    by_cluster = _summed(scores, [row.cluster for row in rows])
    by_forfeit = _summed(scores, [row.forfeit for row in rows])
    count = by_cluster.shape[0]
    meat = by_cluster.T @ by_cluster * (count / max(count - 1, 1)) + by_forfeit.T @ by_forfeit
    covariance = inverse @ meat.toarray() @ inverse.T
    clusters_of = Counter(who for who, _ in {(row.who, row.cluster) for row in rows})
    return Fit(names, gain, covariance, np.array([clusters_of[name] for name in names]), component)


def rows_of(results: Iterable[MatchResult], entrants: Collection[str], unit: Unit) -> list[Row]:
    return list(_rows(results, frozenset(entrants), unit))


def _rows(results: Iterable[MatchResult], entrants: frozenset[str], unit: Unit) -> Iterator[Row]:
    for result in in_match_order(results):
        own = [name if name in entrants else HOUSE for name in result.entrants]
        fault = {forfeit.seat: forfeit.deal_no for forfeit in result.forfeits}
        pod, seating = (result.round_no, result.pod_no), result.seating_no
        for deal_no, gains in enumerate(result.gains, start=1):
            units: dict[Unit, Cluster] = {
                "deal": (*pod, deal_no),
                "pod": pod,
                "table": (*pod, deal_no, seating),
                "match": (*pod, seating),
            }
            mean = sum(gains) / len(gains)
            lowest = min(gains) - mean
            replaced = {seat for seat, faulted in fault.items() if faulted <= deal_no}
            table = tuple(SUBSTITUTE if seat in replaced else who for seat, who in enumerate(own))
            for seat, gain in enumerate(gains):
                if seat in fault:
                    forfeit = (*pod, seating, seat) if unit in ("deal", "table") else None
                    yield Row(own[seat], table, lowest, units[unit], forfeit)
                else:
                    yield Row(own[seat], table, gain - mean, units[unit])
                if seat in replaced:
                    yield Row(SUBSTITUTE, table, gain - mean, units[unit])


def _design(rows: Sequence[Row], names: Sequence[str]) -> Any:
    """X, sparse: a row touches a table's few columns."""
    column = {name: at for at, name in enumerate(names)}
    who = [column[row.who] for row in rows]
    table = [column[name] for row in rows for name in row.table]
    at, seats = np.arange(len(rows)), np.array([len(row.table) for row in rows])
    coefficients = np.concatenate([np.ones(len(rows)), np.repeat(-1 / seats, seats)])
    cells = (np.concatenate([at, np.repeat(at, seats)]), np.array(who + table))
    return coo_array((coefficients, cells), shape=(len(rows), len(names))).tocsr()


def _summed(scores: Any, labels: Sequence[Cluster | None]) -> Any:
    """The rows of `scores`, sparse, summed by label; those without one left out."""
    number = {label: at for at, label in enumerate(dict.fromkeys(filter(None, labels)))}
    cells = [(number[label], at) for at, label in enumerate(labels) if label]
    place = np.array(cells, dtype=np.intp).reshape(-1, 2).T
    return coo_array((np.ones(len(cells)), place), shape=(len(number), len(labels))).tocsr() @ scores


def _centred_inverse(x: Any, component: NDArray[np.int32], ranked: NDArray[np.bool_]) -> Array:
    """P with P Xᵀ y the strengths, of mean 0 over the ranked participants of each connected component (over
    all of a component without any).

    XᵀX is singular by exactly one direction a component: the same for all of it. Filled up in these with
    1 1ᵀ / size it can be inverted, and centring removes again what that added: the result is that of the
    Moore–Penrose inverse, without a threshold for what counts as zero.
    """
    normal = (x.T @ x).toarray()
    members = [np.flatnonzero(component == number) for number in np.unique(component)]
    for of_one in members:
        normal[np.ix_(of_one, of_one)] += 1 / len(of_one)
    inverse: Array = np.linalg.inv(normal)
    for of_one in members:
        centre = of_one[ranked[of_one]] if ranked[of_one].any() else of_one
        inverse[of_one] -= inverse[centre].mean(axis=0)
    return inverse


def rounded(value: float) -> float:
    """To 6 decimals, equal values to equal ones: noise in the 15th must not part two that lie on the edge
    between two roundings, such as 1/128. Never −0.0."""
    return round(round(float(value), 9), 6) + 0.0
