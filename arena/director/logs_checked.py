"""Checks the logs of a tournament, many at the same time: deals each match again, judges it, and compares it
with its row in the journal.

`python -m arena.director.logs_checked` is a process that checks some of them for its parent.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from arena.director.entries import MatchPlayed
from arena.director.journal import Journal
from arena.log.entries import LogError, MatchOpened, parse
from arena.log.house_bugs import house_bugs
from arena.log.retrace import of_entries, verify
from arena.process.shared import answers, serve
from arena.system.errors import UserError
from arena.system.processors import at_a_time

FEWEST: Final = 400
"""Fewer logs are checked before another process would have started."""


class LogCheck(msgspec.Struct, frozen=True):
    """The result of checking the log of a match."""

    wrong: str | None
    """What is wrong; None for nothing."""
    opened: MatchOpened | None = None
    """Its first line, which has to be what the tournament implies; None if something is wrong."""


class _Order(msgspec.Struct, frozen=True):
    """An order for the log of a result, given by its number in the journal of a run."""

    run: str
    entry_no: int


_encoder = msgspec.json.Encoder()
_order = msgspec.json.Decoder(_Order)
_check = msgspec.json.Decoder(LogCheck)


def logs_checked(journal: Journal, due: Sequence[int], fewest: int = FEWEST) -> Iterator[LogCheck]:
    """The checks of the logs of these results, given by their numbers in the journal; from `fewest` on by a
    process for each core, unless matches need the cores."""
    orders = [_encoder.encode(_Order(str(journal.folder.absolute()), entry_no)) for entry_no in due]
    processes = at_a_time() if len(due) >= fewest and not journal.is_played else 0
    for entry_no, line in zip(due, answers("arena.director.logs_checked", orders, processes), strict=True):
        yield _checked(journal, entry_no) if line is None else _check.decode(line)


def check_log(journal: Journal, played: MatchPlayed, aside: int = 0) -> LogCheck:
    """Deal a match again and judge it from its log, and compare the result with the journal's. `aside` is the
    number under which the log was set aside, 0 for none."""
    try:
        data = journal.read_log(played.match_id, aside).encode()
        if hashlib.sha256(data).hexdigest() != played.log:
            return LogCheck(f"{journal.log_path(played.match_id)} is not the log that was written")
        log = of_entries(parse(data))
        verify(log)
    except (LogError, UserError) as error:
        return LogCheck(str(error))
    closed, opened = log.closed, log.opened
    logged = (closed.points, closed.gains, closed.placings, closed.forfeits)
    outcome = played.outcome
    if logged != (outcome.points, outcome.gains, outcome.placings, played.forfeits):
        return LogCheck("the journal's outcome differs from the log's")
    if house_bugs(log.entries) != played.bugs:
        return LogCheck("the journal's bugs in the arena's own bots differ from the log's")
    if tuple(entrant.name for entrant in opened.entrants) != played.entrants:
        return LogCheck("the journal has different entrants in the seats than the log")
    return LogCheck(None, opened)


def _checked(journal: Journal, entry_no: int) -> LogCheck:
    played = journal.entries[entry_no - 1]
    assert isinstance(played, MatchPlayed)
    return check_log(journal, played)


_opened = cache(Journal)


def _answer(line: bytes) -> bytes:
    order = _order.decode(line)
    return _encoder.encode(_checked(_opened(Path(order.run)), order.entry_no))


if __name__ == "__main__":
    serve(_answer)
