"""Standings: one row for each entrant, from results alone. They hold nothing measured: same results, same
bytes.

Knows no format; statistics.py estimates the gains.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress
from math import inf
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from protocol.outcome import in_points
from tournaments.results import MatchResult, is_house, total_scores
from tournaments.statistics import HOUSE, Estimate, adjusted_gains


class Standing(msgspec.Struct, frozen=True):
    """rank: by gain, equal gains share; None for house bots, withdrawn entrants, and entrants without an
    order: those that no pods connect with more than half of the ranked.
    gain: adjusted, per deal; None without a finished deal, which ranks last. low, high: its interval.
    joined: the first round in which it could be drawn; None for round 1.
    rank_low … rank_high: the ranks that the intervals leave possible, which are all ranks for an entrant
    without an order; None for house bots and withdrawn entrants.
    score: out of max_score, ½ for a tie; all tie with house bots, whose own score and max_score are 0.
    buchholz: the mean score of the entrants met, over the pods of all rounds; None without any.
    pods: number of pods it played in. deals: finished ones. forfeits: number by kind of fault.
    """

    name: str
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    gain: float | None
    low: float | None
    high: float | None
    score: float
    max_score: float
    buchholz: float | None
    pods: int
    matches: int
    deals: int
    forfeits: dict[str, int]
    joined: int | None = None


class Standings(msgspec.Struct, frozen=True):
    """entrants: by rank, equal ranks by name; then those without an order, grouped by what can be compared;
    the withdrawn last, by name. house: the house bots by number, with the one strength that they share.
    widening: the factor by which intervals are wider than Student's t gives, because pods were drawn from
    results; infinite where there are no intervals."""

    entrants: tuple[Standing, ...]
    house: tuple[Standing, ...]
    widening: float


class Ranks(NamedTuple):
    """An entrant's rank, and the range that the intervals leave possible."""

    rank: int | None
    low: int | None
    high: int | None


UNRANKED: Final = Ranks(None, None, None)
NOBODY: Final[Mapping[str, int]] = MappingProxyType({})


class _Facts(NamedTuple):
    """What results say of each name, without estimates; see Standing."""

    score: Mapping[str, int]
    max_score: Mapping[str, int]
    buchholz: Mapping[str, float]
    pods: Mapping[str, int]
    matches: Mapping[str, int]
    deals: Mapping[str, int]
    forfeits: Mapping[str, Mapping[str, int]]
    joined: Mapping[str, int]

    def standing(self, name: str, estimate: Estimate, ranks: Ranks = UNRANKED) -> Standing:
        """The row of a name in the standings."""
        return Standing(
            name=name,
            rank=ranks.rank,
            rank_low=ranks.low,
            rank_high=ranks.high,
            gain=estimate.gain,
            low=estimate.low,
            high=estimate.high,
            score=in_points(self.score[name]),
            max_score=in_points(self.max_score[name]),
            buchholz=self.buchholz.get(name),
            pods=self.pods[name],
            matches=self.matches[name],
            deals=self.deals[name],
            forfeits=dict(sorted(self.forfeits[name].items())),
            joined=self.joined.get(name),
        )


def standings(
    results: Iterable[MatchResult],
    entrants: Sequence[str],
    withdrawn: Collection[str] = (),
    *,
    widening: float = 1.0,
    joined: Mapping[str, int] = NOBODY,
    may_win: Collection[str] = (),
) -> Standings:
    """The standings after `results`. `entrants` are all entrants, the `withdrawn` included; anybody else who
    has played is a house bot. For `widening` see resamples.py. `joined`: by late entrant, its first round. A
    late entrant is first only if it played in half of the rounds or is among those who `may_win` anyway. If
    that excludes all, the best entrant is second."""
    results = list(results)
    gains = adjusted_gains(results, entrants, withdrawn, widening=widening)
    facts = _facts(results, joined)
    names = sorted(set(entrants) - set(withdrawn))
    estimates = [gains.get(name, Estimate()) for name in names]
    rounds = max((result.round_no for result in results), default=0)
    late = [name in joined and name not in may_win and 2 * facts.pods[name] < rounds for name in names]
    ranked = map(facts.standing, names, estimates, ranks_of(estimates, late))
    gone = [facts.standing(name, gains.get(name, Estimate())) for name in sorted(withdrawn)]
    # Shorter names first: house-9 before house-10.
    house = sorted(facts.matches.keys() - set(entrants), key=lambda name: (len(name), name))
    return Standings(
        entrants=(*(row for _, row in sorted(zip(estimates, ranked, strict=True), key=_order)), *gone),
        house=tuple(facts.standing(name, gains.get(HOUSE, Estimate())) for name in house),
        widening=widening,
    )


def _facts(results: Sequence[MatchResult], joined: Mapping[str, int]) -> _Facts:
    score = total_scores(results)
    matches, deals, max_score = Counter[str](), Counter[str](), Counter[str]()
    forfeits = defaultdict[str, Counter[str]](Counter)
    for result in results:
        for name in result.entrants:
            matches[name] += 1
            deals[name] += len(result.gains)
            max_score[name] += 0 if is_house(name) else 2 * (len(result.entrants) - 1)
        for forfeit in result.forfeits:
            forfeits[result.entrants[forfeit.seat]][forfeit.kind] += 1
    return _Facts(
        score=score,
        max_score=max_score,
        buchholz=_buchholz(results, score),
        pods=Counter(name for pod in _pods(results).values() for name in pod),
        matches=matches,
        deals=deals,
        forfeits=forfeits,
        joined=joined,
    )


