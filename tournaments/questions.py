"""What is open on a board: which versions are to be placed, and which orders are not settled.

**Placement.** A newcomer plays against the panel until its interval is as narrow as the median of the
board's, or WIDEST_IN_MARGINS margins either way if that is wider. The number of pods follows from the board's
variances, not from the newcomer's own rows: stopping when these happen to agree would make its interval too
narrow. Whoever has no pod comes first, then whoever has no interval.

**Questions.** Let d be the difference of two strengths and s its standard error by the model; z = 1.96.

* The order of any two versions is open while z s − |d| > margin: it may be wrong by more than the margin.
* Neighbours in the order of strength, the leader and everybody that it is not said to be ahead of, and a
  version and its predecessor, are open while |d| + z s > margin: they may differ by more than the margin.
* A pair is closed while the board says that one is ahead of the other (evidence.py), if the two play alike,
  and if neither is an author's: nobody wants to know the order of two anchors, once both have been compared.

The leader and neighbours are asked about first, then versions and their predecessors, then all others, and
within these the largest z s − |d| − margin; each version asks one question. The model decides only what is
asked, and when nothing is open, so that the board sleeps. No statement rests on it.

Numbers that a choice depends on are rounded, so that it can be repeated from the journal. Knows no clock.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from math import ceil, inf, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tournaments.agenda import WEIGHTS, Turn, Wish
from tournaments.statistics import FEWEST_PODS, Array
from tournaments.strength import FEWEST_DEGREES, Pair, StrengthFit, Sums
from tournaments.student import quantile

Z: Final = 1.96
"""The normal quantile, for the board's strengths; a newcomer has few pods, and gets Student's t."""

FEWEST_PLACEMENT: Final = 8
MOST_PLACEMENT: Final = 60
"""The fewest and most pods of a placement."""

WIDEST_IN_MARGINS: Final = 2.0
"""A placement goes on while half the width of the interval is more than this many margins."""

FOUNDERS: Final = 3
"""On a new board, the first version is compared with this many others in turn, …"""
FOUNDING: Final = 20
"""… and with each of them at most this many times."""

VAST: Final = 1e9
"""The size of the question that comes before all others."""

MOST_LEFT: Final = 100_000
"""The forecast for one version never exceeds this number of comparisons."""

NEEDED: Final = 8.0
"""About the logarithm of the evidence that a statement needs, for the forecast."""


class Ranked(NamedTuple):
    """The versions of a board, and what is known of them."""

    versions: Sequence[str]
    """Those that are ranked, the anchor (whose strength is 0) first."""
    fit: StrengthFit | None
    """None before the first comparison."""
    singles: Mapping[str, Sums]
    """The rows of placements."""
    comparisons: Mapping[Pair, int]
    """How often a pair was compared; the two may be in either order."""
    settled: Collection[Pair]
    """The pairs that the board makes a statement about, and copies; in either order."""
    predecessors: Mapping[str, str]
    """They need not be ranked."""
    anchors: Collection[str]
    costs: Mapping[str, int]
    """The core milliseconds of a pod, by version."""
    margin: float


def open_wishes(ranked: Ranked) -> list[Wish]:
    """All that is open, in the order of the versions.

    While the variances are unknown, the first version is compared with the founders in turn before anything
    else is asked; these versions skip placement. A founder that never differed from the first in FOUNDING
    comparisons is a copy of it, and makes room for another."""
    versions, fit, costs = ranked.versions, ranked.fit, ranked.costs
    known = fit is not None and fit.variances.known
    founders = {} if known else _founders(ranked)
    founding = {versions[0], *founders} if founders else set()
    pods = pods_of_placement(fit, ranked.margin)
    wishes, placed = [], []
    compared = Counter[str]()
    for pair, times in ranked.comparisons.items():
        compared.update(dict.fromkeys(pair, times))
    for version in versions:
        count = ranked.singles.get(version, Sums()).count + compared[version]
        # Once it is compared with others, its interval is the model's.
        enough = FEWEST_PLACEMENT if fit is not None and version in fit.names else pods
        if count >= enough:
            placed.append(version)
        elif version not in founding:
            left = enough - count
            wishes.append(Wish(version, None, -left, costs[version], left, _turn(count)))
    if founders:
        one, other = versions[0], min(founders, key=founders.__getitem__)
        return [
            Wish(one, other, VAST, costs[one] + costs[other], FEWEST_DEGREES, Turn.STATEMENT),
            *wishes,
        ]
    if fit is None or not known:
        return wishes
    return wishes + list(_questions(placed, ranked, fit))


def _turn(pods: int) -> Turn:
    if not pods:
        return Turn.WITHOUT_PODS
    return Turn.WITHOUT_INTERVAL if pods < FEWEST_PODS else Turn.REST


def _founders(ranked: Ranked) -> dict[str, int]:
    """The founders that the first version is still compared with, and how often it has been."""
    first, *others = ranked.versions or ("",)
    met = ranked.comparisons
    counts = {other: met.get((first, other), met.get((other, first), 0)) for other in others}
    return dict(islice(((other, count) for other, count in counts.items() if count < FOUNDING), FOUNDERS))


def pods_of_placement(fit: StrengthFit | None, margin: float) -> int:
    """How many pods a newcomer plays against the panel."""
    if fit is None or not fit.variances.known:
        return FEWEST_PLACEMENT
    usual = Z * float(np.median(np.sqrt(np.diag(fit.covariance))))
    target_half_width = max(usual, WIDEST_IN_MARGINS * margin)
    of_row = fit.variances.of_row
    for pods in range(FEWEST_PLACEMENT, MOST_PLACEMENT):
        if quantile(pods - 1) * (of_row / pods) ** 0.5 <= target_half_width:
            return pods
    return MOST_PLACEMENT


def _questions(placed: Sequence[str], ranked: Ranked, fit: StrengthFit) -> Iterator[Wish]:
    """The first open question of each version in `placed`."""
    names = [*placed, *_unranked_predecessors(placed, ranked)]
    strength, covariance = _numbers(names, fit, ranked.singles)
    variance, margin, costs = np.diag(covariance), ranked.margin, ranked.costs
    shape = len(placed), len(names)
    apart = np.abs(np.round(strength[:, None] - strength, 6))[: len(placed)]
    squares: Array = np.maximum(variance[:, None] + variance - 2 * covariance, 0)
    error = np.round(squares**0.5, 6)[: len(placed)]
    excess = np.round(Z * error - apart - margin, 6)
    closed = _closed(placed, names, ranked, fit)
    turn = np.full(shape, Turn.REST)
    for i, j in _predecessors(placed, names, ranked.predecessors):
        turn[i, j] = Turn.PREDECESSOR
    for i, j in _statements(placed, strength, closed):
        turn[i, j] = Turn.STATEMENT
    asked = np.where(turn == Turn.REST, excess > 0, apart + Z * error > margin) & ~closed
    asked[:, len(placed) :] &= turn[:, len(placed) :] != Turn.REST
    left, at_most = (
        _left(asked, apart, error, turn != Turn.REST, fit.variances.of_difference, margin, sure=sure)
        for sure in (True, False)
    )
    for i in np.flatnonzero(asked.any(axis=1)).tolist():
        first = asked[i] & (turn[i] == turn[i][asked[i]].min())
        j = int(np.where(first, excess[i], -inf).argmax())
        one, other, cost = placed[i], names[j], costs[placed[i]] + costs[names[j]]
        yield Wish(
            one,
            other,
            float(excess[i, j]),
            cost,
            int(left[i].max()),
            Turn(int(turn[i, j])),
            int(at_most[i].max()),
        )


def _closed(
    placed: Sequence[str], names: Sequence[str], ranked: Ranked, fit: StrengthFit
) -> NDArray[np.bool_]:
    """The pairs that are not asked about, whatever their strengths, as places in `placed` and `names`."""
    row = {name: i for i, name in enumerate(names)}
    # An anchor has to be compared once, so that its strength corrects for the luck of meeting it.
    anchor = np.array([name in ranked.anchors and name in fit.names for name in names])
    closed: NDArray[np.bool_] = np.logical_and.outer(anchor, anchor)
    for one, other in ranked.settled:
        if one in row and other in row:
            closed[row[one], row[other]] = closed[row[other], row[one]] = True
    np.fill_diagonal(closed, val=True)
    return closed[: len(placed)]


def _unranked_predecessors(placed: Sequence[str], ranked: Ranked) -> Iterable[str]:
    """The predecessors of `placed` versions that are measured, but not ranked."""
    before = (ranked.predecessors[name] for name in placed if name in ranked.predecessors)
    measured = {*ranked.singles, *(ranked.fit.names if ranked.fit else ())}
    return dict.fromkeys(name for name in before if name in measured and name not in placed)


def _predecessors(
    placed: Sequence[str], names: Sequence[str], predecessors: Mapping[str, str]
) -> Iterator[tuple[int, int]]:
    """Each version and its predecessor, as places in `names`."""
    for i, name in enumerate(placed):
        if (before := predecessors.get(name)) in names:
            yield i, names.index(before)


def _statements(
    placed: Sequence[str], strength: Array, closed: NDArray[np.bool_]
) -> Iterator[tuple[int, int]]:
    """The pairs that people ask about first, in both orders: neighbours, and the leader with everybody."""
    order = sorted(range(len(placed)), key=lambda i: (-round(float(strength[i]), 6), placed[i]))
    with_leader = ((order[0], other) for other in order[1:])
    for above, below in (*pairwise(order), *with_leader):
        yield above, below
        yield below, above


def _numbers(names: Sequence[str], fit: StrengthFit, singles: Mapping[str, Sums]) -> tuple[Array, Array]:
    """The strengths and their covariance. A version that is not in the fit is independent of all others."""
    strength = np.zeros(len(names))
    covariance = np.zeros((len(names), len(names)))
    column = {name: i for i, name in enumerate(fit.names)}
    inside = [i for i, name in enumerate(names) if name in column]
    columns = [column[names[i]] for i in inside]
    strength[inside] = fit.strength[columns]
    covariance[np.ix_(inside, inside)] = fit.covariance[np.ix_(columns, columns)]
    for i, name in enumerate(names):
        if name not in column:
            sums = singles[name]
            strength[i] = sums.total / sums.count
            covariance[i, i] = fit.variances.of_row / sums.count
    return strength, covariance


def _left(
    asked: NDArray[np.bool_],
    apart: Array,
    error: Array,
    statement: NDArray[np.bool_],
    variance: float,
    margin: float,
    *,
    sure: bool,
) -> NDArray[np.int64]:
    """About how many comparisons each open question takes; 0 for those not open. It is settled when the
    error is small enough for the order; or, of a statement, for the statement, or for "about equal". If not
    `sure`, as many as it takes for the worst difference within two standard errors of the estimate."""
    if not sure:
        # Of all differences this one takes longest to be called a difference, or none.
        worst = margin / (1 + Z / sqrt(2 * NEEDED))
        apart = np.where(
            statement, np.clip(worst, apart - 2 * error, apart + 2 * error), np.maximum(apart - 2 * error, 0)
        )
    said = np.abs(apart) / sqrt(2 * NEEDED)
    goal = np.where(statement, np.maximum(said, (margin - apart) / Z), (margin + apart) / Z)
    goal = np.minimum(np.maximum(goal, 1e-9), error)
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = variance * (1 / goal**2 - 1 / error**2)
    needed = np.clip(np.nan_to_num(needed), 1, MOST_LEFT)
    return np.where(asked, np.ceil(needed), 0).astype(np.int64)


class Forecast(NamedTuple):
    """About how many seconds some cores need."""

    placed_in: float
    """Until every version is placed, if no more versions come."""
    asleep_in: float
    """Until nothing is open, at least."""
    asleep_by: float
    """The same at most."""


def forecast(wishes: Sequence[Wish], jobs: int) -> Forecast:
    """The forecast for `jobs` cores. A comparison serves both of its versions, so half of what all need is
    played. Questions take their part of the cores while versions are placed."""
    work = sum(wish.left * wish.cost for wish in wishes if wish.other is None)
    questions = [wish for wish in wishes if wish.other is not None]
    least, most = (
        sum(left * wish.cost for wish, left in zip(questions, lefts, strict=True)) / 2
        for lefts in ([wish.left for wish in questions], [wish.left_at_most for wish in questions])
    )
    placed = min(work * sum(WEIGHTS.values()) / WEIGHTS["placement"], work + least)
    return Forecast(*(ceil(core_ms / jobs) / 1000 for core_ms in (placed, work + least, work + most)))
