"""Standings: one row an entrant, from results alone. Holds nothing measured: same results, same bytes.

Knows no format; how gains are estimated is the statistics' business.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from tournaments.results import MatchResult, is_house, total_scores
from tournaments.statistics import HOUSE, Estimate, adjusted_gains


class Standing(msgspec.Struct, frozen=True):
    """rank: by gain, equals share; null for house bots, the withdrawn and whom nothing orders: play does not
    connect them with more than half of the ranked.
    gain: adjusted, per deal; None without a finished deal, which ranks last. low, high: its interval.
    joined: the round from which on it could be drawn, None for the first.
    rank_low … rank_high: the ranks that the intervals leave possible, all for whom nothing orders; None for
    house bots and the withdrawn.
    score: half-points, of max_score, where everybody ties with a house bot; both 0 for house bots. buchholz:
    the mean of the scores of the entrants met, over the pods of all rounds; None without any. pods: those it
    sat in. deals: finished ones. forfeits: number by kind.
    """

    name: str
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    gain: float | None
    low: float | None
    high: float | None
    score: int
    max_score: int
    buchholz: float | None
    pods: int
    matches: int
    deals: int
    forfeits: dict[str, int]
    joined: int | None = None


class Standings(msgspec.Struct, frozen=True):
    """entrants: by rank, equals by name; then whom nothing orders, those together that can be compared; the
    withdrawn last, by name. house: the house bots by number, with
    the one strength they share. widening: intervals are so many times as wide as Student's t ones, because
    pods were drawn from results."""

    entrants: tuple[Standing, ...]
    house: tuple[Standing, ...]
    widening: float


class Ranks(NamedTuple):
    rank: int | None
    low: int | None
    high: int | None


UNRANKED: Final = Ranks(None, None, None)
NOBODY: Final[Mapping[str, int]] = MappingProxyType({})


def standings(
    results: Iterable[MatchResult],
    entrants: Sequence[str],
    withdrawn: Collection[str] = (),
    *,
    widening: float = 1.0,
    joined: Mapping[str, int] = NOBODY,
    may_win: Collection[str] = (),
) -> Standings:
    """`entrants` are all, the `withdrawn` among them; who plays and is none of them is a house bot. For
    `widening` see resamples.py. `joined`: in which round those came who were not there from the beginning.
    They are first only if they sat in half of the rounds, or are among those who `may_win` all the same.
    Where that leaves nobody, nobody is first."""
    results = list(results)
    gains = adjusted_gains(results, entrants, withdrawn, widening=widening)
    scores = total_scores(results)
    means = _buchholz(results, scores)
    pods = Counter(name for of_pod in _pods(results).values() for name in of_pod)
    matches, deals, most = Counter[str](), Counter[str](), Counter[str]()
    forfeits = defaultdict[str, Counter[str]](Counter)
    for result in results:
        for name in result.entrants:
            matches[name] += 1
            deals[name] += len(result.gains)
            most[name] += 0 if is_house(name) else 2 * (len(result.entrants) - 1)
        for forfeit in result.forfeits:
            forfeits[result.entrants[forfeit.seat]][forfeit.kind] += 1

    def standing(name: str, estimate: Estimate, ranks: Ranks = UNRANKED) -> Standing:
        return Standing(
            name=name,
            rank=ranks.rank,
            rank_low=ranks.low,
            rank_high=ranks.high,
            gain=estimate.gain,
            low=estimate.low,
            high=estimate.high,
            score=scores[name],
            max_score=most[name],
            buchholz=means.get(name),
            pods=pods[name],
            matches=matches[name],
            deals=deals[name],
            forfeits=dict(sorted(forfeits[name].items())),
            joined=joined.get(name),
        )

    names = sorted(set(entrants) - set(withdrawn))
    estimates = [gains.get(name, Estimate()) for name in names]
    rounds = max((result.round_no for result in results), default=0)
    late = [name in joined and name not in may_win and 2 * pods[name] < rounds for name in names]
    ranked = map(standing, names, estimates, ranks_of(estimates, late))
    gone = [standing(name, gains.get(name, Estimate())) for name in sorted(withdrawn)]
    # The shorter name first: house-9 before house-10.
    house = sorted(matches.keys() - set(entrants), key=lambda name: (len(name), name))
    return Standings(
        entrants=(*(row for _, row in sorted(zip(estimates, ranked, strict=True), key=_order)), *gone),
        house=tuple(standing(name, gains.get(HOUSE, Estimate())) for name in house),
        widening=widening,
    )


def ranks_of(estimates: Sequence[Estimate], late: Sequence[bool] = ()) -> list[Ranks]:
    """The best gain is 1, equals share. From 1 + those whose interval lies wholly above to N − those whose
    interval lies wholly below; entrants without an interval are not counted.

    Only gains of one connected component can be compared. Ranks go to the component that holds more than half
    of all; every other entrant may be anywhere. Who is `late` comes behind the best of the others, and is
    second where there are none.

    Cautious: two 95 % intervals of like width that do not touch differ at p < .006 (N. Schenker & J. F.
    Gentleman, The American Statistician 55, 2001): ranges hold the true rank more often than that.
    """
    main = main_component(estimates)
    behind = late or [False] * len(estimates)
    gains = [_or(estimate.gain, -inf) for estimate in estimates]
    ordered = [main is not None and estimate.component == main for estimate in estimates]
    in_time = [
        gain for gain, there, is_late in zip(gains, ordered, behind, strict=True) if there and not is_late
    ]
    best = max(in_time, default=inf)
    first = 1 if in_time else 2
    merits = [
        (best, False, gain) if is_late and gain >= best else (gain, True, gain)
        for gain, is_late in zip(gains, behind, strict=True)
    ]
    compared = sorted(merit for merit, there in zip(merits, ordered, strict=True) if there)
    lows = sorted(_or(e.low, -inf) for e, there in zip(estimates, ordered, strict=True) if there)
    highs = sorted(_or(e.high, inf) for e, there in zip(estimates, ordered, strict=True) if there)

    def ranks(at: int) -> Ranks:
        if not ordered[at]:
            return Ranks(rank=None, low=1, high=len(estimates))
        return Ranks(
            rank=first + len(compared) - bisect_right(compared, merits[at]),
            low=max(first + len(lows) - bisect_right(lows, _or(estimates[at].high, inf)), 1 + behind[at]),
            high=first - 1 + len(estimates) - bisect_left(highs, _or(estimates[at].low, -inf)),
        )

    return [ranks(at) for at in range(len(estimates))]


def main_component(estimates: Sequence[Estimate]) -> int | None:
    """The connected component that holds more than half of all, or None."""
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
    return {name: round(sum(of_met) / len(of_met), 6) for name, of_met in met.items() if of_met}


def _pods(results: Iterable[MatchResult]) -> dict[tuple[int, int], tuple[str, ...]]:
    return {(result.round_no, result.pod_no): result.entrants for result in results}
