"""Is one entrant better than another? The verdict may be looked at after every pod, and is still wrong no
more often than agreed.

**Units.** A unit is a pod: how much more one entrant gained than the other, as the mean over the pod's deals
and all its seatings. Each pod has its own deals and its own order round the table, so pods are independent.
The deals of one pod share that order, so they are not. The estimate is of the mean over random orders with
the same neighbours, in matches of the same number of deals.

**Evidence.** An ordinary interval that is computed after every unit excludes the truth sooner or later. These
three stay valid, each under its own assumptions:

*At any time* (the default). A confidence sequence: with probability 1 − α all its intervals together hold the
true mean. It belongs to the t-test that is valid at any time (T. L. Lai, "On confidence sequences", Annals of
Statistics 4, 1976; H. Wang & A. Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means
with unknown variance", Sequential Analysis 44, 2025): mixed over differences of c⁻¹ standard deviations,
normally distributed, and over all scales, the likelihood ratio against a mean of μ is, after n units of mean
x̄ and variance s² = Σ (x − x̄)² / n, with d = x̄ − μ,

    E = √(c² / (n + c²)) · ((s² + d²) / (s² + d² c² / (n + c²)))^(n/2),

which is ever greater than 1/α with probability α at most. The interval is all μ with E < 1/α. It is exact for
normal units of any variance, conservative for heavy tails, and too narrow for very skew units.

*Final.* A boundary of S. K. Wang & A. A. Tsiatis ("Approximately optimal one-parameter boundaries for group
sequential trials", Biometrics 43, 1987) over the budget. It has more power than the first, but is valid only
if play ends with the budget. It makes the same assumptions about the units.

*Bounded.* A test by betting (I. Waudby-Smith & A. Ramdas, "Estimating means of bounded random variables by
betting", Journal of the Royal Statistical Society B 86, 2024). It assumes only the bound that the rules set
to the difference of two seats in a deal. To bet the share t of a capital on each unit x in −b … b multiplies
the stake by Π (1 + t (x − μ) / (b + μ)); if the mean is μ or less, the average of this over several shares is
ever greater than 1/α with probability α at most. The first way is not safe just because the units do not look
skew: the rare, large units may not have been seen yet.

**Verdicts.** *Better* is wrong only if the truth is 0 or less; *not better* only if it is positive and at
least the margin. Both cannot be wrong at once, so each is given when its own side is excluded with α, which
corresponds to an interval of 2α. The interval that people see divides α between its sides, so it may still
contain 0.

`python -m tests.bench.comparing` measures how many units this takes and how often it is wrong.

Knows no processes: whoever plays the pods asks for the verdict before each pod.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import inf, log, sqrt
from statistics import fmean
from typing import Final, Literal, Protocol, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import brentq
from scipy.special import logsumexp, ndtr, stdtrit

from tournaments.results import MatchResult, in_match_order
from tournaments.seatings import williams_square
from tournaments.statistics import rounded

Array: TypeAlias = NDArray[np.float64]
Verdict: TypeAlias = Literal["better", "not better", "undecided"]

FEWEST_UNITS: Final = 10
"""With fewer units there is no interval, unless the units are bounded. There is none either while all units
are equal, which may be chance."""

NARROWEST_AT: Final = 100
"""The mixture is chosen so that the interval is narrowest after this many units. It is only a little wider
for much smaller and larger numbers."""

SHAPE: Final = 0.25
"""Δ of Wang & Tsiatis. 0 has the most power with the whole budget but stops late; 1/2 stops early but has
less power. 1/4 loses little of either (`python -m tests.bench.comparing`)."""

STEPS: Final = 200
"""The number of steps in the integration of the probability of crossing the boundary."""

SHARES: Final[Array] = 1 - (np.arange(0.5, 32) / 32) ** 2
"""The shares of the capital that are bet. They are denser towards 1, since the rules' bound is so much larger
than usual differences that the greatest share mostly grows fastest."""

NEARLY: Final = 1e-9
"""How near to the bound an end of the interval is searched, as a share of the bound."""


class Question(msgspec.Struct, frozen=True):
    """What a comparison is to find out. A unit is a pod."""

    alpha: float = 0.05
    """The greatest probability of a wrong verdict."""
    margin: float = 0.0
    """The smallest difference that matters, in gain per deal."""
    budget: int = 1000
    """The greatest number of units."""
    final: bool = False
    """Whether no more units than the budget will ever be played."""
    bound: float | None = None
    """The greatest absolute value of a unit, if nothing else is to be assumed of units."""

    def __post_init__(self) -> None:
        if not (0 < self.alpha < 0.5 and self.margin >= 0 and self.budget >= FEWEST_UNITS):
            raise ValueError(f"{self}: 0 < alpha < ½, margin ≥ 0 and budget ≥ {FEWEST_UNITS} are needed")
        if self.bound is not None and (self.final or self.bound <= 0):
            raise ValueError(f"{self}: a positive bound, and none with a final budget, is needed")


class ComparisonEstimate(msgspec.Struct, frozen=True):
    """What is known after `units` pods, in gain per deal, rounded to 6 decimals."""

    units: int
    difference: float | None
    """How much more `one` gained than `other`; None without units."""
    low: float | None
    high: float | None
    """`low` to `high`: the interval, with the error probability `alpha`; None for an infinite end."""
    verdict: Verdict | None
    """`undecided` when the budget is spent; None while more is to be played."""
    units_left: int | None
    """How many more units it takes, if they are like those so far; None with a verdict, or beyond the
    budget."""


class Evidence(Protocol):
    """What the units show about their mean. `alpha` is the probability of an error on one side; `after` is a
    number of units, where those not yet played are taken to be like those seen."""

    def above(self, mean: float, alpha: float, after: int) -> bool:
        """Whether the units show that the true mean is greater than `mean`."""
        ...

    def below(self, mean: float, alpha: float, after: int) -> bool:
        """Whether the units show that the true mean is less than `mean`."""
        ...

    def interval(self, alpha: float) -> tuple[float, float]:
        """The means that neither side excludes with alpha / 2; its ends may be infinite."""
        ...


def differences(results: Iterable[MatchResult], one: str, other: str) -> list[float]:
    """How much more `one` gained than `other` in each pod, per deal. Pods without all their seatings are left
    out, since seats would matter there. A forfeit counts as in the standings: as the lowest gain, in every
    deal of the match."""
    pods = defaultdict[tuple[int, int], list[MatchResult]](list)
    for result in in_match_order(results):
        if one in result.entrants and other in result.entrants:
            pods[result.round_no, result.pod_no].append(result)
    return [
        fmean(lead for result in matches for lead in _leads(result, one, other))
        for matches in pods.values()
        if len(matches) == len(williams_square(len(matches[0].entrants)))
    ]


def _leads(result: MatchResult, one: str, other: str) -> Iterator[int]:
    """The difference in each deal; 0 in a match that all forfeited before a deal was finished."""
    forfeited = {forfeit.seat for forfeit in result.forfeits}
    seats = [result.entrants.index(name) for name in (one, other)]
    if not result.gains:
        yield 0
    for gains in result.gains:
        mine, theirs = (min(gains) if seat in forfeited else gains[seat] for seat in seats)
        yield mine - theirs


def answer(units: Sequence[float], question: Question) -> ComparisonEstimate:
    """The answer from all units so far. Raises ValueError if a unit is beyond the question's bound."""
    n = len(units)
    if not n:
        return ComparisonEstimate(0, None, None, None, None, None)
    evidence = evidence_of(units, question)

    def verdict_after(n: int) -> Verdict | None:
        if evidence.above(0, question.alpha, n):
            return "better"
        if evidence.below(question.margin, question.alpha, n):
            return "not better"
        return "undecided" if n >= question.budget else None

    verdict = verdict_after(n)
    # Evidence only grows with the number of units, so the first number with a verdict is found by bisection.
    decided = bisect_left(range(question.budget), True, lo=n, key=lambda n: verdict_after(n) is not None)
    in_time = verdict is None and decided < question.budget
    low, high = evidence.interval(question.alpha)
    return ComparisonEstimate(
        units=n,
        difference=rounded(fmean(units)),
        low=rounded(low) if low > -inf else None,
        high=rounded(high) if high < inf else None,
        verdict=verdict,
        units_left=decided - n if in_time else None,
    )


