"""Which version may be called ahead of which, from every pod of a board, however often people look.

**Unit.** A row: how much more a version gained per deal in a pod than its companions did, corrected for the
companions that it met by chance (strength.py). Two rows of one draw, with the same deals and companions, are
a comparison. A row that is drawn now is independent of all rows before it, whoever was chosen and why. Rows
must be added in the order in which they were drawn: how a pod goes may make it end early.

**Evidence.** "A is ahead of C" rejects that A's strength is at most C's. Suppose that it is, and let c be any
number between the two. Then a bettor who bets that A's rows lie above c is not expected to win, nor is one
who bets that C's rows lie below c, nor do both together. Nobody knows c, so the evidence is what both have
together at the c that is worst for them; a cell of the grid is judged by its less favourable end. This is
multiplied by the capital of a bettor on the differences of their comparisons. In a fair game a capital ever
reaches x with a probability of 1/x at most (J. Ville, Étude critique de la notion de collectif, 1939). No row
of A is paired with a row of C by its number: whoever stops C where A looked best would be looking ahead.

**Bets.** A row counts for at most CLIP scales. A capital that bets λ is multiplied by exp(λ x − ψ(λ)), where
ψ(λ) is the logarithm of the expected factor for a normal row; capital is divided equally between several λ.
The scale is fixed before the row is known: WIDER times the deviation that the board was founded with, or that
of the version's earlier rows, by their median deviation, if that is greater. So what is assumed is that,
apart from outliers, a row is no wilder than a normal one of that scale.

**Panels.** Strengths against different panels are different numbers. After a change of panel the bets on rows
begin anew, and the evidence of all panels since both versions have begun is multiplied; comparisons go on.

**Many statements.** Each pair gets a weight by the arrival of its two versions, and by the panel with which
both have begun: whoever could choose that panel by the rows of the first version would be looking ahead. All
weights sum to 1. A version may arrive when another one looks lucky: the bets on the rows of that one began
before, and on average they have won nothing either.

At any moment R statements stand if each of them has evidence of 1/(α × weight × R) at least (e-BH: R. Wang &
A. Ramdas, Journal of the Royal Statistical Society B 84, 2022). Then the expected share of wrong statements
among them is at most α, at whatever moment somebody looks. Such a statement may be taken back. One whose
evidence has ever reached 1/(α × weight) is certain: it stands for ever, and so does what follows from several
of these. The probability that a board ever calls anything wrong certain is at most α.

Knows no authors, no game and no clock.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import erf, exp, inf, log, sqrt
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from tournaments.statistics import Array

Pair: TypeAlias = tuple[str, str]
"""For a statement: the version that is ahead, then the other one."""

ALPHA: Final = 0.05
"""By default, the greatest expected share of wrong statements at a moment, and the greatest probability that
any is wrongly called certain."""

CLIP: Final = 2.0
WIDER: Final = 1.2
BETS: Final = (0.0, 0.35, 0.7, 1.1, 1.8)
"""The λ of bets on rows. The 0 keeps a part of the capital, so no threshold ruins the evidence by itself."""
BETS_ON_DIFFERENCES: Final = (0.15, 0.35, 0.7, 1.1, 1.8)

PRIOR_ROWS: Final = 4
"""A board's deviation counts like this many rows beside the earlier rows of a version, …"""
FEWEST_ROWS: Final = 3
"""… which count once there are this many."""
NORMAL: Final = 1.4826
"""The standard deviation of a normal variable, divided by its median absolute deviation."""
OWN_SHARE: Final = 0.64
"""The share of a row's variance that the two rows of a comparison do not have in common."""

STEPS: Final = 10
"""Steps of the grid in a deviation, …"""
REACH: Final = 16
"""… which has this many deviations on each side of 0."""

COMPARED_ONLY: Final = 0.25
"""The share of the capital that bets on comparisons alone."""
EARLY_PAIRS: Final = 200
"""About this many pairs share half of all weight."""
FIRST_PANEL: Final = 0.8
"""The share of a pair's weight if both versions began with the first panel; each later panel has half as much
as the one before it."""


def log_mean_factor(bet: float) -> float:
    """ψ(λ): the logarithm of the mean of exp(λ Z) for a standard normal Z, cut off at ±CLIP."""
    middle = exp(bet * bet / 2) * (_normal(CLIP - bet) - _normal(-CLIP - bet))
    return log(_normal(-CLIP) * (exp(bet * CLIP) + exp(-bet * CLIP)) + middle)


def _normal(x: float) -> float:
    return (1 + erf(x / sqrt(2))) / 2


_ON_ROWS: Final = np.array(BETS)
_ON_DIFFERENCES: Final = np.array(BETS_ON_DIFFERENCES)
_ROW_COST: Final = np.array([log_mean_factor(bet) for bet in BETS])
_DIFFERENCE_COST: Final = np.array([log_mean_factor(bet) for bet in BETS_ON_DIFFERENCES])
_GRID: Final = np.concatenate(([-np.inf], np.arange(-REACH * STEPS, REACH * STEPS + 1) / STEPS, [np.inf]))
"""Thresholds, in deviations of the board. The outer cells have no end, so every strength lies in a cell."""
_NOTHING: Final = np.zeros((2, len(BETS), len(_GRID)))
_NO_BETS: Final = np.zeros(len(BETS_ON_DIFFERENCES))


