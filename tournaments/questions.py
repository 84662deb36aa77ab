"""What is open on a board: which versions are to be placed, and which orders are not settled.

**Placement.** A newcomer plays against the panel until its interval is as narrow as the median of the
board's, or WIDEST_IN_MARGINS margins either way if that is wider. The number of pods follows from the board's
variances, not from the newcomer's own rows: stopping when these happen to agree would make its interval too
narrow.

**Questions.** Let d be the difference of two strengths and s its standard error by the model; z = 1.96.

* The order of any two versions is open while z s − |d| > margin: it may be wrong by more than the margin.
* Neighbours in the order of strength, and a version and its predecessor, are open while |d| + z s > margin:
  they may differ by more than the margin.
* A pair is closed once one of them may be called ahead of the other (eprocess.py).

The size of a question is z s − |d| − margin; each version asks its largest. The model decides only what is
asked, and when nothing is open, so that the board sleeps. No statement rests on it.

Numbers that a choice depends on are rounded, so that it can be repeated from the journal. Knows no authors
and no clock.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, permutations
from math import ceil, inf, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tournaments.agenda import Wish
from tournaments.eprocess import PairEvidence, is_ahead, is_behind, log_capital, share_of_alpha
from tournaments.statistics import Array
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


def open_wishes(
    versions: Sequence[str],
    fit: StrengthFit | None,
    singles: Mapping[str, Sums],
    versus: Mapping[Pair, PairEvidence],
    predecessors: Mapping[str, str],
    costs: Mapping[str, int],
    margin: float,
    alpha: float,
) -> list[Wish]:
    """All that is open, in the order of `versions`: the ranked versions, the anchor (whose strength is 0)
    first. fit: None before the first comparison. predecessors: they need not be ranked. costs: the core
    milliseconds of a pod, by version.

    While the variances are unknown, the first version is compared with the founders in turn before anything
    else is asked; these versions skip placement. A founder that never differed from the first in FOUNDING
    comparisons is a copy of it, and makes room for another."""
    known = fit is not None and fit.variances.known
    founders = {} if known else _founders(versions, versus)
    founding = {versions[0], *founders} if founders else set()
    pods = pods_of_placement(fit, margin)
    wishes, placed = [], []
    for version in versions:
        count = singles.get(version, Sums()).count
        if (fit is not None and version in fit.names) or count >= pods:
            placed.append(version)
        elif version not in founding:
            wishes.append(Wish(version, None, size=count - pods, cost=costs[version], left=pods - count))
    if founders:
        one, other = versions[0], min(founders, key=founders.__getitem__)
        return [Wish(one, other, VAST, costs[one] + costs[other], FEWEST_DEGREES), *wishes]
    if fit is None or not known:
        return wishes
    return wishes + list(_questions(placed, fit, singles, versus, predecessors, costs, margin, alpha))


def _founders(versions: Sequence[str], versus: Mapping[Pair, PairEvidence]) -> dict[str, int]:
    """The founders that the first version is still compared with, and how often it has been."""
    met = {other: _between(versus, versions[0], other).count for other in versions[1:]}
    return dict(islice(((other, count) for other, count in met.items() if count < FOUNDING), FOUNDERS))


def _between(versus: Mapping[Pair, PairEvidence], one: str, other: str) -> PairEvidence:
    """The evidence about a pair; a new pair is the next to be opened. The pair may be reversed, so use only
    what does not depend on which is first."""
    return versus.get((one, other)) or versus.get((other, one)) or PairEvidence(opened=len(versus) + 1)


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


def _questions(
    placed: Sequence[str],
    fit: StrengthFit,
    singles: Mapping[str, Sums],
    versus: Mapping[Pair, PairEvidence],
    predecessors: Mapping[str, str],
    costs: Mapping[str, int],
    margin: float,
    alpha: float,
) -> Iterator[Wish]:
    """The largest open question of each version in `placed`."""
    names = [*placed, *_unranked_predecessors(placed, fit, predecessors)]
    strength, covariance = _numbers(names, fit, singles)
    placed_count = len(placed)
    variance = np.diag(covariance)
    apart = np.abs(np.round(strength[:, None] - strength, 6))[:placed_count]
    squares: Array = np.maximum(variance[:, None] + variance - 2 * covariance, 0)
    error = np.round(squares**0.5, 6)[:placed_count]
    excess = np.round(Z * error - apart - margin, 6)
    asked = excess > 0
    asked[:, placed_count:] = False
    missing: Array = np.full(asked.shape, inf, dtype=np.float64)
    for i, j in _statements(placed, names, strength, predecessors):
        known = _between(versus, names[i], names[j])
        asked[i, j] |= apart[i, j] + Z * error[i, j] > margin
        capital = max(log_capital(known.ahead), log_capital(known.behind))
        missing[i, j] = -log(share_of_alpha(known.opened, alpha)) - capital
    for i, j in _settled(names, versus, alpha):
        if i < placed_count:
            asked[i, j] = False
    np.fill_diagonal(asked, False)
    left = _left(asked, apart, error, missing, fit.variances.of_difference, margin)
    size = np.where(asked, excess, -inf)
    for i in np.flatnonzero(asked.any(axis=1)).tolist():
        j = int(size[i].argmax())
        one, other = placed[i], names[j]
        yield Wish(one, other, float(size[i, j]), costs[one] + costs[other], int(left[i].max()))


def _unranked_predecessors(
    placed: Sequence[str], fit: StrengthFit, predecessors: Mapping[str, str]
) -> Iterable[str]:
    """The predecessors of `placed` versions that are measured, but not ranked."""
    before = (predecessors[name] for name in placed if name in predecessors)
    return dict.fromkeys(name for name in before if name in fit.names and name not in placed)


def _settled(
    names: Sequence[str], versus: Mapping[Pair, PairEvidence], alpha: float
) -> Iterator[tuple[int, int]]:
    """The pairs in which one may be called ahead, as places in `names`, in both orders."""
    row = {name: i for i, name in enumerate(names)}
    for (one, other), known in versus.items():
        if one in row and other in row and (is_ahead(known, alpha) or is_behind(known, alpha)):
            yield from permutations((row[one], row[other]))


def _statements(
    placed: Sequence[str], names: Sequence[str], strength: Array, predecessors: Mapping[str, str]
) -> Iterator[tuple[int, int]]:
    """The pairs about which the board is to make a statement, as places in `names`: neighbours, in both
    orders, and a version with its predecessor."""
    order = sorted(range(len(placed)), key=lambda i: (-round(float(strength[i]), 6), placed[i]))
    for above, below in pairwise(order):
        yield above, below
        yield below, above
    for i, name in enumerate(placed):
        if (before := predecessors.get(name)) in names:
            yield i, names.index(before)


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
    asked: NDArray[np.bool_], apart: Array, error: Array, missing: Array, variance: float, margin: float
) -> NDArray[np.int64]:
    """About how many comparisons each open question takes; 0 for those not open. It is settled when the
    error is small enough for the order, or, of a statement, for "about equal"; or when the capital is large
    enough for a statement. `missing`: the logarithm that the capital lacks, infinite without a statement."""
    statement = missing < inf
    goal = np.where(statement, np.maximum(margin - apart, 1e-9), margin + apart) / Z
    goal = np.minimum(goal, error)
    with np.errstate(divide="ignore", invalid="ignore"):
        until_narrow = variance * (1 / goal**2 - 1 / error**2)
        # With the best bets, the log capital grows by half the square of difference ÷ standard deviation.
        until_said = missing * 2 * variance / np.maximum(apart, 1e-9) ** 2
    needed = np.clip(np.nan_to_num(np.minimum(until_narrow, until_said)), 1, MOST_LEFT)
    return np.where(asked, np.ceil(needed), 0).astype(np.int64)


def seconds_until_asleep(wishes: Sequence[Wish], costs: Mapping[str, int], jobs: int) -> float:
    """About how many seconds `jobs` cores need until nothing is open. A comparison serves both of its
    versions, so half of what all need is played."""
    core_ms = 0
    for wish in wishes:
        if wish.other is None:
            core_ms += wish.left * costs[wish.asker]
        else:
            core_ms += wish.left * (costs[wish.asker] + costs[wish.other]) // 2
    return ceil(core_ms / jobs) / 1000
