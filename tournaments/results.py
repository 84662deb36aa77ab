"""What has happened in a tournament: rounds as paired and matches as played. All other modules here build on
it. Knows no format and no statistics.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

import msgspec

from protocol import outcome
from protocol.outcome import Deals, Forfeit, HalfPoints

Pod: TypeAlias = tuple[str, ...]
"""The names of the entrants who meet."""

Round: TypeAlias = tuple[Pod, ...]
"""The pods of one round; the first is pod 1."""

HOUSE_PREFIX: Final = "house-"
"""Names of house bots, which fill the last pod, begin with this; names of entrants never do."""

EARLY_DEATHS: Final = 3
"""An entrant is withdrawn after it has forfeited this many matches before its first reply."""


class MatchResult(msgspec.Struct, frozen=True, dict=True):
    """A match that counts."""

    round_no: int
    pod_no: int
    seating_no: int
    entrants: tuple[str, ...]
    """By seat."""
    gains: Deals
    """As played, those of substitutes included."""
    placings: tuple[int, ...]
    """With the forfeits applied."""
    forfeits: tuple[Forfeit, ...]

    @cached_property
    def scores(self) -> tuple[HalfPoints, ...]:
        """By seat; 0 for house bots, with which every entrant ties."""
        house = frozenset(seat for seat, name in enumerate(self.entrants) if is_house(name))
        return _scores(self.placings, frozenset(forfeit.seat for forfeit in self.forfeits), house)


_scores = lru_cache(maxsize=4096)(outcome.scores)
"""Cached, since simulated tournaments have hundreds of thousands of matches, and placings are few."""


def is_house(name: str) -> bool:
    return name.startswith(HOUSE_PREFIX)


def in_match_order(results: Iterable[MatchResult]) -> list[MatchResult]:
    """The results sorted by round, pod and seating."""
    return sorted(results, key=lambda result: (result.round_no, result.pod_no, result.seating_no))


class Tally(NamedTuple):
    """What happened, counted. A name or pair that is missing counts 0."""

    met: Counter[tuple[str, str]]
    """In how many rounds each pair of entrants, in alphabetical order, was in one pod."""
    house_met: Counter[str]
    """How many house bots each entrant has met in all rounds."""
    scores: Counter[str]
    """Half-points by name; 0 for house bots."""

    @classmethod
    def of(cls, rounds: Iterable[Round] = (), results: Iterable[MatchResult] = ()) -> "Tally":
        """The tally of these rounds and results."""
        return cls(Counter(), Counter(), Counter()).after(rounds, results)

    def after(self, rounds: Iterable[Round], results: Iterable[MatchResult]) -> "Tally":
        """The tally with some more rounds and results."""
        met, house_met, scores = self.met.copy(), self.house_met.copy(), self.scores.copy()
        for pods in rounds:
            for pod in pods:
                own = sorted(name for name in pod if not is_house(name))
                met.update(combinations(own, 2))
                if house := len(pod) - len(own):
                    house_met.update(dict.fromkeys(own, house))
        for result in results:
            for name, score in zip(result.entrants, result.scores, strict=True):
                scores[name] += score
        return Tally(met, house_met, scores)


def total_scores(results: Iterable[MatchResult]) -> Counter[str]:
    """Half-points by name; 0 for house bots and for entrants that have not played."""
    return Tally.of(results=results).scores


def withdrawn(
    results: Iterable[MatchResult], counts_from: Mapping[str, int] = MappingProxyType({})
) -> tuple[str, ...]:
    """The entrants that are withdrawn for EARLY_DEATHS, in the order in which they reached that number. Call
    it at the end of a round. `counts_from`: the first round that counts, for entrants whose program was
    replaced."""
    deaths: Counter[str] = Counter()
    names = []
    for result in in_match_order(result for result in results if result.forfeits):
        for forfeit in result.forfeits:
            if not forfeit.answered:
                name = result.entrants[forfeit.seat]
                if result.round_no < counts_from.get(name, 0):
                    continue
                deaths[name] += 1
                if deaths[name] == EARLY_DEATHS:
                    names.append(name)
    return tuple(names)