class Row(NamedTuple):
    """A row of a version."""

    value: float
    scale: float
    """What one unit of a bet is, in gain per deal."""
    partner: str | None
    """The other version of the comparison; None in a placement."""


class _Panel:
    """The rows of all versions against one panel, and what has been bet on them."""

    def __init__(self, deviation: float) -> None:
        self._deviation = deviation
        self._rows: defaultdict[str, list[Row]] = defaultdict(list)
        self._values: defaultdict[str, list[float]] = defaultdict(list)
        """The values of these rows, in ascending order."""
        self._bets: dict[tuple[str, str | None], tuple[int, Array]] = {}
        """By version, the logarithms of its bets on so many of its rows, or only on those of its comparisons
        with a partner: above each threshold or below it (0 or 1), by λ and threshold."""
        self._capital: dict[str, tuple[int, Array]] = {}
        """By version, the logarithm of its whole capital on so many rows, above and below each threshold."""

    def add(self, version: str, value: float, partner: str | None) -> None:
        values = self._values[version]
        self._rows[version].append(Row(value, scale(values, self._deviation), partner))
        insort(values, value)

    def worst(self, above: str, below: str, *, compared: bool) -> float:
        """The logarithm of what both bettors have together at the threshold that is worst for them. Leaves
        out the comparisons of the two with each other."""
        if compared:
            up = _log_mean(self._bets_of(above, None) - self._bets_of(above, below))
            down = _log_mean(self._bets_of(below, None) - self._bets_of(below, above))
        else:
            up, down = self._capital_of(above), self._capital_of(below)
        return float((up[0, 1:] + down[1, :-1]).min())

    def _capital_of(self, version: str) -> Array:
        count, capital = self._capital.get(version, (-1, _NOTHING[:, 0]))
        if count != len(self._rows[version]):
            capital = _log_mean(self._bets_of(version, None))
            self._capital[version] = len(self._rows[version]), capital
        return capital

    def _bets_of(self, version: str, partner: str | None) -> Array:
        rows = self._rows[version]
        count, bets = self._bets.get((version, partner), (0, _NOTHING))
        new = [row for row in rows[count:] if partner in (None, row.partner)]
        if new:
            values, scales = (np.array([row[i] for row in new])[:, None] for i in (0, 1))
            x = np.clip((values - self._deviation * _GRID) / scales, -CLIP, CLIP).sum(axis=0)
            won = _ON_ROWS[:, None] * x
            bets = bets + np.stack((won, -won)) - len(new) * _ROW_COST[:, None]
        self._bets[version, partner] = len(rows), bets
        return bets


class Evidence:
    """The evidence of one board, from its rows so far."""

    def __init__(self, deviation: float) -> None:
        """`deviation`: of a row, in gain per deal, as expected when the board is founded."""
        self._deviation = deviation
        self._panels: dict[int, _Panel] = {}
        self._began: dict[str, int] = {}
        """For each version, the panel of its first row."""
        self._count: defaultdict[str, int] = defaultdict(int)
        self._known: dict[Pair, tuple[int, int, float]] = {}
        """The evidence of a statement after so many rows of each version."""
        self._differences: defaultdict[Pair, list[float]] = defaultdict(list)
        """How much more the first gained in each comparison, in ascending order."""
        self._bets: dict[Pair, tuple[Array, Array]] = {}
        """The logarithms of the bets on the first of a pair and on the second, by λ."""

    def placed(self, version: str, row: float, panel: int = 0) -> None:
        """Add a row without a partner. `panel`: the number of panels before this one."""
        self._add(version, row, None, panel)

    def compared(self, pair: Pair, first: float, second: float, panel: int = 0) -> None:
        """Add a comparison; of a pair the same version always comes first."""
        one, other = pair
        self._add(one, first, other, panel)
        self._add(other, second, one, panel)
        before = self._differences[pair]
        x = (first - second) / scale(before, self._deviation * sqrt(2 * OWN_SHARE))
        won = _ON_DIFFERENCES * min(CLIP, max(-CLIP, x))
        for_first, for_second = self._bets.get(pair, (_NO_BETS, _NO_BETS))
        self._bets[pair] = for_first + won - _DIFFERENCE_COST, for_second - won - _DIFFERENCE_COST
        insort(before, first - second)

    def _add(self, version: str, row: float, partner: str | None, panel: int) -> None:
        if panel not in self._panels:
            self._panels[panel] = _Panel(self._deviation)
        self._panels[panel].add(version, row, partner)
        self._began.setdefault(version, panel)
        self._count[version] += 1

    def begun(self, one: str, other: str) -> int | None:
        """The panel from which on the two are compared, by the number of panels before it; None before both
        have a row."""
        panels = self._began.get(one), self._began.get(other)
        return None if panels[0] is None or panels[1] is None else max(panels[0], panels[1])

    def log_of(self, above: str, below: str) -> float:
        """The logarithm of the evidence that `above` is ahead of `below`; there is none before both have a
        row."""
        counts = self._count[above], self._count[below]
        if not all(counts):
            return -inf
        known = self._known.get((above, below))
        if known is None or known[:2] != counts:
            known = self._known[above, below] = (*counts, self._log_of(above, below))
        return known[2]

    def log_of_comparisons(self, above: str, below: str) -> float:
        """The logarithm of what the comparisons of the two have won by themselves."""
        return float(_log_mean(self._bets_on(above, below)))

    def _bets_on(self, above: str, below: str) -> Array:
        bets = self._bets.get((above, below)) or self._bets.get((below, above), (_NO_BETS, _NO_BETS))[::-1]
        return bets[0]

    def _log_of(self, above: str, below: str) -> float:
        bets = self._bets_on(above, below)
        found = float(_log_mean(bets))
        begun = self.begun(above, below)
        for number, panel in self._panels.items():
            if begun is not None and number >= begun:
                worst = panel.worst(above, below, compared=bets is not _NO_BETS)
                found += float(np.logaddexp(log(COMPARED_ONLY), log(1 - COMPARED_ONLY) + worst))
        return found


