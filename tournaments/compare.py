"""Is one entrant better than another? Looked at after every pod, and still wrong no more often than agreed.

**Units.** A unit is a pod: the mean, over its deals and all its seatings, of what one gained more than the
other. Pods have deals and an order round the table of their own, so they are independent; the deals of one
pod share that order, and are not. Estimated is the mean over random orders with these very neighbours, in
matches of that many deals.

**Evidence.** An ordinary interval that is looked at again and again excludes the truth sooner or later. Three
that may be looked at, each with what it assumes:

*At any time* (the default). A confidence sequence: with probability 1 − α all its intervals together hold the
true mean. It belongs to the t-test that is valid at any time (T. L. Lai, "On confidence sequences", Annals of
Statistics 4, 1976; H. Wang & A. Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means
with unknown variance", Sequential Analysis 44, 2025): mixed over differences of c⁻¹ standard deviations,
normally distributed, and over all scales, the likelihood ratio against a mean of μ is, after n units of mean
x̄ and variance s² = Σ (x − x̄)² / n, with d = x̄ − μ,

    E = √(c² / (n + c²)) · ((s² + d²) / (s² + d² c² / (n + c²)))^(n/2),

which is ever greater than 1/α with probability α at most. The interval is all μ with E < 1/α. Exact for
normal units of any size, cautious for heavy tails, too bold for very skew ones.

*Final.* A boundary of S. K. Wang & A. A. Tsiatis ("Approximately optimal one-parameter boundaries for group
sequential trials", Biometrics 43, 1987) over the budget: it finds more than the first, and holds only if play
ends with the budget. Assumes the same of the units.

*Bounded.* A test by betting (I. Waudby-Smith & A. Ramdas, "Estimating means of bounded random variables by
betting", Journal of the Royal Statistical Society B 86, 2024): the rules bound what a deal can bring one seat
more than another, and nothing else is assumed. Whoever bets the share t of his capital on each unit x in
−b … b has Π (1 + t (x − μ) / (b + μ)) times his stake, and the mean of this over some shares is ever greater
than 1/α with probability α at most if the mean is μ or less. Looking at the units and choosing the first way
where they do not look skew would not do: a rare and dear unit has not been seen when the verdict is wrong.

**Verdicts.** *Better* is wrong only where the truth is 0 or less, *not better* only where it is positive and
at least the margin: never both. So each is given when its own side is excluded with α, which is the interval
of 2α, while the interval that is shown shares α between its sides, and may still hold 0.

`python -m tests.bench.comparing` measures what all this costs, and how often it is wrong.

Knows no processes; who plays the next pod asks for the verdict first.
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
"""Before, nothing is said without a bound, nor while all units are equal: that may be chance."""

NARROWEST_AT: Final = 100
"""Units at which the interval is as narrow as a mixture can make it; it is little wider long before and
after."""

SHAPE: Final = 0.25
"""Δ of Wang & Tsiatis. 0 finds most with the whole budget and stops late, 1/2 stops early and finds less;
between them this one loses least of both (`python -m tests.bench.comparing`)."""

STEPS: Final = 200
"""Into which the budget is cut where the chance of crossing the boundary is integrated."""

SHARES: Final[Array] = 1 - (np.arange(0.5, 32) / 32) ** 2
"""Shares of the capital that are bet, denser towards all of it: the rules allow so much more than deals bring
that mostly the greatest share grows best."""

NEARLY: Final = 1e-9
"""Of the bound: so near to it an edge of an interval is sought."""


class Question(msgspec.Struct, frozen=True):
    """alpha: how often a verdict may be wrong. margin: the smallest difference, in gain per deal, worth
    having. budget: the most units to be played. final: there will be no more than these. bound: the most by
    which a unit can differ from 0; where it is given, nothing else is assumed of units."""

    alpha: float = 0.05
    margin: float = 0.0
    budget: int = 1000
    final: bool = False
    bound: float | None = None

    def __post_init__(self) -> None:
        if not (0 < self.alpha < 0.5 and self.margin >= 0 and self.budget >= FEWEST_UNITS):
            raise ValueError(f"{self}: 0 < alpha < ½, margin ≥ 0 and budget ≥ {FEWEST_UNITS} are needed")
        if self.bound is not None and (self.final or self.bound <= 0):
            raise ValueError(f"{self}: a positive bound, and none with a final budget, is needed")


class Answer(msgspec.Struct, frozen=True):
    """What is known after so many `units`, which are pods; per deal, rounded to 6 decimals.

    low … high: the interval, None while it is endless. verdict: *undecided* when the budget is spent, None
    while more is to be played. units_left: how many more it takes if they are like those played; None where
    the budget will not do.
    """

    units: int
    difference: float | None
    low: float | None
    high: float | None
    verdict: Verdict | None
    units_left: int | None


class Evidence(Protocol):
    """What units say about their mean. `after` asks the same after so many units, if all are like those seen;
    `alpha` is the chance of an error on that side alone."""

    def above(self, mean: float, alpha: float, after: int) -> bool:
        """Whether the mean is greater than this one."""
        ...

    def below(self, mean: float, alpha: float, after: int) -> bool: ...

    def interval(self, alpha: float) -> tuple[float, float]:
        """What neither side excludes with alpha / 2."""
        ...


def differences(results: Iterable[MatchResult], one: str, other: str) -> list[float]:
    """By pod, in their order, how much more `one` gained than `other`, per deal. Only of pods that have all
    their seatings: of others it would count who sat where. Forfeits count as in the standings: every deal of
    the match as its lowest gain."""
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
    """By deal. Where all have forfeited before the end of the first, none is finished: they gained alike."""
    forfeited = {forfeit.seat for forfeit in result.forfeits}
    seats = [result.entrants.index(name) for name in (one, other)]
    if not result.gains:
        yield 0
    for gains in result.gains:
        mine, theirs = (min(gains) if seat in forfeited else gains[seat] for seat in seats)
        yield mine - theirs


def answer(units: Sequence[float], question: Question) -> Answer:
    """From all differences so far, whatever was answered before. Raises ValueError where one is beyond the
    question's bound."""
    n = len(units)
    if not n:
        return Answer(0, None, None, None, None, None)
    evidence = evidence_of(units, question)

    def verdict_after(n: int) -> Verdict | None:
        if evidence.above(0, question.alpha, n):
            return "better"
        if evidence.below(question.margin, question.alpha, n):
            return "not better"
        return "undecided" if n >= question.budget else None

    verdict = verdict_after(n)
    # Evidence only grows: that there is a verdict is false up to a point and true from there.
    decided = bisect_left(range(question.budget), True, lo=n, key=lambda n: verdict_after(n) is not None)
    in_time = verdict is None and decided < question.budget
    low, high = evidence.interval(question.alpha)
    return Answer(
        units=n,
        difference=rounded(fmean(units)),
        low=rounded(low) if low > -inf else None,
        high=rounded(high) if high < inf else None,
        verdict=verdict,
        units_left=decided - n if in_time else None,
    )


