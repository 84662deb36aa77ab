"""What has happened in a tournament: rounds as paired and matches as played. All other modules here build on
it. Knows no format and no statistics.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final, TypeAlias

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
        house = [seat for seat, name in enumerate(self.entrants) if is_house(name)]
        return outcome.scores(self.placings, {forfeit.seat for forfeit in self.forfeits}, house)


def is_house(name: str) -> bool:
    return name.startswith(HOUSE_PREFIX)


def in_match_order(results: Iterable[MatchResult]) -> list[MatchResult]:
    """The results sorted by round, pod and seating."""
    return sorted(results, key=lambda result: (result.round_no, result.pod_no, result.seating_no))


_counted: tuple[tuple[MatchResult, ...], dict[str, int]] = ((), {})
"""The last argument and answer of `total_scores`. The next call mostly adds a few results."""


def total_scores(results: Iterable[MatchResult]) -> Counter[str]:
    """Half-points by name; 0 for house bots and for entrants that have not played."""
    global _counted
    results = tuple(results)
    before, totals = _counted
    begun = len(before) if results[: len(before)] == before else 0
    totals = dict(totals) if begun else {}  # A plain dict is several times as fast as a Counter.
    for result in results[begun:]:
        for name, score in zip(result.entrants, result.scores, strict=True):
            totals[name] = totals.get(name, 0) + score
    _counted = results, totals
    return Counter(totals)


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
