"""Faults for people: who, when, what, and what the program itself said about it."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from arena.cli.output import Column, print_table
from arena.matchlog import Faulted, Opened, parse

FaultRow = dict[str, Any]


def fault_rows(log: str) -> list[FaultRow]:
    """The faults of a match log."""
    entries = parse(log.encode())
    opened = entries[0]
    assert isinstance(opened, Opened)
    return [
        {
            "match": opened.match_id,
            "bot": opened.entrants[entry.seat].name,
            "seat": entry.seat,
            "kind": entry.kind,
            "deal": entry.deal_no,
            "request": entry.id,
            "detail": entry.detail,
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
    when = f"deal {row['deal']}, request {row['request']}" if row["request"] else "at the start"
    return f"{row['match']}, {when}"


def _why(row: FaultRow) -> str:
    why: str = row["detail"]
    if row["status"] is not None:
        status = row["status"]
        why += f"; {'exit status' if status >= 0 else 'signal'} {abs(status)}"
    if last := row["stderr"].strip().rpartition("\n")[2]:
        why += f"; stderr: {last[:120]}"
    return why
