"""Adjusted gain: what an entrant gains per deal above its table's mean, corrected for whom it met, and how
sure that is.

**What is estimated.** The mean over pods drawn at random, their orders round the table among them. A gain
depends on the neighbours and on the order as well as on strength; with pods drawn from results (Swiss) it is
the mean over such pods.

**Model.** One row per deal, seating and seat: y = gain − mean gain at that table, and x = e_who − the mean
of e over that table, so that y = x·β + noise with β the strengths. Ordinary least squares; strengths are
compared only where tables connect them, and are shifted so that their mean over the ranked entrants of a
connected component is 0. House bots share one strength, and so do substitutes, as one more participant.

**Forfeits.** From the faulted deal on the row of the seat as played is the substitute's. The entrant itself
has, for every finished deal of that match, those before the fault too, a row in which it gained the lowest
gain of that deal, whoever had it: no more than it made itself, no more than its substitute made of its
place, no more than anybody else. So no deal becomes a better one by a crash, not even for the last at the
table, whom the lowest gain of the others would lift.

**Intervals** (95 %). Independent are pods: all deals of a pod share the order round the table, and a forfeit
strikes all deals of its match. With P the inverse of XᵀX, β has the errors P Σ_g Xᵀ_g ε_g, one sum a pod g;
their covariance is estimated by the sandwich P (Σ_g Xᵀ_g A_g u_g uᵀ_g A_g X_g) P of the residuals u = y − Xβ
(K.-Y. Liang & S. Zeger, Biometrika 73, 1986). Residuals are smaller than errors, as each pod draws the
strengths towards itself: A_g = (I − X_g P Xᵀ_g)^(−1/2) undoes that ("CR2", R. M. Bell & D. F. McCaffrey,
Survey Methodology 28, 2002), and without it intervals of six pods are a third too narrow. Quantiles are
Student's t with the pods that the entrant sat in, less one, as degrees of freedom: each interval rests on the
entrant's own pods, so that one whose gains vary more than everybody's is covered as well. Below
`FEWEST_PODS` there is none, and none of width 0, which would claim certainty.

Too narrow where pods are drawn adaptively from few results: by how much is measured by playing again
(`tournaments/resamples.py`). What intervals hold is measured by `python -m tests.bench.coverage` and
`tests.bench.simulation`.

Knows no scores and no ranks.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

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

FEWEST_PODS: Final = 3
"""Below, there is no interval: Student's t with one degree of freedom is 12.7."""

CONFIDENCE: Final = 0.95

NEGLIGIBLE: Final = 1e-9
"""Of 1: what rounding leaves of an eigenvalue that is 0."""

Unit: TypeAlias = Literal["pod", "deal", "table", "match"]
"""What rows are summed by, before anything is squared. Independent are pods. The others are what that is
measured against: a deal in all seatings, a deal in one, all deals of one seating."""

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]


class Estimate(msgspec.Struct, frozen=True):
    """Gain per deal, None without a finished deal, and its 95 % interval, None below FEWEST_PODS or where
    nothing varies; rounded to 6 decimals. Gains of different `component`s cannot be compared."""

    gain: float | None = None
    low: float | None = None
    high: float | None = None
    component: int | None = None


class Place(NamedTuple):
    """Where a row comes from; all count from 1."""

    round_no: int
    pod_no: int
    seating_no: int
    deal_no: int

    def within(self, unit: Unit) -> tuple[int, ...]:
        pod = (self.round_no, self.pod_no)
        return {
            "pod": pod,
            "deal": (*pod, self.deal_no),
            "table": (*pod, self.deal_no, self.seating_no),
            "match": (*pod, self.seating_no),
        }[unit]


class Row(NamedTuple):
    """What `who` gained at a table, above the table's mean. Who is named twice in `table` counts twice."""

    who: str
    table: tuple[str, ...]
    y: float
    place: Place


