"""`arena standings`: the standings of a tournament, computed from its journal. Also the table that
`arena tournament` prints at its end.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from rich.console import Console

from arena import registry
from arena.cli.faults import print_faults
from arena.cli.options import FiniteRange, folder_argument, json_option
from arena.cli.output import Column, print_hanging, print_json, print_table, stdout, with_title
from arena.log.fault_report import fault_rows
from arena.running.caveats import caveats
from arena.running.journal import Journal
from arena.running.state import Record, organiser_row
from protocol.outcome import in_points

if TYPE_CHECKING:
    from tournaments.knockout import Course
    from tournaments.standings import Standing


@click.command("standings")
@folder_argument
@click.option("--full", is_flag=True, help="Also which bot is better than which, gains by seat, and more.")
@click.option(
    "--margin",
    type=FiniteRange(0, min_open=True),
    help="Like --full; also how many rounds this margin takes.",
)
@json_option
def command(folder: Path, full: bool, margin: float | None, as_json: bool) -> None:
    """Show the standings of the tournament in DIR, finished or not.

    Example: arena standings spring --margin 0.5
    """
    full = full or margin is not None
    with Journal(folder) as journal:
        record = Record(journal.entries)
        if full:
            # Imported here because numpy and scipy are slow to load.
            from arena.cli import figures
        if as_json:
            print_json(as_data(record) | (figures.as_data(record, margin) if full else {}))
            return
        print_standings(record, journal.read_log, stdout())
        if full:
            figures.print_figures(record, margin, stdout())


def as_data(record: Record) -> dict[str, Any]:
    """The standings for --json: everything that follows from play, but no measured times and no paths. The
    seed is None until the last match is played, since it reveals all hands."""
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
        "rounds": created.rounds,
        "rounds_drawn": len(record.drawn),
        "matches": len(record.results),
        "skipped": list(record.skipped),
        "interval_widening": table.widening if isfinite(table.widening) else None,
        "knockout": msgspec.to_builtins(record.course),
        "entrants": [with_title(msgspec.to_builtins(row), record.title(row.name)) for row in table.entrants],
        "house": msgspec.to_builtins(table.house),
        "caveats": list(caveats(table, record.entrants.values(), record.called)),
        "left_out": msgspec.to_builtins(created.left_out),
        "by_organiser": [
            dict(zip(("entry", "of", "reason"), organiser_row(e), strict=True)) for e in record.by_organiser
        ],
    }


def _announced(record: Record) -> dict[str, str | None] | None:
    """The parts of an announced seed, the secret one only after the last match; None if it was not
    announced."""
    mixed = record.created.announced
    if mixed is None:
        return None
    secret = mixed.secret if record.over else None
    return {"commitment": mixed.commitment, "public": mixed.public, "secret": secret}


def print_standings(record: Record, read_log: Callable[[str], str], console: Console) -> None:
    """Print the table, its caveats, the entries of the organiser and the faults of all matches. `read_log`
    returns a log by its match id."""
    created = record.created
    table = record.standings()
    came_to = came_to_texts(record.course)
    columns = [
        Column("rank", right=True),
        Column("bot"),
        *([Column("came to")] if came_to else []),
        Column("gain/deal", right=True),
        Column("95 % interval", right=True),
        Column("ranks", right=True, spare=1),
        Column("score", right=True, spare=2),
        Column("Buchholz", right=True, spare=4),
        Column("matches", right=True, spare=3),
        Column(""),
    ]
    rows = [_cells(row, record, came_to) for row in (*table.entrants, *table.house)]
    title = registry.game(created.game).title
    played = f"round {len(record.drawn)} of {created.rounds}, {len(record.results)} matches"
    print_table(f"{title} · {created.format} · {played}", columns, rows, console)
    sentences = list(caveats(table, record.entrants.values(), record.called))
    for sentence in sentences:
        print_hanging(sentence, console, 2)
    if sentences:
        console.print()
    _print_remarks(record, console)
    # In the order of match ids, so that the output does not depend on the order in which matches ended.
    forfeited = sorted(match_id for match_id, played in record.played.items() if played.forfeits)
    print_faults([row for match_id in forfeited for row in fault_rows(read_log(match_id))], console)


def _cells(row: "Standing", record: Record, came_to: Mapping[str, str]) -> tuple[str, ...]:
    """One row of the table; the column of `came_to` is left out if that is empty."""
    remarks = [f"{count} × {kind}" for kind, count in row.forfeits.items()]
    if row.rank is None:
        remarks.insert(0, _why_unranked(row, record))
    if row.joined is not None:
        remarks.insert(0, f"since round {row.joined}")
    return (
        "–" if row.rank is None else str(row.rank),
        record.called(row.name),
        *([came_to.get(row.name, "")] if came_to else []),
        "–" if row.gain is None else f"{row.gain:+.3f}",
        "–" if row.low is None or row.high is None else f"{row.low:+.2f} … {row.high:+.2f}",
        _ranks(row.rank_low, row.rank_high),
        f"{in_points(row.score)}/{in_points(row.max_score)}" if row.max_score else "–",
        "–" if row.buchholz is None else f"{row.buchholz / 2:.2f}",
        str(row.matches),
        ", ".join(remarks),
    )


def _print_remarks(record: Record, console: Console) -> None:
    """Tables of the bots left out, the matches skipped, and the entries of the organiser."""
    created = record.created
    if created.left_out:
        left_out = [(out.name, out.reason) for out in created.left_out]
        print_table("Left out", [Column("bot"), Column("why", folds=True)], left_out, console)
    if record.skipped:
        skipped = [
            (entry.match_id, entry.reason.strip().rpartition("\n")[2]) for entry in record.skipped.values()
        ]
        print_table(
            "Skipped by an error of ours", [Column("match"), Column("error", folds=True)], skipped, console
        )
    if record.by_organiser:
        columns = [Column("entry"), Column("of"), Column("reason", folds=True)]
        deeds = [(what, record.called(of), why) for what, of, why in map(organiser_row, record.by_organiser)]
        print_table("By the organiser", columns, deeds, console)


def _why_unranked(row: "Standing", record: Record) -> str:
    if row.name in record.withdrawn:
        return "withdrawn"
    if row.name in record.fielded.gone:
        return "replaced"
    return "unranked" if row.rank_low is None else "not comparable"


def _ranks(low: int | None, high: int | None) -> str:
    return "–" if low is None else str(low) if low == high else f"{low}–{high}"


def came_to_texts(course: "Course | None") -> dict[str, str]:
    """How far each entrant of a knockout came, by name; empty for None."""
    if course is None:
        return {}
    rounds = {name: f"round {round_no}" for name, round_no in course.came_to.items()}
    final = {name: "final" for name, round_no in course.came_to.items() if round_no == course.final}
    return rounds | final | ({course.winner: "winner"} if course.winner else {})
