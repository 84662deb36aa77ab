"""Standings: one row an entrant, from results alone. Holds nothing measured: same results, same bytes.

Knows no format; how gains are estimated is the statistics' business.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

import msgspec

from tournaments.results import MatchResult, is_house, total_scores
from tournaments.statistics import HOUSE, Estimate, Unit, adjusted_gains


class Standing(msgspec.Struct, frozen=True):
    """rank: by gain, equals share; null for house bots and the withdrawn.
    gain: adjusted, per deal; None without a finished deal, which ranks last. low, high: its interval.
    rank_low … rank_high: the ranks that the intervals leave possible; None without a rank.
    score: half-points, of max_score, where everybody ties with a house bot; both 0 for house bots. buchholz:
    the mean of the scores of the entrants met, over the pods of all rounds; None without any. deals: finished
    ones. forfeits: number by kind.
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
    matches: int
    deals: int
    forfeits: dict[str, int]


class Standings(msgspec.Struct, frozen=True):
    """entrants: by rank, equals by name; the withdrawn last, by name. house: the house bots by number, with
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
    unit: Unit = "deal",
    widening: float = 1.0,
) -> Standings:
    """`entrants` are all, the `withdrawn` among them; who plays and is none of them is a house bot. For
    `widening` see resamples.py."""
    results = list(results)
    gains = adjusted_gains(results, entrants, withdrawn, unit=unit, widening=widening)
    scores = total_scores(results)
    means = _buchholz(results, scores)
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
        entrants=(*sorted(ranked, key=lambda row: row.rank or 0), *gone),
        house=tuple(standing(name, gains.get(HOUSE, Estimate())) for name in house),
        widening=widening,
    )


def ranks_of(estimates: Sequence[Estimate]) -> list[Ranks]:
    """The best gain is 1, equals share, no gain is below all. From 1 + those whose interval lies wholly
    above to N − those whose interval lies wholly below; who has no interval is neither to anybody.

    Cautious: two 95 % intervals of like width that do not touch differ at p < .006 (N. Schenker & J. F.
    Gentleman, The American Statistician 55, 2001): ranges hold the true rank more often than that.
    """
    known = [(_or(e.gain, -inf), _or(e.low, -inf), _or(e.high, inf)) for e in estimates]
    gains = sorted(gain for gain, _, _ in known)
    lows = sorted(low for _, low, _ in known)
    highs = sorted(high for _, _, high in known)
    count = len(known)
    return [
        Ranks(
            rank=1 + count - bisect_right(gains, gain),
            low=1 + count - bisect_right(lows, high),
            high=count - bisect_left(highs, low),
        )
        for gain, low, high in known
    ]


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _buchholz(results: Iterable[MatchResult], scores: Mapping[str, int]) -> dict[str, float]:
    pods = {(result.round_no, result.pod_no): result.entrants for result in results}
    met = defaultdict[str, list[int]](list)
    for pod in pods.values():
        for name in pod:
            met[name].extend(scores[other] for other in pod if other != name and not is_house(other))
    return {name: round(sum(of_met) / len(of_met), 6) for name, of_met in met.items() if of_met}