class Fit(NamedTuple):
    """Least squares over rows: by name (sorted) the strengths, their covariance, how many pods (or other
    units) each was in, and the number of its connected component."""

    names: list[str]
    gain: Array
    covariance: Array
    units: NDArray[np.int64]
    component: NDArray[np.int32]

    @property
    def sure(self) -> NDArray[np.bool_]:
        """Who has an interval."""
        varies = np.sqrt(np.maximum(self.covariance.diagonal(), 0)) > NEGLIGIBLE
        enough: NDArray[np.bool_] = (self.units >= FEWEST_PODS) & varies
        return enough

    @property
    def width(self) -> Array:
        """Half the 95 % interval by Student's t; NaN for who is not `sure`."""
        error = np.sqrt(np.maximum(self.covariance.diagonal(), 0))
        quantile: Array = stdtrit(np.where(self.sure, self.units - 1, np.nan), (1 + CONFIDENCE) / 2)
        return quantile * error


class _Part(NamedTuple):
    """What least squares needs of the rows of one unit: the columns of those at its tables, XᵀX and Xᵀy."""

    columns: Indices
    normal: Array
    moment: Array


def adjusted_gains(
    results: Iterable[MatchResult],
    entrants: Collection[str],
    withdrawn: Collection[str] = (),
    *,
    widening: float = 1.0,
) -> dict[str, Estimate]:
    """By name, for those of `entrants` with a finished deal, and for HOUSE (whoever is no entrant) and
    SUBSTITUTE if they played one. Entrants not `withdrawn` are the ranked ones, whose mean is 0. Intervals
    are `widening` times as wide as Student's t says.

    The order of `results` changes nothing, not even in the last bit.
    """
    fit = fitted(rows_of(results, entrants), set(entrants) - set(withdrawn))
    width = widening * fit.width
    return {
        name: Estimate(
            gain=rounded(gain),
            low=rounded(gain - half) if sure else None,
            high=rounded(gain + half) if sure else None,
            component=int(component),
        )
        for name, gain, half, sure, component in zip(
            fit.names, fit.gain, width, fit.sure, fit.component, strict=True
        )
    }


def fitted(rows: Sequence[Row], ranked: Collection[str], unit: Unit = "pod") -> Fit:
    """The strengths behind `rows`, with mean 0 over the `ranked` of each component."""
    names = sorted({row.who for row in rows})
    if not rows:
        return Fit(names, np.empty(0), np.empty((0, 0)), np.empty(0, np.int64), np.empty(0, np.int32))
    parts = _parts(rows, names, unit)
    normal, moment = np.zeros((len(names), len(names))), np.zeros(len(names))
    for part in parts:
        normal[np.ix_(part.columns, part.columns)] += part.normal
        moment[part.columns] += part.moment
    _, component = connected_components(normal, directed=False)
    inverse = _inverse(normal, component)
    centred = _centred(inverse, component, np.array([name in ranked for name in names]))
    gain = centred @ moment
    scores = _scores(parts, gain, inverse)
    meat = (scores.T @ scores).toarray()
    units = Counter(who for who, _ in {(row.who, row.place.within(unit)) for row in rows})
    return Fit(names, gain, centred @ meat @ centred.T, np.array([units[name] for name in names]), component)


def rows_of(results: Iterable[MatchResult], entrants: Collection[str]) -> list[Row]:
    return list(_rows(results, frozenset(entrants)))


def _rows(results: Iterable[MatchResult], entrants: frozenset[str]) -> Iterator[Row]:
    for result in in_match_order(results):
        own = [name if name in entrants else HOUSE for name in result.entrants]
        fault = {forfeit.seat: forfeit.deal_no for forfeit in result.forfeits}
        for deal_no, gains in enumerate(result.gains, start=1):
            place = Place(result.round_no, result.pod_no, result.seating_no, deal_no)
            mean = sum(gains) / len(gains)
            lowest = min(gains) - mean
            replaced = {seat for seat, faulted in fault.items() if faulted <= deal_no}
            table = tuple(SUBSTITUTE if seat in replaced else who for seat, who in enumerate(own))
            for seat, gain in enumerate(gains):
                yield Row(own[seat], table, lowest if seat in fault else gain - mean, place)
                if seat in replaced:
                    yield Row(SUBSTITUTE, table, gain - mean, place)


def _parts(rows: Sequence[Row], names: Sequence[str], unit: Unit) -> list[_Part]:
    """By unit, in the order of the rows."""
    column = {name: at for at, name in enumerate(names)}
    by_unit = defaultdict[tuple[int, ...], list[Row]](list)
    for row in rows:
        by_unit[row.place.within(unit)].append(row)
    return [_part(of_unit, column) for of_unit in by_unit.values()]


