"""What is open on a board: who is to be placed, and whose order is not settled.

**Placement.** A newcomer plays against the panel for as many pods as make its interval as narrow as the
median of the board's, or WIDEST margins either way if that is wider. That number follows from the board's
variances, not from the newcomer's own rows: to stop when these happen to agree would make its interval too
narrow.

**Questions.** Let d be the difference of two strengths and s its standard error by the model; z = 1.96.

* The order of any two versions is open while z s − |d| > margin: it may be wrong by more than the margin.
* Neighbours in the order of strength, and a version and the one before it, are open while |d| + z s > margin,
  so that they may differ by more than the margin.
* No two are open of which one is said to be ahead of the other (eprocess.py).

The size of a question is z s − |d| − margin; each version asks the largest of its own. The model decides
only what is asked, and when the board sleeps: when nothing is open. What is said does not rest on it.

What a choice depends on is rounded, so that it can be repeated from the journal. Knows no authors and no
clock.
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

FEWEST_PLACEMENT: Final = 8
MOST_PLACEMENT: Final = 60
"""The fewest and most pods of a placement."""

WIDEST: Final = 2.0
"""A placement goes on while the half width of the interval is larger than so many margins."""

FOUNDERS: Final = 3
FOUNDING: Final = 20
"""In the beginning the first version is compared with so many others in turn, so often at most with each."""

VAST: Final = 1e9
"""The size of the question that comes before all others."""

MOST_LEFT: Final = 100_000
"""No more comparisons are forecast for one version."""


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
    """All that is open, in the order of `versions`: those that are ranked, the anchor that is the zero before
    all others. fit: None before the first comparison. predecessors: by version the one before it, which need
    not be ranked. costs: by version the core milliseconds of a pod.

    As long as the variances are unknown, the first of `versions` is compared with the next ones, in turn,
    before anything else is asked; these are not placed. Whoever has not differed from it in FOUNDING
    comparisons is a copy of it, and makes room for the next one."""
    known = fit is not None and fit.variances.known
    founders = {} if known else _founders(versions, versus)
    wanted = pods_of_placement(fit, margin)
    found = []
    standing = []
    for version in versions:
        count = singles.get(version, Sums()).count
        if (fit is not None and version in fit.names) or count >= wanted:
            standing.append(version)
        elif version not in founders and (version != versions[0] or not founders):
            found.append(Wish(version, None, count - wanted, costs[version], wanted - count))
    if founders:
        one, other = versions[0], min(founders, key=founders.__getitem__)
        return [Wish(one, other, VAST, costs[one] + costs[other], FEWEST_DEGREES), *found]
    if fit is None or not known:
        return found
    return found + list(_questions(standing, fit, singles, versus, predecessors, costs, margin, alpha))


def _founders(versions: Sequence[str], versus: Mapping[Pair, PairEvidence]) -> dict[str, int]:
    """The first versions that the very first can be compared with, and how often it was."""
    met = {other: _between(versus, versions[0], other).count for other in versions[1:]}
    return dict(islice(((other, count) for other, count in met.items() if count < FOUNDING), FOUNDERS))


def _between(versus: Mapping[Pair, PairEvidence], one: str, other: str) -> PairEvidence:
    """What is known of a pair, whichever of the two came first; a new pair is the next to be opened."""
    return versus.get((one, other)) or versus.get((other, one)) or PairEvidence(opened=len(versus) + 1)


def pods_of_placement(fit: StrengthFit | None, margin: float) -> int:
    """How many pods a newcomer plays against the panel."""
    if fit is None or not fit.variances.known:
        return FEWEST_PLACEMENT
    usual = Z * float(np.median(np.sqrt(np.diag(fit.covariance))))
    widest = max(usual, WIDEST * margin)
    of_row = fit.variances.of_row
    for pods in range(FEWEST_PLACEMENT, MOST_PLACEMENT):
        if quantile(pods - 1) * (of_row / pods) ** 0.5 <= widest:
            return pods
    return MOST_PLACEMENT


def _questions(
    standing: Sequence[str],
    fit: StrengthFit,
    singles: Mapping[str, Sums],
    versus: Mapping[Pair, PairEvidence],
    predecessors: Mapping[str, str],
    costs: Mapping[str, int],
    margin: float,
    alpha: float,
) -> Iterator[Wish]:
    """Of each version of `standing` the largest question that it has."""
    names = [*standing, *_resting(standing, fit, predecessors)]
    strength, covariance = _numbers(names, fit, singles)
    ranked = len(standing)
    variance = np.diag(covariance)
    apart = np.abs(np.round(strength[:, None] - strength, 6))[:ranked]
    squares: Array = np.maximum(variance[:, None] + variance - 2 * covariance, 0)
    error = np.round(squares**0.5, 6)[:ranked]
    excess = np.round(Z * error - apart - margin, 6)
    asked = excess > 0
    asked[:, ranked:] = False
    missing: Array = np.full(asked.shape, inf, dtype=np.float64)
    for i, beside in _statements(standing, names, strength, predecessors):
        known = _between(versus, names[i], names[beside])
        asked[i, beside] |= apart[i, beside] + Z * error[i, beside] > margin
        capital = max(log_capital(known.ahead), log_capital(known.behind))
        missing[i, beside] = -log(share_of_alpha(known.opened, alpha)) - capital
    for i, beside in _settled(names, versus, alpha):
        if i < ranked:
            asked[i, beside] = False
    np.fill_diagonal(asked, False)
    left = _left(asked, apart, error, missing, fit.variances.of_difference, margin)
    size = np.where(asked, excess, -inf)
    for i in np.flatnonzero(asked.any(axis=1)).tolist():
        beside = int(size[i].argmax())
        one, other = standing[i], names[beside]
        yield Wish(one, other, float(size[i, beside]), costs[one] + costs[other], int(left[i].max()))


def _resting(standing: Sequence[str], fit: StrengthFit, predecessors: Mapping[str, str]) -> Iterable[str]:
    """The versions before those of `standing` that are measured, but not ranked."""
    before = (predecessors[name] for name in standing if name in predecessors)
    return dict.fromkeys(name for name in before if name in fit.names and name not in standing)


def _settled(
    names: Sequence[str], versus: Mapping[Pair, PairEvidence], alpha: float
) -> Iterator[tuple[int, int]]:
    """The places in `names` of the pairs of which one is known to be better, from both sides."""
    row = {name: i for i, name in enumerate(names)}
    for (one, other), known in versus.items():
        if one in row and other in row and (is_ahead(known, alpha) or is_behind(known, alpha)):
            yield from permutations((row[one], row[other]))


def _statements(
    standing: Sequence[str], names: Sequence[str], strength: Array, predecessors: Mapping[str, str]
) -> Iterator[tuple[int, int]]:
    """The places in `names` of those about whom something is to be said: neighbours, from both sides, and a
    version with the one before it."""
    order = sorted(range(len(standing)), key=lambda i: (-round(float(strength[i]), 6), standing[i]))
    for above, below in pairwise(order):
        yield above, below
        yield below, above
    for i, name in enumerate(standing):
        if (before := predecessors.get(name)) in names:
            yield i, names.index(before)


def _numbers(names: Sequence[str], fit: StrengthFit, singles: Mapping[str, Sums]) -> tuple[Array, Array]:
    """Strengths and covariance of versions in the fit and of those that were placed, which are independent
    of all others."""
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
    """About how many comparisons each open question takes, 0 where none is open. They make the error smaller
    until the order, or for statements that both are equal, is settled; or until the capital, which lacks
    `missing` in logarithms (infinite where nothing is to be said), is large enough for a statement."""
    statement = missing < inf
    goal = np.where(statement, np.maximum(margin - apart, 1e-9), margin + apart) / Z
    goal = np.minimum(goal, error)
    with np.errstate(divide="ignore", invalid="ignore"):
        narrower = variance * (1 / goal**2 - 1 / error**2)
        # The capital grows by half the square of the difference over its deviation, if bets are the best.
        said = missing * 2 * variance / np.maximum(apart, 1e-9) ** 2
    needed = np.clip(np.nan_to_num(np.minimum(narrower, said)), 1, MOST_LEFT)
    return np.where(asked, np.ceil(needed), 0).astype(np.int64)


def asleep_in(wishes: Sequence[Wish], costs: Mapping[str, int], jobs: int) -> float:
    """About how many seconds it takes on `jobs` cores until nothing is open. A comparison serves both of its
    versions, so half of what all need is played."""
    total = 0
    for wish in wishes:
        if wish.other is None:
            total += wish.left * costs[wish.asker]
        else:
            total += wish.left * (costs[wish.asker] + costs[wish.other]) // 2
    return ceil(total / jobs) / 1000
