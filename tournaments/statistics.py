"""Adjusted gain: what an entrant gains per deal above its table's mean, corrected for its opponents, with an
interval.

**What is estimated.** The mean over random pods in random orders round the table: a gain depends on the
neighbours and on the order as well as on strength. If pods depend on results (Swiss), it is the mean over
such pods.

**Model.** There is a row for each deal, seating and seat: y = gain − mean gain at that table, and
x = e_who − the mean of e over that table, so that y = x·β + noise with β the strengths. They are fitted by
ordinary least squares, compared only if tables connect them, and shifted so that their mean over the ranked
entrants of a connected component is 0. All house bots share one strength, and all substitutes share another.

**Forfeits.** From the faulted deal on, the row of the seat as played is the substitute's. The entrant itself
has a row for every finished deal of that match, also before the fault, with the lowest gain of any seat in
that deal. That is no more than it or its substitute gained. So a crash never improves a deal, not even for
the last at the table, as the lowest gain of the others would.

**Intervals** (95 %). Pods are independent; deals are not, since all deals of a pod share the order round the
table, and a forfeit affects all deals of its match. With P the inverse of XᵀX, β has the errors
P Σ_g Xᵀ_g ε_g, with one term for each pod g. Their covariance is estimated by the sandwich
P (Σ_g Xᵀ_g A_g u_g uᵀ_g A_g X_g) P of the residuals u = y − Xβ (K.-Y. Liang & S. Zeger, Biometrika 73, 1986).
Residuals are smaller than errors, since each pod pulls the strengths towards itself. The factors
A_g = (I − X_g P Xᵀ_g)^(−1/2) correct that ("CR2", R. M. Bell & D. F. McCaffrey, Survey Methodology 28, 2002);
without them intervals from six pods are a third too narrow. Quantiles are Student's t, with the number of the
entrant's pods less one as degrees of freedom: each interval rests on the entrant's own pods, so it also holds
if the entrant's gains vary more than others'. There is no interval below `FEWEST_PODS`, and none of width 0,
which would claim certainty.

Intervals are too narrow if pods depend on few results; `tournaments/resamples.py` measures by how much.
`python -m tests.bench.coverage` and `tests.bench.simulation` measure how often intervals hold the truth.

Knows no scores and no ranks.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tournaments.results import MatchResult, in_match_order
from tournaments.student import quantile

# No entrant's name has parentheses.
HOUSE: Final = "(house)"
SUBSTITUTE: Final = "(substitute)"

FEWEST_PODS: Final = 3
"""With fewer pods there is no interval: Student's t with one degree of freedom is 12.7."""

NEGLIGIBLE: Final = 1e-9
"""Rounding errors: an eigenvalue up to this, relative to the greatest or to 1, and a standard error up to
this, count as 0."""

Unit: TypeAlias = Literal["pod", "deal", "table", "match"]
"""Rows are summed by this before anything is squared. Pods are independent. The other units serve for
comparison: a deal in all seatings, a deal in one seating, all deals of one seating."""

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]


class Estimate(msgspec.Struct, frozen=True):
    """An adjusted gain, rounded to 6 decimals."""

    gain: float | None = None
    """Per deal; None without a finished deal."""
    low: float | None = None
    high: float | None = None
    """The 95 % interval; None below FEWEST_PODS or if nothing varies."""
    component: int | None = None
    """Gains of different components cannot be compared."""


class RowOrigin(NamedTuple):
    """Where a row comes from; all numbers count from 1."""

    round_no: int
    pod_no: int
    seating_no: int
    deal_no: int

    def within(self, unit: Unit) -> tuple[int, ...]:
        """The key of the unit in which the row lies."""
        pod = (self.round_no, self.pod_no)
        return {
            "pod": pod,
            "deal": (*pod, self.deal_no),
            "table": (*pod, self.deal_no, self.seating_no),
            "match": (*pod, self.seating_no),
        }[unit]


