"""Versions: a program that takes another's place under its name counts as an entrant of its own from then on.

What the two gain has nothing in common, so each has a row of the table and a strength of its own. The pairing
knows names, and goes on from what both have scored. Knows results; no statistics.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from tournaments.results import MatchResult

BEGINS: Final = " ("
"""Behind it stands which rounds an earlier version played. No name of an entrant has it."""

Replaced: TypeAlias = Mapping[str, Sequence[int]]
"""By name, the rounds from which on a new version played, ascending."""


def by_version(results: Iterable[MatchResult], replaced: Replaced) -> tuple[MatchResult, ...]:
    """The results with every entrant called as its version of that round is."""
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
    """The name itself for the version that plays now, `ada (rounds 1–3)` for an earlier one."""
    begins = replaced.get(name, ())
    at = bisect_right(begins, round_no)
    if at == len(begins):
        return name
    first, last = (begins[at - 1] if at else 1), begins[at] - 1
    return f"{name}{BEGINS}{f'round {last}' if first == last else f'rounds {first}–{last}'})"


def earlier_versions(names: Collection[str], replaced: Replaced) -> tuple[str, ...]:
    """Of all entrants, the latest last."""
    return tuple(
        version_of(name, begin - 1, replaced)
        for name in sorted(replaced)
        if name in names
        for begin in replaced[name]
    )