def evidence_of(units: Sequence[float], question: Question) -> Evidence:
    """The kind of evidence that the question asks for, from a unit or more. Raises ValueError likewise."""
    if question.bound is not None:
        return Bets(units, question.bound)
    return SpreadEvidence(units, question.budget if question.final else None)


class SpreadEvidence:
    """Evidence from mean and standard deviation: valid at any time if `budget` is None, else at its end."""

    def __init__(self, units: Sequence[float], budget: int | None) -> None:
        self._count = len(units)
        self._mean, self._spread = float(np.mean(units)), float(np.std(units))
        self._budget = budget

    def above(self, mean: float, alpha: float, after: int) -> bool:
        return self._mean - self._half_width(after, 2 * alpha) > mean

    def below(self, mean: float, alpha: float, after: int) -> bool:
        return self._mean + self._half_width(after, 2 * alpha) < mean

    def interval(self, alpha: float) -> tuple[float, float]:
        half_width = self._half_width(self._count, alpha)
        return self._mean - half_width, self._mean + half_width

    def _half_width(self, n: int, alpha: float) -> float:
        if self._budget is None:
            return radius(n, self._spread, alpha)
        return final_radius(n, self._spread, alpha, self._budget)


def radius(n: int, spread: float, alpha: float) -> float:
    """Half the width of the interval after n units of standard deviation s = `spread`: E < 1/α, solved for d,
    is d² (1 − k c² / (n + c²)) < s² (k − 1) with k = ((n + c²) / (c² α²))^(1/n)."""
    if n < FEWEST_UNITS or not spread:
        return inf
    # With this c² the boundary √(n + c²) · … is lowest at n = NARROWEST_AT (Waudby-Smith et al.,
    # "Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics 52, 2024,
    # B.2).
    c2 = NARROWEST_AT / (log(1 - 2 * log(alpha)) - 2 * log(alpha))
    k = ((n + c2) / (c2 * alpha**2)) ** (1 / n)
    room = 1 - k * c2 / (n + c2)
    return spread * sqrt((k - 1) / room) if room > 0 else inf