def evidence_of(units: Sequence[float], question: Question) -> Evidence:
    if question.bound is not None:
        return Bets(units, question.bound)
    return Spread(units, question.budget if question.final else None)


class Spread:
    """By mean and standard deviation: at any time, or for a final `budget`."""

    def __init__(self, units: Sequence[float], budget: int | None) -> None:
        self._count = len(units)
        self._mean, self._spread = float(np.mean(units)), float(np.std(units))
        self._budget = budget

    def above(self, mean: float, alpha: float, after: int) -> bool:
        return self._mean - self._half(after, 2 * alpha) > mean

    def below(self, mean: float, alpha: float, after: int) -> bool:
        return self._mean + self._half(after, 2 * alpha) < mean

    def interval(self, alpha: float) -> tuple[float, float]:
        half = self._half(self._count, alpha)
        return self._mean - half, self._mean + half

    def _half(self, n: int, alpha: float) -> float:
        if self._budget is None:
            return radius(n, self._spread, alpha)
        return final_radius(n, self._spread, alpha, self._budget)


def radius(n: int, spread: float, alpha: float) -> float:
    """Half the interval after n units of standard deviation s = `spread`: E < 1/α, solved for d, is
    d² (1 − k c² / (n + c²)) < s² (k − 1) with k = ((n + c²) / (c² α²))^(1/n)."""
    if n < FEWEST_UNITS or not spread:
        return inf
    # The mixture whose boundary √(n + c²) · … is lowest at that n: Waudby-Smith et al., "Time-uniform
    # central limit theory and asymptotic confidence sequences", Annals of Statistics 52, 2024, B.2.
    c2 = NARROWEST_AT / (log(1 - 2 * log(alpha)) - 2 * log(alpha))
    k = ((n + c2) / (c2 * alpha**2)) ** (1 / n)
    room = 1 - k * c2 / (n + c2)
    return spread * sqrt((k - 1) / room) if room > 0 else inf


