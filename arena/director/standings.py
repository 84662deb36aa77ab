"""Data of `arena standings`: the standings of a tournament and the figures behind them."""

from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from arena.director.ahead import who_is_ahead
from arena.director.caveats import caveats
from arena.director.figures import Figures, figures
from arena.director.groups import groups_of
from arena.director.state import Record
from arena.director.titles import with_title
from arena.director.wording import time_up_text
from arena.log.house_bugs import HouseBugRow
from tournaments.plan import Spread, rounds_for

if TYPE_CHECKING:
    from tournaments.standings import Standings


def as_data(record: Record) -> dict[str, Any]:
    """The standings for --json: everything that follows from play, without measured times and paths. The seed
    is None until the last match was played, since it reveals all hands."""
    created = record.created
    table = record.standings()
    return {
        "game": created.game,
        "rules": created.rules,
        "options": created.options,
        "format": created.format,
        "seed": created.seed if record.over else None,
        "seed_sha256": created.seed_sha256,
        "announced": _announced(record),
        "pod_size": created.pod_size,
        "deals": created.deals,
        "duplicates": created.duplicates,
        "rounds": record.rounds,
        "rounds_drawn": len(record.drawn),
        "matches": len(record.results),
        "skipped": list(record.skipped),
        "bugs": [_without_program(bug) for bug in record.bugs],
        "time_up": [time_up_text(entry) for entry in record.times_up],
        "interval_widening": table.widening if isfinite(table.widening) else None,
        "knockout": msgspec.to_builtins(record.course),
        "entrants": [with_title(msgspec.to_builtins(row), record.title(row.name)) for row in table.entrants],
        "house": msgspec.to_builtins(table.house),
        "groups": _groups(record, table),
        "ahead": who_is_ahead(record, table),
        "caveats": list(caveats(table, record.entrants.values(), record.called)),
        "left_out": msgspec.to_builtins(created.left_out),
        "by_organiser": [
            dict(zip(("entry", "of", "reason"), e.row(), strict=True)) for e in record.by_organiser
        ],
    }


def _without_program(bug: HouseBugRow) -> dict[str, Any]:
    """A bug without the path of a program on this machine."""
    return {name: value for name, value in msgspec.structs.asdict(bug).items() if name != "program"}


def _groups(record: Record, table: "Standings") -> list[dict[str, Any]]:
    """The table of each group. `overall` is the rank among all entrants."""
    return [
        {
            "group": group,
            "entrants": [
                {"rank": row.rank, "name": row.row.name, "overall": row.row.rank, "gain": row.row.gain}
                for row in rows
            ],
        }
        for group, rows in groups_of(record, table).items()
    ]


def figures_as_data(record: Record, margin: float | None) -> dict[str, Any]:
    """The figures for --full --json, with `rounds_for_margin` if a margin is given. Takes seconds."""
    computed = figures(record)
    data: dict[str, Any] = msgspec.to_builtins(computed)
    data["spent_ms"] = record.spent and msgspec.structs.asdict(record.spent)
    if margin is not None and computed.deviation is not None:
        data["rounds_for_margin"] = rounds_for_margin(record, computed, margin)
    return data


def rounds_for_margin(record: Record, found: Figures, margin: float) -> int | None:
    """How many rounds like these narrow the intervals to `margin`, in gain per deal, to either side; None if
    no number does, or if the spread of gains is unknown."""
    if found.deviation is None or found.correlation is None:
        return None
    return rounds_for(
        margin, record.created.deals, Spread(found.deviation * record.widening, found.correlation)
    )


def _announced(record: Record) -> dict[str, str | None] | None:
    """The parts of an announced seed, the secret only after the last match; None if it was not announced."""
    mixed = record.created.announced
    if mixed is None:
        return None
    secret = mixed.secret if record.over else None
    return {"commitment": mixed.commitment, "public": mixed.public, "secret": secret}
