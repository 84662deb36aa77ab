"""`python -m arena.report.page_writer` writes pages of a tournament while its matches are played, and uses
only CPU time that the matches leave free. It reads orders from standard input and writes answers to standard
output, one line of JSON each.

It only reads the journal. At the end of its input it exits, so that nothing is left if its parent is killed.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import msgspec

from arena.director.journal import Journal
from arena.process.child import AwaitedProcess
from arena.process.shared import serve
from arena.report.files import WrittenReport, write_report
from arena.report.replay_files import Progress, write_one_replay
from arena.system.errors import MachineError, UserError
from arena.system.text import caption

LEAST_NICE: Final = 19
AUTOGROUP: Final = Path("/proc/self/autogroup")
"""The niceness of a session, on a Linux that shares the cores between sessions and not between processes."""


class PageOrder(msgspec.Struct, frozen=True):
    """An order for a page of the tournament in the folder `run`: the replay of a match, or without `match_id`
    the report with the existing replays. `ends`: as for `write_report`."""

    run: str
    match_id: str = ""
    ends: float | None = None


class PageDone(msgspec.Struct, frozen=True):
    """The answer: why the page could not be written, "" if it was, and the CPU time in seconds since the last
    answer."""

    error: str
    seconds: float


_encoder = msgspec.json.Encoder()
_order = msgspec.json.Decoder(PageOrder)
_done = msgspec.json.Decoder(PageDone)


class PageWriter(AwaitedProcess):
    """The process, for its parent, who must end it by `stop`."""

    def __init__(self) -> None:
        """Raises MachineError if this machine has no room for a process."""
        super().__init__("arena.report.page_writer")

    async def write(self, order: PageOrder) -> PageDone:
        """Order a page, and return the answer. Raises MachineError if the process has died."""
        await self.tell(_encoder.encode(order))
        if (line := await self.next_line()) is None:
            raise MachineError(self.death().last_line)
        return _done.decode(line)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


def write_page(
    journal: Journal,
    *,
    missing: bool = True,
    ends: float | None = None,
    ended: bool = False,
    progress: Progress = lambda done, total: None,
) -> WrittenReport:
    """Write the report and `missing` replays. `ends` and `ended`: see `write_report`. Raises UserError."""
    try:
        return write_report(journal, missing=missing, ends=ends, ended=ended, progress=progress)
    except UserError:
        raise
    except Exception as error:
        what = caption(f"{type(error).__name__}: {error}")
        raise UserError(
            f"{journal.folder}: no report was written, because of a bug in the arena ({what})"
        ) from error


def main() -> None:
    """Carry out orders from standard input until it ends."""
    _step_back()
    before = 0.0

    def carried_out(line: bytes) -> bytes:
        nonlocal before
        error = _carried_out(_order.decode(line))
        spent, before = time.process_time() - before, time.process_time()
        return _encoder.encode(PageDone(error, spent))

    serve(carried_out)


def _carried_out(order: PageOrder) -> str:
    """Why the page could not be written; "" if it was."""
    run = Path(order.run)
    try:
        with Journal(run) as journal:
            if order.match_id:
                write_one_replay(journal, order.match_id)
            else:
                write_page(journal, missing=False, ends=order.ends)
    except UserError as error:
        return str(error)
    except OSError as error:
        return f"{error.filename or run}: {error.strerror}"
    except Exception as error:
        # Whatever the reason, the tournament goes on.
        return f"{run}: {order.match_id or 'the report'} cannot be written ({caption(str(error))})"
    return ""


def _step_back() -> None:
    """Let all other processes have the cores first."""
    with suppress(OSError):
        AUTOGROUP.write_text(f"{LEAST_NICE}")
    if hasattr(os, "SCHED_IDLE"):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            return
    os.nice(LEAST_NICE)


if __name__ == "__main__":
    main()
