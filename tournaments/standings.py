"""Standings: one row an entrant, from results alone. Holds nothing measured: same results, same bytes.

Knows no format; how gains are estimated is the statistics' business.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

import msgspec

from tournaments.results import MatchResult, total_scores
from tournaments.statistics import HOUSE, Estimate, adjusted_gains


class Standing(msgspec.Struct, frozen=True):
    """rank: by gain, equals share; null for house bots, the withdrawn and whom nothing orders: play does not
    connect them with more than half of the ranked.
    gain: adjusted, per deal; None without a finished deal, which ranks last. low, high: its interval.
    rank_low … rank_high: the ranks that the intervals leave possible, all for whom nothing orders; None for
    house bots and the withdrawn.
    score: half-points, of max_score. buchholz: the mean of the opponents' scores, over the pods of all
    rounds; None without any. pods: those it sat in. deals: finished ones. forfeits: number by kind.
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


def standings(
    results: Iterable[MatchResult],
    entrants: Sequence[str],
    withdrawn: Collection[str] = (),
    *,
    widening: float = 1.0,
) -> Standings:
    """`entrants` are all, the `withdrawn` among them; who plays and is none of them is a house bot. For
    `widening` see resamples.py."""
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
            most[name] += 2 * (len(result.entrants) - 1)
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
        )

    names = sorted(set(entrants) - set(withdrawn))
    estimates = [gains.get(name, Estimate()) for name in names]
    ranked = map(standing, names, estimates, ranks_of(estimates))
    gone = [standing(name, gains.get(name, Estimate())) for name in sorted(withdrawn)]
    # The shorter name first: house-9 before house-10.
    house = sorted(matches.keys() - set(entrants), key=lambda name: (len(name), name))
    return Standings(
        entrants=(*(row for _, row in sorted(zip(estimates, ranked, strict=True), key=_order)), *gone),
        house=tuple(standing(name, gains.get(HOUSE, Estimate())) for name in house),
        widening=widening,
    )


def ranks_of(estimates: Sequence[Estimate]) -> list[Ranks]:
    """The best gain is 1, equals share. From 1 + those whose interval lies wholly above to N − those whose
    interval lies wholly below; entrants without an interval are not counted.

    Only gains of one connected component can be compared. Ranks go to the component that holds more than half
    of all; every other entrant may be anywhere.

    Cautious: two 95 % intervals of like width that do not touch differ at p < .006 (N. Schenker & J. F.
    Gentleman, The American Statistician 55, 2001): ranges hold the true rank more often than that.
    """
    main = main_component(estimates)
    ordered = [e for e in estimates if main is not None and e.component == main]
    gains = sorted(_or(e.gain, -inf) for e in ordered)
    lows = sorted(_or(e.low, -inf) for e in ordered)
    highs = sorted(_or(e.high, inf) for e in ordered)

    def ranks(e: Estimate) -> Ranks:
        if main is None or e.component != main:
            return Ranks(rank=None, low=1, high=len(estimates))
        return Ranks(
            rank=1 + len(gains) - bisect_right(gains, _or(e.gain, -inf)),
            low=1 + len(lows) - bisect_right(lows, _or(e.high, inf)),
            high=len(estimates) - bisect_left(highs, _or(e.low, -inf)),
        )

    return list(map(ranks, estimates))


def _order(of: tuple[Estimate, Standing]) -> tuple[float, float, float, str]:
    estimate, row = of
    return _or(row.rank, inf), _or(estimate.component, inf), -_or(estimate.gain, -inf), row.name


def main_component(estimates: Sequence[Estimate]) -> int | None:
    """The connected component that holds more than half of all, or None."""
    sizes = Counter(estimate.component for estimate in estimates if estimate.component is not None)
    component, size = sizes.most_common(1)[0] if sizes else (None, 0)
    return component if 2 * size > len(estimates) else None


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _buchholz(results: Iterable[MatchResult], scores: Mapping[str, int]) -> dict[str, float]:
    met = defaultdict[str, list[int]](list)
    for pod in _pods(results).values():
        for name in pod:
            met[name].extend(scores[other] for other in pod if other != name)
    return {name: round(sum(opponents) / len(opponents), 6) for name, opponents in met.items()}


def _pods(results: Iterable[MatchResult]) -> dict[tuple[int, int], tuple[str, ...]]:
    return {(result.round_no, result.pod_no): result.entrants for result in results}
