"""`arena replay`: a log as data, and whether it is true."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec

from arena.director.titles import titles_of
from arena.log.code import difference_of_code, say_of_code
from arena.log.entries import ERROR_LIMIT, LogError
from arena.log.retrace import Log, Mismatch, read, retrace, verify
from arena.system.errors import UserError
from arena.system.text import caption
from arena.system.wording import flag

SeatNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""The number of a seat; `checked_seat` knows whether a log has it."""


class Contradiction(msgspec.Struct, frozen=True):
    """Where a log first contradicts the rules or its keys."""

    line: int
    """From 1."""
    deal: int
    """From 1; 0 before the first deal."""
    seat: int | None
    """None if the line is of no seat."""
    detail: str
    """What is there, and what should be."""

    @property
    def text(self) -> str:
        """The contradiction as one line."""
        place = f"line {self.line}, deal {self.deal}" + ("" if self.seat is None else f", seat {self.seat}")
        return caption(f"{place}: {self.detail}", ERROR_LIMIT)


class LogVerdict(msgspec.Struct, frozen=True):
    """Whether a log is true."""

    log: str
    """The path as given."""
    wrong: Contradiction | None = None
    """None for a true log."""


class VerifyLogs(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The logs are dealt again from their keys, played by the rules, and compared."""

    logs: tuple[str, ...]

    def carry_out(self, say: Callable[[str], None]) -> tuple[LogVerdict, ...]:
        """By log. Says which are not true, and which were played with other code than is installed here.
        Raises UserError for a file that is no log."""
        verdicts = []
        differences = set()
        for path in self.logs:
            log = read_checked(Path(path))
            differences.add(difference_of_code(log.opened))
            wrong = contradiction(log)
            if wrong is not None:
                say(f"{path}: {wrong.text}")
            verdicts.append(LogVerdict(path, wrong))
        for sentence in sorted(filter(None, differences)):
            say(sentence)
        return tuple(verdicts)


def read_log(path: Path, say: Callable[[str], None]) -> Log:
    """The log at `path`, as `read_checked`; says it if the game was played with other code than here."""
    log = read_checked(path)
    say_of_code(log.opened, say)
    return log


def read_checked(path: Path) -> Log:
    """The log at `path`. Raises UserError if it is missing or no log."""
    try:
        return read(path)
    except LogError as error:
        raise UserError(f"{path}: {error}") from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


def checked_seat(log: Log, seat: int | None, path: Path) -> None:
    """Raises UserError if the match has no such seat."""
    if seat is not None and seat >= log.seats:
        raise UserError(f"{flag.seat} {seat}: {path} has seats 0 to {log.seats - 1}")


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
