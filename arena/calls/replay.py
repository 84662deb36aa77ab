"""`arena replay`: a log as data, and whether it is true."""

from pathlib import Path
from typing import Any

import msgspec

from arena.calls.titles import titles_of
from arena.log.entries import ERROR_LIMIT, LogError
from arena.log.retrace import Log, Mismatch, read, retrace, verify
from arena.system.errors import UserError
from arena.system.text import caption


class Contradiction(msgspec.Struct, frozen=True):
    """Where a log first contradicts the rules or its keys. line: from 1. deal: from 1, 0 before the first.
    seat: None where the line is of no seat. detail: what is there and what should be."""

    line: int
    deal: int
    seat: int | None
    detail: str

    @property
    def text(self) -> str:
        """All of it as one line."""
        place = f"line {self.line}, deal {self.deal}" + ("" if self.seat is None else f", seat {self.seat}")
        return caption(f"{place}: {self.detail}", ERROR_LIMIT)


def read_checked(path: Path) -> Log:
    """The log at `path`. Raises UserError if it is missing or no log."""
    try:
        return read(path)
    except LogError as error:
        raise UserError(f"{path}: {error}") from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


def contradiction(log: Log) -> Contradiction | None:
    """Plays the log again and compares every line; None for a log that is true."""
    try:
        verify(log)
    except Mismatch as mismatch:
        return Contradiction(mismatch.line_no, mismatch.deal_no, mismatch.seat, mismatch.detail)
    return None


def as_data(log: Log, deal: int | None = None, seat: int | None = None) -> dict[str, Any]:
    """The match for --json, with its `events`. Raises Mismatch."""
    return {
        "match": log.opened.match_id,
        "game": log.game.id,
        "seats": [entrant.name for entrant in log.opened.entrants],
        **titles_of(log.opened.entrants),
        "events": events(log, deal, seat),
        "outcome": msgspec.to_builtins(log.closed),
    }


def events(log: Log, deal: int | None = None, seat: int | None = None) -> list[dict[str, Any]]:
    """The events in order, each with its deal: of one deal or all (None), known to one seat or to any
    (None). Raises Mismatch."""
    return [
        {"deal_no": state.deal_no} | msgspec.to_builtins(event)
        for turn in retrace(log)
        for state, events in turn.by_deal
        if deal in (None, state.deal_no)
        for event in events
        if event.known_to(seat)
    ]