def ranks_of(estimates: Sequence[Estimate], late: Sequence[bool] = ()) -> list[Ranks]:
    """The rank of each estimate: the best gain is 1, equal gains share. The range of ranks counts those whose
    interval lies wholly above as ahead, those whose interval lies wholly below as behind, and all others as
    either; entrants without an interval may be anywhere.

    Only gains of one connected component can be compared. Ranks go to the component that holds more than half
    of all; every other entrant may have any rank. A `late` entrant comes behind the best of the others, and
    is second if there are none.

    The ranges are conservative: two 95 % intervals of similar width that do not touch differ at p < .006
    (N. Schenker & J. F. Gentleman, The American Statistician 55, 2001), so a range holds the true rank in
    more than 95 % of cases.
    """
    main = main_component(estimates)
    ordered = [estimate.component == main is not None for estimate in estimates]
    behind = late or [False] * len(estimates)
    in_time = [there and not is_late for there, is_late in zip(ordered, behind, strict=True)]
    gains = [_or(estimate.gain, -inf) for estimate in estimates]
    best = max(compress(gains, in_time), default=None)
    first = 2 if best is None else 1
    merits = _merits(gains, behind, _or(best, inf))
    compared = sorted(compress(merits, ordered))
    everybody, punctual = _Ends.of(compress(estimates, ordered)), _Ends.of(compress(estimates, in_time))

    def ranks(at: int) -> Ranks:
        if not ordered[at]:
            return Ranks(rank=None, low=1, high=len(estimates))
        one = estimates[at]
        fewest_ahead, most_ahead = everybody.above(one), len(estimates) - 1 - everybody.below(one)
        if behind[at]:
            # The best of those in time is ahead of it, even if its gain is less.
            fewest_ahead += punctual.above(one) == 0
            most_ahead += punctual.below(one) == len(punctual.lows)
        else:
            # If it is the best of those in time, no late entrant is ahead of it, whatever that one gains.
            if punctual.above(one) == 0:
                fewest_ahead = 0
            if punctual.below(one) == len(punctual.lows) - 1:
                most_ahead = len(estimates) - len(compared)
        rank = first + len(compared) - bisect_right(compared, merits[at])
        # A late entrant is behind all that share the first place, and not only behind one.
        return Ranks(rank, low=1 + fewest_ahead, high=max(1 + most_ahead, rank))

    return [ranks(at) for at in range(len(estimates))]


class _Ends(NamedTuple):
    """The ends of intervals, each in order; without an interval, they are infinite."""

    lows: Sequence[float]
    highs: Sequence[float]

    @staticmethod
    def of(estimates: Iterable[Estimate]) -> "_Ends":
        """Those of the estimates."""
        ends = [(_or(one.low, -inf), _or(one.high, inf)) for one in estimates]
        return _Ends(sorted(low for low, _ in ends), sorted(high for _, high in ends))

    def above(self, one: Estimate) -> int:
        """How many intervals lie wholly above that of `one`."""
        return len(self.lows) - bisect_right(self.lows, _or(one.high, inf))

    def below(self, one: Estimate) -> int:
        """How many lie wholly below it."""
        return bisect_left(self.highs, _or(one.low, -inf))


def _merits(gains: Sequence[float], behind: Sequence[bool], best: float) -> list[tuple[float, bool, float]]:
    """By what entrants are ranked: the gain; but a late entrant whose gain is `best`, the best one of the
    others, or more comes directly behind that entrant."""
    return [
        (best, False, gain) if is_late and gain >= best else (gain, True, gain)
        for gain, is_late in zip(gains, behind, strict=True)
    ]


def main_component(estimates: Sequence[Estimate]) -> int | None:
    """The connected component that holds more than half of the estimates; None if there is none."""
    sizes = Counter(estimate.component for estimate in estimates if estimate.component is not None)
    component, size = sizes.most_common(1)[0] if sizes else (None, 0)
    return component if 2 * size > len(estimates) else None


def _order(of: tuple[Estimate, Standing]) -> tuple[float, float, float, str]:
    estimate, row = of
    return _or(row.rank, inf), _or(estimate.component, inf), -_or(estimate.gain, -inf), row.name


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _buchholz(results: Iterable[MatchResult], scores: Mapping[str, int]) -> dict[str, float]:
    met = defaultdict[str, list[int]](list)
    for pod in _pods(results).values():
        for name in pod:
            met[name].extend(scores[other] for other in pod if other != name and not is_house(other))
    return {name: round(in_points(sum(of_met)) / len(of_met), 6) for name, of_met in met.items() if of_met}


def _pods(results: Iterable[MatchResult]) -> dict[tuple[int, int], tuple[str, ...]]:
    return {(result.round_no, result.pod_no): result.entrants for result in results}