def _part(rows: Sequence[Row], column: dict[str, int]) -> _Part:
    """Rows alike but for y are one, as those of all deals and seatings are where nobody forfeits."""
    sums = defaultdict[tuple[str, tuple[str, ...]], list[float]](lambda: [0, 0.0])
    for row in rows:
        alike = sums[row.who, tuple(sorted(row.table))]
        alike[0] += 1
        alike[1] += row.y
    members = sorted({name for who, table in sums for name in (who, *table)})
    at = {name: number for number, name in enumerate(members)}
    x = np.zeros((len(sums), len(members)))
    for line, (who, table) in zip(x, sums, strict=True):
        line[at[who]] = 1.0
        for name in table:
            line[at[name]] -= 1 / len(table)
    count, total = np.array(list(sums.values())).T
    columns = np.array([column[name] for name in members], dtype=np.intp)
    return _Part(columns, x.T @ (count[:, None] * x), x.T @ total)


def _inverse(normal: Array, component: NDArray[np.int32]) -> Array:
    """P, an inverse of XᵀX wherever X leads.

    XᵀX is singular by exactly one direction a component: the same for all of it. Filled up in these with
    1 1ᵀ / size it can be inverted, without a threshold for what counts as zero, and X never sees what that
    added.
    """
    normal = normal.copy()
    for number in np.unique(component):
        members = np.flatnonzero(component == number)
        normal[np.ix_(members, members)] += 1 / len(members)
    return np.asarray(np.linalg.inv(normal), dtype=np.float64)


def _centred(inverse: Array, component: NDArray[np.int32], ranked: NDArray[np.bool_]) -> Array:
    """P such that P Xᵀ y are strengths of mean 0 over the ranked participants of each connected component
    (over all of a component without any)."""
    centred = inverse.copy()
    for number in np.unique(component):
        members = np.flatnonzero(component == number)
        centre = members[ranked[members]] if ranked[members].any() else members
        centred[members] -= inverse[centre].mean(axis=0)
    return centred


def _scores(parts: Sequence[_Part], gain: Array, inverse: Array) -> coo_array:
    """Xᵀ_g A_g u_g, a row for each unit g."""
    scores = [
        _corrected(part.normal, inverse[np.ix_(part.columns, part.columns)])
        @ (part.moment - part.normal @ gain[part.columns])
        for part in parts
    ]
    units = np.repeat(np.arange(len(parts)), [len(part.columns) for part in parts])
    columns = np.concatenate([part.columns for part in parts])
    return coo_array((np.concatenate(scores), (units, columns)), shape=(len(parts), len(gain))).tocsr()


def _corrected(normal: Array, inverse: Array) -> Array:
    """C with C Xᵀ u = Xᵀ A u, from XᵀX and P of one unit.

    X = Q R with R = Λ^(1/2) Uᵀ, of the eigenvalues Λ of XᵀX = U Λ Uᵀ. A is the identity outside the columns
    of Q and Q (I − R P Rᵀ)^(−1/2) Qᵀ within, so that C = Rᵀ (I − R P Rᵀ)^(−1/2) R⁻ᵀ: no matrix is larger
    than the number of those at the tables. Where a unit alone decides a strength its residuals are 0, and
    nothing can be learned from them.
    """
    values, vectors = np.linalg.eigh(normal)
    there = values > NEGLIGIBLE * values[-1]
    root, vectors = np.sqrt(values[there]), vectors[:, there]
    r = root[:, None] * vectors.T
    left, directions = np.linalg.eigh(np.eye(len(root)) - r @ inverse @ r.T)
    raised = np.where(left > NEGLIGIBLE, 1 / np.sqrt(np.maximum(left, NEGLIGIBLE)), 0.0)
    return np.asarray(r.T @ (directions * raised) @ directions.T @ (vectors / root).T, dtype=np.float64)


def rounded(value: float) -> float:
    """To 6 decimals, equal values to equal ones: noise in the 15th must not part two that lie on the edge
    between two roundings, such as 1/128. Never −0.0."""
    return round(round(float(value), 9), 6) + 0.0
