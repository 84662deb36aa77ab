"""Is one entrant better than another? Looked at after every deal, and still wrong no more often than agreed.

An ordinary interval that is looked at again and again excludes the truth sooner or later. This is a
*confidence sequence*: with probability 1 − α all its intervals together hold the true mean. It belongs to
the t-test that is valid at any time (T. L. Lai, "On confidence sequences", Annals of Statistics 4, 1976;
H. Wang & A. Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown
variance", Sequential Analysis 44, 2025): mixed over differences of c⁻¹ standard deviations, normally
distributed, and over all scales, the likelihood ratio against a mean of μ is, after n units of mean x̄ and
variance s² = Σ (x − x̄)² / n, with d = x̄ − μ,

    E = √(c² / (n + c²)) · ((s² + d²) / (s² + d² c² / (n + c²)))^(n/2),

which is ever greater than 1/α with probability α at most. The interval is all μ with E < 1/α.
Exact for normal noise of any size, and cautious for noise with heavy tails; it is too bold only where the
differences of unequal bots are very skew (those of equal bots cannot be: they are as likely the other way
round). Independent are the units: deals over all their seatings, or whole pods where deals depend on each
other. A forfeit strikes all deals of its match, so from the first one on pods are the units. `python -m
tests.bench.simulation` measures the false alarms, with forfeits too.

Knows no processes; who plays the next deal asks for the verdict first.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import inf, log, sqrt
from statistics import fmean
from typing import Final, Literal, TypeAlias

import msgspec
import numpy as np

from tournaments.results import MatchResult, in_match_order
from tournaments.seatings import williams_square
from tournaments.statistics import Unit, rounded, rows_of

FEWEST_UNITS: Final = 10
"""Before, nothing is said, nor while all units are equal: that may be chance."""

NARROWEST_AT: Final = 100
"""Units at which the interval is as narrow as a mixture can make it; it is little wider long before and
after."""

Verdict: TypeAlias = Literal["better", "not better", "undecided"]


class Question(msgspec.Struct, frozen=True):
    """alpha: how often the answer may be wrong. margin: the smallest difference, in gain per deal, worth
    having. budget: the most units to be played."""

    alpha: float = 0.05
    margin: float = 0.0
    budget: int = 1000

    def of_pods(self, deals: int) -> "Question":
        """The same about units that are pods of so many deals."""
        return msgspec.structs.replace(self, budget=max(FEWEST_UNITS, self.budget // deals))

    def __post_init__(self) -> None:
        if not (0 < self.alpha < 1 and self.margin >= 0 and self.budget >= FEWEST_UNITS):
            raise ValueError(f"{self}: 0 < alpha < 1, margin ≥ 0 and budget ≥ {FEWEST_UNITS} are needed")


class Answer(msgspec.Struct, frozen=True):
    """What is known after so many `units`, each a `unit`; per deal, rounded to 6 decimals.

    low … high: the interval, None while it is endless. verdict: *better* when it lies above 0, *not better*
    when it lies below the margin (or 0), *undecided* when the budget is spent; None while more is to be
    played. units_left: how many more it takes if mean and spread stay as they are; None where the budget will
    not do.
    """

    units: int
    difference: float | None
    low: float | None
    high: float | None
    verdict: Verdict | None
    units_left: int | None
    unit: Unit = "deal"


def struck(results: Iterable[MatchResult], one: str, other: str) -> bool:
    """Whether either of the two has forfeited a match."""
    return any(
        result.entrants[forfeit.seat] in (one, other) for result in results for forfeit in result.forfeits
    )


def differences(results: Iterable[MatchResult], one: str, other: str, unit: Unit = "deal") -> list[float]:
    """By unit, in match order, how much more `one` gained than `other`, per deal. Only of pods that have all
    their seatings: of others it would count who sat where. Forfeits count as in the standings."""
    pods = defaultdict[tuple[int, int], list[MatchResult]](list)
    for result in in_match_order(results):
        if one in result.entrants and other in result.entrants:
            pods[result.round_no, result.pod_no].append(result)
    whole = [
        result
        for matches in pods.values()
        if len(matches) == len(williams_square(len(matches[0].entrants)))
        for result in matches
    ]
    gains = defaultdict[tuple[int, ...], dict[str, list[float]]](lambda: {one: [], other: []})
    for row in rows_of(whole, (one, other)):
        if row.who in (one, other):
            gains[row.place.within(unit)][row.who].append(row.y)
    return [fmean(of[one]) - fmean(of[other]) for of in gains.values()]


def answer(units: Sequence[float], question: Question, unit: Unit = "deal") -> Answer:
    """From all differences so far, whatever was answered before."""
    n = len(units)
    mean, spread = (float(np.mean(units)), float(np.std(units))) if units else (0.0, 0.0)

    def verdict_after(n: int) -> Verdict | None:
        half = radius(n, spread, question.alpha)
        if mean - half > 0:
            return "better"
        if mean + half < question.margin:
            return "not better"
        return "undecided" if n >= question.budget else None

    half = radius(n, spread, question.alpha)
    verdict = verdict_after(n)
    # The interval only narrows: that there is a verdict is false up to a point and true from there.
    decided = bisect_left(range(question.budget), True, lo=n, key=lambda n: verdict_after(n) is not None)
    in_time = verdict is None and decided < question.budget
    return Answer(
        units=n,
        difference=rounded(mean) if units else None,
        low=rounded(mean - half) if half < inf else None,
        high=rounded(mean + half) if half < inf else None,
        verdict=verdict,
        units_left=decided - n if in_time else None,
        unit=unit,
    )


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
