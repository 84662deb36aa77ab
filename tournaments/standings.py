"""Standings: a row for each entrant, from results alone. Nothing in them is timed: same results, same bytes.

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
    """A row of the standings."""

    name: str
    rank: int | None
    """By gain; equal gains share a rank. None for house bots, withdrawn entrants, and entrants without an
    order: those that no pods connect with more than half of the ranked."""
    rank_low: int | None
    rank_high: int | None
    """`rank_low` to `rank_high`: the ranks that the intervals leave possible; all, for an entrant without
    an order. None for house bots and withdrawn entrants. If all entrants are late, nobody is first, and
    `rank_high` may be one more than their number."""
    gain: float | None
    """Per deal, adjusted for opponents; None, which ranks last, without a finished deal."""
    low: float | None
    high: float | None
    """`low` to `high`: the interval of the gain."""
    score: float
    """Out of `max_score`; ½ for a tie. All tie with house bots, whose `score` and `max_score` are 0."""
    max_score: float
    buchholz: float | None
    """The mean score of the entrants that it met, over the pods of all rounds; None if it met none."""
    pods: int
    matches: int
    deals: int
    """The number of finished deals."""
    forfeits: dict[str, int]
    """By kind of fault: how often it forfeited."""
    joined: int | None = None
    """The first round in which its program could play, if it was admitted late or replaced another."""


class Standings(msgspec.Struct, frozen=True):
    """All rows, and the factor by which their intervals are wider."""

    entrants: tuple[Standing, ...]
    """By rank, then name; then those without an order, grouped by component; then the withdrawn."""
    house: tuple[Standing, ...]
    """House bots by number, with the one strength that they share."""
    widening: float
    """The factor by which intervals are wider, since pods depend on results; infinite if there are none."""


class Ranks(NamedTuple):
    """An entrant's rank, and the range that the intervals leave possible."""

    rank: int | None
    low: int | None
    high: int | None


UNRANKED: Final = Ranks(None, None, None)
NONE_JOINED: Final[Mapping[str, int]] = MappingProxyType({})


