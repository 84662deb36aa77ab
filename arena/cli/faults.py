"""`arena faults`: who did what wrong and when, what came of it, and what the program itself said about it;
also the table of faults with which other commands end.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console

from arena.cli.options import json_option
from arena.cli.output import Column, print_json, print_table, stdout
from arena.errors import UserError
from arena.faults import ExcessRow, FaultRow, alike, excess_in, faults_in
from arena.journal import Journal
from arena.matchlog import LogError, parse
from arena.record import Record


@click.command("faults")
@click.argument("place", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--full", is_flag=True, help="Each by itself, with what was sent and what came.")
@json_option
def command(place: Path, full: bool, as_json: bool) -> None:
    """Show the faults of the tournament in DIR, forgiven ones too; or of the one match log that DIR is. Also
    who computed in the others' time.

    Example: arena faults arena-2026-11-20-1 --full
    """
    rows: list[FaultRow] = []
    excess: list[ExcessRow] = []
    for path, log in _logs(place):
        try:
            entries = parse(log.encode())
            rows += faults_in(entries)
            excess += excess_in(entries)
        except LogError as error:
            raise UserError(f"{path}: {error}") from None
    if as_json:
        print_json(rows)
        return
    if not rows:
        click.echo("no faults")
    elif full:
        for row in rows:
            stdout().print("\n".join(_in_full(row)), soft_wrap=True)
    else:
        print_faults(rows, stdout())
    _print_excess(excess, stdout())


def _logs(place: Path) -> Iterator[tuple[Path, str]]:
    if not place.exists():
        raise UserError(f"{place}: there is no such folder, nor a log of that name")
    if place.is_file():
        try:
            yield place, place.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{place}: {error}") from None
        return
    with Journal(place) as journal:
        for match_id in Record(journal.entries).played:
            yield journal.log_path(match_id), journal.read_log(match_id)


def print_faults(rows: Sequence[FaultRow], console: Console) -> None:
    """Nothing if there were none. What a bot did again and again stands there once."""
    if not rows:
        return
    columns = [Column("bot"), Column("fault"), Column("times", right=True), Column("first", spare=1)]
    columns.append(Column("why", folds=True))
    cells = [
        (one.rows[0].called, one.rows[0].kind, str(len(one.rows)), _when(one.rows[0]), one.why)
        for one in alike(rows, with_stderr=True)
    ]
    print_table("Faults", columns, cells, console)


def _print_excess(rows: Sequence[ExcessRow], console: Console) -> None:
    """Nothing if all kept to their own time."""
    if not rows:
        return
    columns = [
        Column("bot"),
        Column("matches", right=True),
        Column("CPU time", right=True),
        Column("most in"),
    ]
    cells = []
    for bot in sorted({row.bot for row in rows}):
        own = [row for row in rows if row.bot == bot]
        worst = max(own, key=lambda row: row.seconds)
        cells.append((own[0].called, str(len(own)), f"{sum(row.seconds for row in own):.2f} s", worst.match))
    print_table("Computed while it was frozen, by processes that left its group", columns, cells, console)


def _when(row: FaultRow) -> str:
    return f"{row.match}, {row.moment}"


def _in_full(row: FaultRow) -> Iterator[str]:
    """One fault as lines of text: a heading, then what there is."""
    yield f"{row.match}, seat {row.seat}, {row.called}: {row.kind}, {row.moment}"
    parts = {
        "why": row.detail,
        "sent": row.sent,
        "came": row.reply,
        "after": f"{row.us / 1000:.1f} ms" if row.us else "",
        "ended": row.ended,
        "stderr": row.stderr,
        "so": "forfeits the match" if row.forfeits else "forgiven, one action was the substitute's",
    }
    for label, text in parts.items():
        for at, line in enumerate(text.strip().splitlines()):
            yield f"  {label if at == 0 else '':8}{line}"
    yield ""