def final_radius(n: int, spread: float, alpha: float, budget: int) -> float:
    """Half the interval after n of `budget` units at most: with Student's t where the boundary for a known
    variance has a normal quantile."""
    if n < FEWEST_UNITS or not spread:
        return inf
    quantile = boundary(alpha / 2) * (n / budget) ** (SHAPE - 0.5)
    return spread / sqrt(n - 1) * float(-stdtrit(n - 1, ndtr(-quantile)))


@cache
def boundary(alpha: float) -> float:
    """The constant C for which a Brownian motion ever crosses C t^Δ, 0 < t ≤ 1, with probability alpha. Looks
    after every unit see less of the motion, so they are wrong a little less often."""
    found = brentq(lambda constant: crossing(constant) - alpha, 0.01, 20.0, xtol=1e-6)
    return float(found)


def crossing(constant: float, shape: float = SHAPE) -> float:
    """The probability that a Brownian motion crosses constant · t^shape before 1. Whoever ends above the
    boundary at t has crossed it at some s ≤ t, and went on from there: an equation for the chances of the
    first crossing, step by step (J. Durbin, "The first-passage density of a continuous Gaussian process to a
    general boundary", Journal of Applied Probability 22, 1985, has its history)."""
    ends = np.arange(1, STEPS + 1) / STEPS
    middles = ends - 0.5 / STEPS
    high = constant * ends**shape
    above = ndtr(-high / np.sqrt(ends))
    time = np.tril(ends[:, None] - middles)
    way = np.divide(high[:, None] - constant * middles**shape, np.sqrt(time), where=time > 0, out=time)
    return float(solve_triangular(ndtr(-way), above, lower=True).sum())


class Bets:
    """By capital that grows where the mean is not as said. No unit is beyond ± `bound`, or ValueError."""

    def __init__(self, units: Sequence[float], bound: float) -> None:
        if (farthest := max(map(abs, units))) > bound:
            raise ValueError(f"a difference of {farthest:g} in a pod, where {bound:g} is the most")
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
        """The greatest mean that units, turned round for the other side, lie above. At their own no bet wins,
        and the less is said of the mean the more each wins."""
        least, own = self._bound * (NEARLY - 1), side * float(self._units.mean())

        def lacking(mean: float) -> float:
            return log(alpha) + float(_mean_capital(self._gains(side, mean)))

        return float(brentq(lacking, least, own)) if least < own and lacking(least) > 0 else -self._bound

    def _wins(self, side: int, mean: float, alpha: float, after: int) -> bool:
        if side * mean <= -self._bound:
            return True
        gains = self._gains(side, side * mean) * (after / len(self._units))
        return bool(log(alpha) + _mean_capital(gains) >= 0)

    def _gains(self, side: int, mean: float) -> Array:
        """By share, the logarithm of what has become of a stake of 1."""
        if (side, mean) not in self._known:
            step = (side * self._units - mean) / (self._bound + mean)
            self._known[side, mean] = np.log1p(SHARES[:, None] * step).sum(axis=1)
        return self._known[side, mean]


def _mean_capital(gains: Array) -> float:
    """Over all shares, as a logarithm."""
    return float(logsumexp(gains)) - log(len(SHARES))
