"""Versions: a program that replaces another under the same name counts as an entrant of its own from then on.

The gains of the two have nothing in common, so each has a row of the table and a strength of its own. Pairing
goes by name and uses the scores of both. Knows results; no statistics.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from tournaments.results import MatchResult

BEGINS: Final = " ("
"""In the name of an earlier version, what stands between the entrant's name and the rounds that it played. No
entrant's name contains it."""

Replaced: TypeAlias = Mapping[str, Sequence[int]]
"""By name, the first round of each new version, ascending."""


def by_version(results: Iterable[MatchResult], replaced: Replaced) -> tuple[MatchResult, ...]:
    """The results with the version of that round in place of each entrant's name."""
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
    """The name of the version that played in a round: the entrant's own name for the version that plays now,
    `ada (rounds 1–3)` for an earlier one."""
    begins = replaced.get(name, ())
    at = bisect_right(begins, round_no)
    if at == len(begins):
        return name
    first, last = (begins[at - 1] if at else 1), begins[at] - 1
    return f"{name}{BEGINS}{rounds_of(first, last)})"


def rounds_of(first: int, last: int) -> str:
    """Such as `rounds 1–3`; `round 2` if it is only one."""
    return f"round {last}" if first == last else f"rounds {first}–{last}"


def earlier_versions(names: Collection[str], replaced: Replaced) -> tuple[str, ...]:
    """The names of the earlier versions of all entrants in `names`, by entrant and then by round."""
    return tuple(
        version_of(name, begin - 1, replaced)
        for name in sorted(replaced)
        if name in names
        for begin in replaced[name]
    )
