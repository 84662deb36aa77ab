"""`arena faults`: who did what wrong and when, what came of it, and what the program itself said about it;
also the table of faults with which other commands end.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.cli.output import Column, print_json, print_table, stdout
from arena.errors import UserError
from arena.journal import Journal
from arena.matchlog import Faulted, LogError, Opened, parse
from arena.record import Record

FaultRow = dict[str, Any]


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


def fault_rows(log: str) -> list[FaultRow]:
    """The faults of a match log. Raises LogError."""
    entries = parse(log.encode())
    opened = entries[0]
    assert isinstance(opened, Opened)
    for line_no, entry in enumerate(entries, 1):
        if isinstance(entry, Faulted) and not 0 <= entry.seat < len(opened.entrants):
            raise LogError(f"line {line_no}: there is no seat {entry.seat}")
    return [
        {
            "match": opened.match_id,
            "bot": opened.entrants[entry.seat].name,
            "seat": entry.seat,
            "kind": entry.kind,
            "deal": entry.deal_no,
            "request": entry.id,
            "detail": entry.detail,
            "sent": entry.request,
            "reply": entry.reply,
            "status": entry.status,
            "stderr": entry.stderr,
            "us": entry.us,
            "forfeits": entry.forfeits,
        }
        for entry in entries
        if isinstance(entry, Faulted)
    ]


def print_faults(rows: Sequence[FaultRow], console: Console) -> None:
    """Nothing if there were none. What a bot did again and again stands there once."""
    if not rows:
        return
    alike: dict[tuple[str, str, str], list[FaultRow]] = {}
    for row in rows:
        alike.setdefault((row["bot"], row["kind"], _why(row)), []).append(row)
    columns = [Column("bot"), Column("fault"), Column("times", right=True), Column("first", spare=1)]
    columns.append(Column("why", folds=True))
    cells = [(bot, kind, str(len(some)), _when(some[0]), why) for (bot, kind, why), some in alike.items()]
    print_table("Faults", columns, cells, console)


def _when(row: FaultRow) -> str:
    return f"{row['match']}, {_moment(row)}"


def _moment(row: FaultRow) -> str:
    return f"deal {row['deal']}, request {row['request']}" if row["request"] else "at the start"


def _ended(status: int) -> str:
    return f"exit status {status}" if status >= 0 else f"signal {-status}"


def _why(row: FaultRow) -> str:
    why: str = row["detail"]
    if row["status"] is not None:
        why += f"; {_ended(row['status'])}"
    if last := row["stderr"].strip().rpartition("\n")[2]:
        why += f"; stderr: {last[:120]}"
    return why


def _in_full(row: FaultRow) -> Iterator[str]:
    """One fault as lines of text: a heading, then what there is."""
    yield f"{row['match']}, seat {row['seat']}, {row['bot']}: {row['kind']}, {_moment(row)}"
    status, us = row["status"], row["us"]
    parts = {
        "why": row["detail"],
        "sent": row["sent"],
        "came": row["reply"],
        "after": f"{us / 1000:.1f} ms" if us else "",
        "ended": "" if status is None else _ended(status),
        "stderr": row["stderr"],
        "so": "forfeits the match" if row["forfeits"] else "forgiven, one action was the substitute's",
    }
    for label, text in parts.items():
        for at, line in enumerate(text.strip().splitlines()):
            yield f"  {label if at == 0 else '':8}{line}"
    yield ""