def final_radius(n: int, spread: float, alpha: float, budget: int) -> float:
    """Half the width of the interval after n of at most `budget` units. The boundary is for a known variance,
    so Student's t replaces its normal quantile."""
    if n < FEWEST_UNITS or not spread:
        return inf
    quantile = boundary(alpha / 2) * (n / budget) ** (SHAPE - 0.5)
    return spread / sqrt(n - 1) * float(-stdtrit(n - 1, ndtr(-quantile)))


@cache
def boundary(alpha: float) -> float:
    """The constant C for which a Brownian motion crosses C t^Δ somewhere in 0 < t ≤ 1 with probability alpha.
    We look only after each unit and see less of the motion, so we are wrong a little less often."""
    return float(brentq(lambda constant: crossing(constant) - alpha, 0.01, 20.0, xtol=1e-6))


def crossing(constant: float, shape: float = SHAPE) -> float:
    """The probability that a Brownian motion crosses constant · t^shape before t = 1. A motion that is above
    the boundary at t first crossed it at some s ≤ t and went on from there. That gives a linear equation for
    the probability of a first crossing in each step (see J. Durbin, "The first-passage density of a
    continuous Gaussian process to a general boundary", Journal of Applied Probability 22, 1985)."""
    ends = np.arange(1, STEPS + 1) / STEPS
    middles = ends - 0.5 / STEPS
    high = constant * ends**shape
    above = ndtr(-high / np.sqrt(ends))
    time = np.tril(ends[:, None] - middles)
    way = np.divide(high[:, None] - constant * middles**shape, np.sqrt(time), where=time > 0, out=time)
    return float(solve_triangular(ndtr(-way), above, lower=True).sum())


class Bets:
    """Evidence from bets, whose capital grows if the mean is not as assumed. Raises ValueError if a unit is
    beyond ± `bound`."""

    def __init__(self, units: Sequence[float], bound: float) -> None:
        if (farthest := max(map(abs, units))) > bound:
            raise ValueError(f"a difference of {farthest:g} in a pod, but the maximum is {bound:g}")
        self._units = np.array(units)
        self._bound = bound
        self._known: dict[tuple[int, float], Array] = {}

    def above(self, mean: float, alpha: float, after: int) -> bool:
        return self._wins(1, mean, alpha, after)

    def below(self, mean: float, alpha: float, after: int) -> bool:
        return self._wins(-1, mean, alpha, after)

    def interval(self, alpha: float) -> tuple[float, float]:
        return self._edge(1, alpha / 2), -self._edge(-1, alpha / 2)

    def _edge(self, side: int, alpha: float) -> float:
        """The greatest mean that the units are shown to lie above; with side −1, for the negated units. At
        the units' own mean no bet wins, and the lower the assumed mean, the more each bet wins. So the edge
        is the zero of a decreasing function."""
        least, own = self._bound * (NEARLY - 1), side * float(self._units.mean())

        def surplus(mean: float) -> float:
            return log(alpha) + float(_mean_capital(self._gains(side, mean)))

        return float(brentq(surplus, least, own)) if least < own and surplus(least) > 0 else -self._bound

    def _wins(self, side: int, mean: float, alpha: float, after: int) -> bool:
        if side * mean <= -self._bound:
            return True
        gains = self._gains(side, side * mean) * (after / len(self._units))
        return bool(log(alpha) + _mean_capital(gains) >= 0)

    def _gains(self, side: int, mean: float) -> Array:
        """For each share, the logarithm of the capital that a stake of 1 has become."""
        if (side, mean) not in self._known:
            step = (side * self._units - mean) / (self._bound + mean)
            self._known[side, mean] = np.log1p(SHARES[:, None] * step).sum(axis=1)
        return self._known[side, mean]


def _mean_capital(gains: Array) -> float:
    """The logarithm of the mean capital over all shares."""
    return float(logsumexp(gains)) - log(len(SHARES))
