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
    """Nothing if there were none."""
    if not rows:
        return
    columns = [
        Column("match"),
        Column("bot"),
        Column("fault"),
        Column("when", spare=1),
        Column("why", folds=True),
    ]
    print_table("Faults", columns, map(_cells, rows), console)


def _cells(row: FaultRow) -> Sequence[str]:
    when = f"deal {row['deal']}, request {row['request']}" if row["request"] else "at the start"
    why = row["detail"]
    if row["status"] is not None:
        status = row["status"]
        why += f"; {'exit status' if status >= 0 else 'signal'} {abs(status)}"
    if last := row["stderr"].strip().rpartition("\n")[2]:
        why += f"; stderr: {last[:120]}"
    return row["match"], row["bot"], str(row["kind"]), when, why