class GainRow(NamedTuple):
    """A row of the regression."""

    who: str
    table: tuple[str, ...]
    """The names at the table. A name that occurs twice, as HOUSE may, counts twice."""
    y: float
    """What `who` gained above the table's mean."""
    place: RowOrigin


class GainFit(NamedTuple):
    """The result of least squares; arrays are in the order of `names`, which are sorted."""

    names: list[str]
    gain: Array
    """The strengths."""
    covariance: Array
    units: NDArray[np.int64]
    """The number of pods (or other units) that each played in."""
    component: NDArray[np.int32]
    """The number of the connected component."""

    @property
    def has_interval(self) -> NDArray[np.bool_]:
        """Whether each name has an interval."""
        varies = np.sqrt(np.maximum(self.covariance.diagonal(), 0)) > NEGLIGIBLE
        enough: NDArray[np.bool_] = (self.units >= FEWEST_PODS) & varies
        return enough

    @property
    def half_width(self) -> Array:
        """Half the width of each 95 % interval by Student's t; NaN without an interval."""
        error = np.sqrt(np.maximum(self.covariance.diagonal(), 0))
        half_width, known = np.full(len(self.names), np.nan), self.has_interval
        if known.any():
            half_width[known] = quantile(self.units[known] - 1) * error[known]
        return half_width


class _Part(NamedTuple):
    """What least squares needs from the rows of units with the same tables. Tournaments have few of these."""

    columns: Indices
    """Of the names at the tables. The arrays below have these columns only."""
    gram: Array
    """XᵀX of each unit, the Gram matrix."""
    xty: Array
    """Xᵀy, a row for each unit."""

    def add_to(self, gram: Array, xty: Array) -> None:
        """Add what these units know to the sums over all units."""
        gram[np.ix_(self.columns, self.columns)] += len(self.xty) * self.gram
        xty[self.columns] += self.xty.sum(axis=0)


_Merged: TypeAlias = tuple[str, tuple[str, ...], int]
"""Rows of a unit that differ only in y: `who`, the sorted table, and how many they are."""


def adjusted_gains(
    results: Iterable[MatchResult],
    entrants: Collection[str],
    withdrawn: Collection[str] = (),
    *,
    widening: float = 1.0,
) -> dict[str, Estimate]:
    """Estimates by name: for the `entrants` with a finished deal, and for HOUSE (all other names) and
    SUBSTITUTE if they have one. The mean is 0 over the ranked entrants, those not `withdrawn`. Intervals are
    `widening` times as wide as Student's t gives; there are none if that is infinite.

    The order of `results` changes nothing, not even the last bit.
    """
    fit = fitted(rows_of(results, entrants), set(entrants) - set(withdrawn))
    half_widths = widening * fit.half_width
    return {
        name: Estimate(
            gain=rounded(gain),
            low=rounded(gain - half_width) if isfinite(half_width) else None,
            high=rounded(gain + half_width) if isfinite(half_width) else None,
            component=int(component),
        )
        for name, gain, half_width, component in zip(
            fit.names, fit.gain, half_widths, fit.component, strict=True
        )
    }


def gains_by_round(
    rounds: Iterable[Iterable[MatchResult]],
    entrants: Collection[str],
    withdrawn: Iterable[Collection[str]],
) -> Iterator[dict[str, Estimate]]:
    """What `adjusted_gains` gives after each of the `rounds`, but without intervals; `withdrawn`: who had
    left by then. Sums are carried from round to round: a thousand rounds do not take a million steps."""
    rows = [rows_of(results, entrants) for results in rounds]
    names = sorted({row.who for of_round in rows for row in of_round})
    gram, xty = np.zeros((len(names), len(names))), np.zeros(len(names))
    counted, present = frozenset(entrants), set[str]()
    for of_round, gone in zip(rows, withdrawn, strict=True):
        for part in _parts(of_round, names, "pod"):
            part.add_to(gram, xty)
        present |= {row.who for row in of_round}
        known = [i for i, name in enumerate(names) if name in present]
        so_far = gram[np.ix_(known, known)]
        component = _components(so_far)
        ranked = np.array([names[i] in counted and names[i] not in gone for i in known], dtype=np.bool_)
        gain = _centred(_inverse(so_far, component), component, ranked) @ xty[known]
        yield {
            names[i]: Estimate(gain=rounded(of_name), component=int(number))
            for i, of_name, number in zip(known, gain, component, strict=True)
        }


