"""Runs a tournament: draws a round, has its matches played, writes down each as it ends, until the format
says that it is over.

Everything it knows it reads from the journal's entries, so that going on after an interruption is the same
as going on. Plays nothing itself and prints nothing: `told` hears of every entry.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec

from arena.job import Finished, Job, Report
from arena.journal import STDERR, Drawn, Entry, Journal, Played, Skipped
from arena.pool import play_all
from arena.record import Record, place
from tournaments.formats import format_named

VOIDS_PER_MATCH: Final = 2
"""So often spoilt by us, and a match is skipped."""
SPOILT_MATCHES: Final = 3
"""So many different ones skipped, and the tournament stops."""


class SpoiltError(RuntimeError):
    """Too many matches failed by an error of ours; what was played is in the journal."""


async def run(journal: Journal, workers: int, told: Callable[[Entry], None]) -> None:
    """Play the tournament to its end, from wherever the journal stands. Raises SpoiltError."""
    chronicle = Chronicle(journal, told)
    format = format_named(chronicle.record.created.format)
    while True:
        record = chronicle.record
        if due := record.due():
            await chronicle.play(due, workers)
        elif (pods := format.draw(record.field())) is not None:
            chronicle.write(Drawn(len(record.drawn) + 1, pods))
        else:
            return


class Chronicle:
    """What happens, written down: reports become entries, and everybody who listens hears of them."""

    def __init__(self, journal: Journal, told: Callable[[Entry], None]) -> None:
        self._journal = journal
        self._told = told
        self._skipped: dict[str, str] = {}

    @property
    def record(self) -> Record:
        return Record(self._journal.entries)

    def write(self, entry: Entry) -> None:
        self._journal.add(entry)
        self._told(entry)

    async def play(self, due: list[Job], workers: int) -> None:
        """Play these matches; those that we spoil once more, and then no more."""
        stderr = str((self._journal.folder / STDERR).absolute())
        waiting = {job.match_id: msgspec.structs.replace(job, stderr=stderr) for job in due}
        voids: Counter[str] = Counter()

        def done(report: Report) -> None:
            job = waiting[report.match_id]
            if isinstance(report, Finished):
                del waiting[report.match_id]
                self._finished(job, report)
                return
            voids[report.match_id] += 1
            if voids[report.match_id] == VOIDS_PER_MATCH:
                del waiting[report.match_id]
                self._skip(report.match_id, report.reason)

        while waiting:
            await play_all(waiting.values(), workers, done)

    def _finished(self, job: Job, finished: Finished) -> None:
        """The log first, then the row: a row is never without its log."""
        digest = self._journal.save_log(job.match_id, finished.log)
        round_no, pod_no, seating_no = place(job.match_id)
        self.write(
            Played(
                match_id=job.match_id,
                round_no=round_no,
                pod_no=pod_no,
                seating_no=seating_no,
                entrants=tuple(entrant.name for entrant in job.entrants),
                outcome=finished.outcome,
                forfeits=finished.forfeits,
                log=digest,
            )
        )

    def _skip(self, match_id: str, reason: str) -> None:
        self._skipped[match_id] = reason
        if len(self._skipped) == SPOILT_MATCHES:
            raise SpoiltError(f"matches {', '.join(self._skipped)} failed by errors of the arena: {reason}")
        self.write(Skipped(match_id, place(match_id)[0], reason))