def scale(earlier: Sequence[float], deviation: float) -> float:
    """The scale of the next row after these, which are given in ascending order."""
    if len(earlier) < FEWEST_ROWS:
        return WIDER * deviation
    own = NORMAL * _median_deviation(earlier)
    count = len(earlier) - 1
    blended = sqrt((PRIOR_ROWS * deviation**2 + count * own**2) / (PRIOR_ROWS + count))
    return WIDER * max(deviation, blended)


def _median_deviation(ordered: Sequence[float]) -> float:
    """The median absolute deviation from the median, in logarithmic time: an anchor has thousands of rows."""
    low, high = (len(ordered) - 1) // 2, len(ordered) // 2
    median = (ordered[low] + ordered[high]) / 2
    first_above = bisect_right(ordered, median)
    below, above = first_above, len(ordered) - first_above

    def nth(n: int) -> float:
        """The value number `n`, from 0, of all deviations in ascending order: with `left` from below the
        median, and the others from above."""

        def is_enough(left: int) -> bool:
            right = n + 1 - left
            return (
                left == below
                or right <= 0
                or (median - ordered[first_above - 1 - left] >= ordered[first_above + right - 1] - median)
            )

        left = bisect_left(range(below + 1), True, max(0, n + 1 - above), key=is_enough)
        right = n + 1 - left
        return max(
            median - ordered[first_above - left] if left else 0.0,
            ordered[first_above + right - 1] - median if right else 0.0,
        )

    return (nth(low) + nth(high)) / 2


@cache
def log_weight(one: int, other: int, panel: int = 0) -> float:
    """The logarithm of the weight of a statement about the versions that arrived as number `one` and `other`,
    from 1, and are compared from this panel on. The weights of all statements, both ways about, sum to 1 at
    most, however many will arrive."""
    later, earlier = max(one, other), min(one, other)
    k = (later - 1) * (later - 2) // 2 + earlier
    of_panel = FIRST_PANEL if panel == 0 else (1 - FIRST_PANEL) * 0.5**panel
    return log(of_panel) - log(2 * (k + EARLY_PAIRS) * (1 + log(1 + k / EARLY_PAIRS)) ** 2)


def standing(evidence: Mapping[Pair, float], alpha: float = ALPHA) -> frozenset[Pair]:
    """The statements that stand at this moment. `evidence`: by pair, the logarithm of its evidence times its
    weight."""
    ranked = sorted(evidence, key=lambda pair: -evidence[pair])
    most = 0
    for count, pair in enumerate(ranked, 1):
        if evidence[pair] >= -log(alpha * count):
            most = count
    return frozenset(ranked[:most])


def certain(evidence: Mapping[Pair, float], alpha: float = ALPHA) -> frozenset[Pair]:
    """The statements that are certain from now on. `evidence` as for `standing`."""
    return frozenset(pair for pair, known in evidence.items() if known >= -log(alpha))


def closed(pairs: Iterable[Pair]) -> frozenset[Pair]:
    """The pairs, and all that follow from them."""
    ahead_of: defaultdict[str, set[str]] = defaultdict(set)
    for above, below in pairs:
        ahead_of[above].add(below)
    found = set()
    for above in list(ahead_of):
        left, seen = [above], set[str]()
        while left:
            for below in ahead_of.get(left.pop(), ()):
                if below not in seen:
                    seen.add(below)
                    left.append(below)
        found |= {(above, below) for below in seen}
    return frozenset(found)


def _log_mean(bets: Array) -> Array:
    """The logarithm of the mean capital, from the logarithms of the capitals by λ."""
    axis = -2 if bets.ndim > 1 else -1
    found: Array = np.logaddexp.reduce(bets, axis=axis) - log(bets.shape[axis])
    return found
