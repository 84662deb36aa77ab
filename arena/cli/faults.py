"""`arena faults`: who did what wrong and when, what came of it, and what the program itself said about it;
also the table of faults with which other commands end.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console

from arena.cli.output import Column, print_json, print_table, stdout
from arena.errors import UserError
from arena.faults import FaultRow, alike, fault_rows
from arena.journal import Journal
from arena.matchlog import LogError
from arena.record import Record


@click.command("faults")
@click.argument("place", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--full", is_flag=True, help="Each by itself, with what was sent and what came.")
@click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")
def command(place: Path, full: bool, as_json: bool) -> None:
    """Show the faults of the tournament in DIR, forgiven ones too; or of the one match log that DIR is.

    Example: arena faults arena-2026-11-20-1 --full
    """
    rows = list(_rows_of(place))
    if as_json:
        print_json(rows)
    elif not rows:
        click.echo("no faults")
    elif full:
        for row in rows:
            stdout().print("\n".join(_in_full(row)), soft_wrap=True)
    else:
        print_faults(rows, stdout())


def _rows_of(place: Path) -> Iterator[FaultRow]:
    if place.is_file():
        try:
            yield from fault_rows(place.read_text(encoding="utf-8"))
        except (LogError, OSError, UnicodeDecodeError) as error:
            raise UserError(f"{place}: {error}") from None
        return
    with Journal(place) as journal:
        for match_id in Record(journal.entries).played:
            try:
                yield from fault_rows(journal.read_log(match_id))
            except LogError as error:
                raise UserError(f"{journal.log_path(match_id)}: {error}") from None


def print_faults(rows: Sequence[FaultRow], console: Console) -> None:
    """Nothing if there were none. What a bot did again and again stands there once."""
    if not rows:
        return
    columns = [Column("bot"), Column("fault"), Column("times", right=True), Column("first", spare=1)]
    columns.append(Column("why", folds=True))
    cells = [
        (one.rows[0].bot, one.rows[0].kind, str(len(one.rows)), _when(one.rows[0]), one.why)
        for one in alike(rows, with_stderr=True)
    ]
    print_table("Faults", columns, cells, console)


def _when(row: FaultRow) -> str:
    return f"{row.match}, {row.moment}"


def _in_full(row: FaultRow) -> Iterator[str]:
    """One fault as lines of text: a heading, then what there is."""
    yield f"{row.match}, seat {row.seat}, {row.bot}: {row.kind}, {row.moment}"
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
