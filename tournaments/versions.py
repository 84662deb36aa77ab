"""Versions: a program that replaces another under the same name counts as a new entrant from then on.

The gains of the two have nothing in common, so each has a row and a strength of its own in the standings.
Pairing goes by name and uses the scores of both. Knows results; no statistics.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from tournaments.results import MatchResult

BEGINS: Final = " ("
"""Separates name and rounds in the name of an earlier version. No entrant's name contains it."""

Replaced: TypeAlias = Mapping[str, Sequence[int]]
"""By name, the first round of each new version, ascending."""


def by_version(results: Iterable[MatchResult], replaced: Replaced) -> tuple[MatchResult, ...]:
    """The results, with each entrant's name replaced by that of its version in that round."""
    if not replaced:
        return tuple(results)
    return tuple(
        msgspec.structs.replace(
            result,
            entrants=tuple(version_of(name, result.round_no, replaced) for name in result.entrants),
        )
        for result in results
    )


def version_of(name: str, round_no: int, replaced: Replaced) -> str:
    """The version that played in a round: the entrant's name if it is current, else `ada (rounds 1–3)`."""
    begins = replaced.get(name, ())
    i = bisect_right(begins, round_no)
    if i == len(begins):
        return name
    first, last = (begins[i - 1] if i else 1), begins[i] - 1
    return f"{name}{BEGINS}{rounds_of(first, last)})"


def rounds_of(first: int, last: int) -> str:
    """`rounds 1–3`, for example, or `round 2`."""
    return f"round {last}" if first == last else f"rounds {first}–{last}"


def earlier_versions(names: Collection[str], replaced: Replaced) -> tuple[str, ...]:
    """The names of all earlier versions of the entrants in `names`, by entrant and round."""
    return tuple(
        version_of(name, begin - 1, replaced)
        for name in sorted(replaced)
        if name in names
        for begin in replaced[name]
    )