def fitted(rows: Sequence[GainRow], ranked: Collection[str], unit: Unit = "pod") -> GainFit:
    """The strengths behind `rows`, with mean 0 over the `ranked` of each component."""
    names = sorted({row.who for row in rows})
    if not rows:
        return GainFit(names, np.empty(0), np.empty((0, 0)), np.empty(0, np.int64), np.empty(0, np.int32))
    parts = _parts(rows, names, unit)
    gram, xty = np.zeros((len(names), len(names))), np.zeros(len(names))
    for part in parts:
        part.add_to(gram, xty)
    component = _components(gram)
    inverse = _inverse(gram, component)
    centred = _centred(inverse, component, np.array([name in ranked for name in names]))
    gain = centred @ xty
    meat = np.zeros_like(gram)  # The middle of the sandwich.
    for part in parts:
        errors = _errors(part, gain, inverse)
        meat[np.ix_(part.columns, part.columns)] += errors.T @ errors
    units = Counter(who for who, _ in {(row.who, row.place.within(unit)) for row in rows})
    return GainFit(
        names, gain, centred @ meat @ centred.T, np.array([units[name] for name in names]), component
    )


def rows_of(results: Iterable[MatchResult], entrants: Collection[str]) -> list[GainRow]:
    """The rows of the regression, in match order. A name that is not in `entrants` counts as HOUSE."""
    known, rows = frozenset(entrants), list[GainRow]()
    for result in in_match_order(results):
        own = [name if name in known else HOUSE for name in result.entrants]
        fault = {forfeit.seat: forfeit.deal_no for forfeit in result.forfeits}
        for deal_no, gains in enumerate(result.gains, start=1):
            place = RowOrigin(result.round_no, result.pod_no, result.seating_no, deal_no)
            mean = sum(gains) / len(gains)
            lowest = min(gains) - mean
            replaced = {seat for seat, faulted in fault.items() if faulted <= deal_no}
            table = tuple(SUBSTITUTE if seat in replaced else who for seat, who in enumerate(own))
            for seat, gain in enumerate(gains):
                rows.append(GainRow(own[seat], table, lowest if seat in fault else gain - mean, place))
                if seat in replaced:
                    rows.append(GainRow(SUBSTITUTE, table, gain - mean, place))
    return rows


def _parts(rows: Sequence[GainRow], names: Sequence[str], unit: Unit) -> list[_Part]:
    """The parts, in the order of the rows. Rows of a unit that differ only in y are merged: without forfeits,
    one a name is left."""
    column = {name: i for i, name in enumerate(names)}
    by_unit = defaultdict[tuple[int, ...], list[GainRow]](list)
    for row in rows:
        by_unit[row.place.within(unit)].append(row)
    sums_of = defaultdict[tuple[_Merged, ...], list[list[float]]](list)
    for of_unit in by_unit.values():
        merged = defaultdict[tuple[str, tuple[str, ...]], list[float]](list)
        for row in of_unit:
            merged[row.who, tuple(sorted(row.table))].append(row.y)
        ordered = sorted(merged.items())
        tables = tuple((who, table, len(gains)) for (who, table), gains in ordered)
        sums_of[tables].append([sum(gains) for _, gains in ordered])
    return [_part(tables, np.array(sums), column) for tables, sums in sums_of.items()]


def _part(tables: Sequence[_Merged], sums: Array, column: Mapping[str, int]) -> _Part:
    """The part of the units with these tables. `sums`: of y, a row for each unit."""
    members = sorted({name for who, table, _ in tables for name in (who, *table)})
    index = {name: i for i, name in enumerate(members)}
    x = np.zeros((len(tables), len(members)))
    for x_row, (who, table, _) in zip(x, tables, strict=True):
        x_row[index[who]] = 1.0
        for name in table:
            x_row[index[name]] -= 1 / len(table)
    count = np.array([count for _, _, count in tables])
    columns = np.array([column[name] for name in members], dtype=np.intp)
    return _Part(columns, x.T @ (count[:, None] * x), sums @ x)