class _Facts(NamedTuple):
    """What results say about each name, without estimates; see Standing."""

    score: Mapping[str, int]
    max_score: Mapping[str, int]
    buchholz: Mapping[str, float]
    pods: Mapping[str, int]
    matches: Mapping[str, int]
    deals: Mapping[str, int]
    forfeits: Mapping[str, Mapping[str, int]]
    joined: Mapping[str, int]

    def standing(self, name: str, estimate: Estimate, ranks: Ranks = UNRANKED) -> Standing:
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
    joined: Mapping[str, int] = NONE_JOINED,
    may_win: Collection[str] = (),
) -> Standings:
    """The standings after `results`. `entrants` are all entrants, the `withdrawn` included; every other name
    is a house bot. For `widening` see resamples.py. `joined`: the first round of each late entrant. A late
    entrant is first only if it played in half of the rounds or is in `may_win`. If that excludes all, the
    best entrant is second."""
    results = list(results)
    gains = adjusted_gains(results, entrants, withdrawn, widening=widening)
    facts = _facts(results, joined)
    names = sorted(set(entrants) - set(withdrawn))
    estimates = [gains.get(name, Estimate()) for name in names]
    rounds = max((result.round_no for result in results), default=0)
    # An entrant plays in one pod each round.
    late = [name in joined and name not in may_win and 2 * facts.pods[name] < rounds for name in names]
    ranked = map(facts.standing, names, estimates, ranks_of(estimates, late))
    gone = [facts.standing(name, gains.get(name, Estimate())) for name in sorted(withdrawn)]
    # Shorter names first: house-9 before house-10.
    house = sorted(facts.matches.keys() - set(entrants), key=lambda name: (len(name), name))
    return Standings(
        entrants=(*(row for _, row in sorted(zip(estimates, ranked, strict=True), key=_row_key)), *gone),
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
    """The rank of each estimate: the best gain is 1, equal gains share. For the range of ranks, entrants
    whose interval lies wholly above are ahead, those whose interval lies wholly below are behind, and all
    others may be either; an entrant without an interval may be anywhere.

    Only gains of one connected component can be compared. Ranks go to the component with more than half of
    all entrants; the others may have any rank. A `late` entrant ranks after the best of the others, and is
    second if there are none.

    The ranges are conservative: two 95 % intervals of similar width that do not touch differ at p < .006
    (N. Schenker & J. F. Gentleman, The American Statistician 55, 2001), so a range holds the true rank in
    more than 95 % of cases.
    """
    main = main_component(estimates)
    comparable = [main is not None and estimate.component == main for estimate in estimates]
    is_late = late or [False] * len(estimates)
    on_time = [known and not is_late for known, is_late in zip(comparable, is_late, strict=True)]
    gains = [_or(estimate.gain, -inf) for estimate in estimates]
    best = max(compress(gains, on_time), default=None)
    first = 2 if best is None else 1
    merits = _merits(gains, is_late, _or(best, inf))
    ascending = sorted(compress(merits, comparable))
    all_ends, on_time_ends = _Ends.of(compress(estimates, comparable)), _Ends.of(compress(estimates, on_time))

    def ranks(i: int) -> Ranks:
        if not comparable[i]:
            return Ranks(rank=None, low=1, high=len(estimates))
        own = estimates[i]
        fewest_ahead, most_ahead = all_ends.above(own), len(estimates) - 1 - all_ends.below(own)
        none_above, rivals_below = on_time_ends.above(own) == 0, on_time_ends.below(own)
        if is_late[i]:
            # The best on-time entrant is ahead of it, even with a smaller gain.
            fewest_ahead += 1 if none_above else 0
            most_ahead += 1 if rivals_below == len(on_time_ends.lows) else 0
        else:
            # If it is the best on-time entrant, no late one is ahead of it, whatever that one gains.
            fewest_ahead = 0 if none_above else fewest_ahead
            if rivals_below == len(on_time_ends.lows) - 1:
                most_ahead = len(estimates) - len(ascending)
        rank = first + len(ascending) - bisect_right(ascending, merits[i])
        # A late entrant ranks after all that share the first place, not only after one of them.
        return Ranks(rank, low=1 + fewest_ahead, high=max(1 + most_ahead, rank))

    return [ranks(i) for i in range(len(estimates))]


class _Ends(NamedTuple):
    """The ends of intervals, each in ascending order; infinite without an interval."""

    lows: Sequence[float]
    highs: Sequence[float]

    @staticmethod
    def of(estimates: Iterable[Estimate]) -> "_Ends":
        ends = [(_or(estimate.low, -inf), _or(estimate.high, inf)) for estimate in estimates]
        return _Ends(sorted(low for low, _ in ends), sorted(high for _, high in ends))

    def above(self, own: Estimate) -> int:
        """How many intervals lie wholly above its own."""
        return len(self.lows) - bisect_right(self.lows, _or(own.high, inf))

    def below(self, own: Estimate) -> int:
        """How many intervals lie wholly below its own."""
        return bisect_left(self.highs, _or(own.low, -inf))


def _merits(gains: Sequence[float], late: Sequence[bool], best: float) -> list[tuple[float, bool, float]]:
    """The keys by which entrants are ranked, ascending: the gain. A late entrant with at least the `best`
    gain of the others sorts just below it, by the False, and among such by its gain."""
    return [
        (best, False, gain) if is_late and gain >= best else (gain, True, gain)
        for gain, is_late in zip(gains, late, strict=True)
    ]


def main_component(estimates: Sequence[Estimate]) -> int | None:
    """The connected component with more than half of the estimates; None if there is none."""
    sizes = Counter(estimate.component for estimate in estimates if estimate.component is not None)
    component, size = sizes.most_common(1)[0] if sizes else (None, 0)
    return component if 2 * size > len(estimates) else None


def _row_key(pair: tuple[Estimate, Standing]) -> tuple[float, float, float, str]:
    estimate, row = pair
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
