"""The tables of a tournament's groups: the entrants of each group, ranked among themselves. All play in one
tournament, so gains can be compared across groups.

Knows standings, no screen.
"""

from typing import TYPE_CHECKING

import msgspec

from arena.director.state import Record
from tournaments.versions import BEGINS

if TYPE_CHECKING:
    from tournaments.standings import Standing, Standings


class GroupRow(msgspec.Struct, frozen=True):
    """An entrant's row of the standings, and its rank in its group; None if it has no rank at all."""

    rank: int | None
    row: "Standing"


def groups_of(record: Record, table: "Standings") -> dict[str, tuple[GroupRow, ...]]:
    """The rows of each group, in the order of `table`, by the name of the group; groups in alphabetical
    order. An earlier version of an entrant is in the entrant's group."""
    by_group: dict[str, list[Standing]] = {
        group: [] for group in sorted({*record.created.groups.values()} - {""})
    }
    for row in table.entrants:
        if group := record.created.groups.get(row.name.partition(BEGINS)[0]):
            by_group[group].append(row)
    return {group: tuple(GroupRow(_rank(row, rows), row) for row in rows) for group, rows in by_group.items()}


def _rank(row: "Standing", rows: "list[Standing]") -> int | None:
    if row.rank is None:
        return None
    return 1 + sum(other.rank is not None and other.rank < row.rank for other in rows)