def _components(gram: Array) -> NDArray[np.int32]:
    """For each name, the number of its connected component: names that tables connect. Components are
    numbered from 0, by the name of each that comes first."""
    component, connected = np.full(len(gram), -1, dtype=np.int32), gram != 0
    for first in range(len(gram)):
        if component[first] < 0:
            reached = _reached(connected, first)
            component[reached] = component.max() + 1
    return component


def _reached(connected: NDArray[np.bool_], first: int) -> NDArray[np.bool_]:
    """`first`, and all that it is connected with, directly or through others."""
    reached: NDArray[np.bool_] = np.arange(len(connected)) == first
    new = reached
    while new.any():
        new = connected[new].any(axis=0) & ~reached
        reached = reached | new
    return reached


def _inverse(gram: Array, component: NDArray[np.int32]) -> Array:
    """P, a generalised inverse of XᵀX.

    XᵀX is singular in exactly one direction for each component: the same number for all its members. Adding
    1 1ᵀ / size there makes it invertible, without a threshold for what counts as zero; X maps that direction
    to 0, so the addition changes no result.
    """
    gram = gram.copy()
    for number in np.unique(component):
        members = np.flatnonzero(component == number)
        gram[np.ix_(members, members)] += 1 / len(members)
    return np.asarray(np.linalg.inv(gram), dtype=np.float64)


def _centred(inverse: Array, component: NDArray[np.int32], ranked: NDArray[np.bool_]) -> Array:
    """C P, where C subtracts the mean over the ranked names of each component (over all names of a component
    without ranked ones), so that C P Xᵀ y are the strengths."""
    centred = inverse.copy()
    for number in np.unique(component):
        members = np.flatnonzero(component == number)
        centre = members[ranked[members]] if ranked[members].any() else members
        centred[members] -= inverse[centre].mean(axis=0)
    return centred


def _errors(part: _Part, gain: Array, inverse: Array) -> Array:
    """The vector Xᵀ_g A_g u_g of each unit g, as rows. It is 0 in all other columns."""
    residuals = part.xty - part.gram @ gain[part.columns]
    corrected: Array = residuals @ _correction(part.gram, inverse[np.ix_(part.columns, part.columns)]).T
    return corrected


def _correction(gram: Array, inverse: Array) -> Array:
    """The matrix K with K Xᵀ u = Xᵀ A u, from XᵀX and P of one unit.

    X = Q R with R = Λ^(1/2) Uᵀ, where Λ are the eigenvalues of XᵀX = U Λ Uᵀ. A is the identity outside the
    columns of Q and Q (I − R P Rᵀ)^(−1/2) Qᵀ within, so that K = Rᵀ (I − R P Rᵀ)^(−1/2) R⁻ᵀ. So no matrix is
    larger than the number of names at the unit's tables. If a unit alone determines a strength, its residuals
    are 0 and say nothing about errors; such directions are left out.
    """
    values, vectors = np.linalg.eigh(gram)
    kept = values > NEGLIGIBLE * values[-1]
    root, vectors = np.sqrt(values[kept]), vectors[:, kept]
    r = root[:, None] * vectors.T
    left, directions = np.linalg.eigh(np.eye(len(root)) - r @ inverse @ r.T)
    raised = np.where(left > NEGLIGIBLE, 1 / np.sqrt(np.maximum(left, NEGLIGIBLE)), 0.0)
    return np.asarray(r.T @ (directions * raised) @ directions.T @ (vectors / root).T, dtype=np.float64)


def rounded(value: float) -> float:
    """`value` rounded to 6 decimals, never −0.0. It is rounded to 9 decimals first: equal values that differ
    by noise in the 15th digit must give equal results even halfway between two roundings, like 1/128."""
    return round(round(float(value), 9), 6) + 0.0
