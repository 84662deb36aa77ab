"""Runs a tournament: draws a round, has its matches played, writes them down as they end, until the format
says that it is over.

A disk takes as long for twenty matches as for one, so what has ended while it was busy is written in one go:
first the logs, then their rows in one transaction. A power cut loses the matches that ended in the last
moments, as it loses those that had not ended; they are played again.

Everything it knows it reads from the journal's entries, so that going on after an interruption is the same
as going on. Plays nothing itself and prints nothing: `told` hears of every entry.
"""

import contextlib
import math
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
import trio

from arena.match.job import Finished, Job, Report, Void
from arena.running.journal import STDERR, Drawn, Entry, Journal, Played, Skipped
from arena.running.state import Record, place
from arena.running.steady import Steady
from arena.system.errors import NO_THREAD, MachineError
from arena.workers.pool import PlayAll, Pool
from tournaments.formats import format_named

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_SECONDS: Final = 5.0

VOIDS_PER_MATCH: Final = 2
"""A match is skipped after this many attempts that an error of ours spoilt."""
SPOILT_MATCHES: Final = 3
"""The tournament stops when this many different ones were skipped."""
MACHINE_TRIES: Final = 3
"""The tournament stops after this many attempts at one match that this machine spoilt."""
MACHINE_PAUSE_SECONDS: Final = 1.0
"""Before the next attempt: what a machine has run out of may be there again."""


class SpoiltError(RuntimeError):
    """Too many matches failed by an error of ours; what was played is in the journal. Where the machine is to
    blame, it is a MachineError."""


class Stopping:
    """Whether somebody wants the tournament to stop. `hung_up`: and nobody is there to read about it."""

    def __init__(self, noticed: Callable[[], None] = lambda: None) -> None:
        """`noticed` is called when somebody asks for the first time."""
        self.asked = False
        self.hung_up = False
        self._noticed = noticed

    def ask(self) -> None:
        if not self.asked:
            self.asked = True
            self._noticed()


async def run_until_stopped(
    journal: Journal,
    workers: int,
    told: Callable[[Entry], None],
    stopping: Stopping,
    play_all: PlayAll | None = None,
    cores: Sequence[int] = (),
) -> None:
    """As `run`, but a signal stops it: at the first one no match is begun any more and those that run have
    GRACE_SECONDS to end; at the second one all stops. What has not ended leaves no trace."""
    # What stands behind the receiver comes back when it closes: once a signal has been heard only the table
    # is left to print, and a further one must not spoil it.
    before = {number: signal.signal(number, signal.SIG_IGN) for number in SIGNALS}
    ended = False
    try:
        with trio.open_signal_receiver(*SIGNALS) as signals, trio.CancelScope() as everything:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_listen, signals, stopping, everything)
                await run(journal, workers, told, stopping, play_all, cores)
                nursery.cancel_scope.cancel()
        ended = True
    finally:
        if not (ended and stopping.asked):
            for number, handler in before.items():
                signal.signal(number, handler)


async def _listen(signals: AsyncIterator[int], stopping: Stopping, everything: trio.CancelScope) -> None:
    async for number in signals:
        if stopping.asked:
            everything.cancel()
        everything.deadline = trio.current_time() + GRACE_SECONDS
        if number == signal.SIGHUP:
            # The terminal is gone, and whatever is printed must not fail.
            stopping.hung_up = True
            nowhere = os.open(os.devnull, os.O_RDWR)
            for descriptor in (1, 2):
                os.dup2(nowhere, descriptor)
        stopping.ask()


async def run(
    journal: Journal,
    workers: int,
    told: Callable[[Entry], None],
    stopping: Stopping | None = None,
    play_all: PlayAll | None = None,
    cores: Sequence[int] = (),
) -> None:
    """Play the tournament to its end, from wherever the journal stands: as `play_all` does, or by workers of
    which the first have the `cores`. Raises a group with a SpoiltError in it, or a UserError."""
    stopping = stopping or Stopping()
    async with Pool(workers, cores) as pool:
        chronicle = Chronicle(journal, told, stopping, play_all or pool.play_all)
        record = chronicle.record
        format = format_named(record.created.format)
        while not stopping.asked:
            if due := record.due():
                await chronicle.play(due, workers)
            elif (pods := format.draw(record.field())) is not None:
                chronicle.write(Drawn(len(record.drawn) + 1, pods))
            else:
                return


class Chronicle:
    """What happens, written down: reports become entries, and everybody who listens hears of them."""

    def __init__(
        self, journal: Journal, told: Callable[[Entry], None], stopping: Stopping, play_all: PlayAll
    ) -> None:
        self._journal = journal
        self._told = told
        self._stopping = stopping
        self._play_all = play_all
        self._skipped: list[str] = []
        self.record = Record(journal.entries)
        self._steady = Steady(self.record.created.sandbox.level)

    def write(self, entry: Entry) -> None:
        self._journal.add(entry)
        self._tell(entry)

    def _tell(self, entry: Entry) -> None:
        self.record.add(entry)
        self._told(entry)

    async def play(self, due: list[Job], workers: int) -> None:
        """Play these matches; those that we spoil once more, and then no more."""
        resume = f"`arena resume {self._journal.folder}` goes on when they are as they were"
        for job in due:
            self._steady.begin(job.entrants, resume)
        stderr = str((self._journal.folder / STDERR).absolute())
        waiting = {job.match_id: msgspec.structs.replace(job, stderr=stderr) for job in due}
        spoilt: Counter[tuple[str, bool]] = Counter()
        while waiting and not self._stopping.asked:
            if any(not bug for _, bug in spoilt):
                await trio.sleep(MACHINE_PAUSE_SECONDS)
            done, reports = trio.open_memory_channel[Report](math.inf)
            async with trio.open_nursery() as nursery, done:
                nursery.start_soon(self._write_down, reports, waiting, spoilt)
                await self._play_all(
                    waiting.values(), workers, done.send_nowait, lambda: self._stopping.asked
                )

    async def _write_down(
        self,
        reports: trio.MemoryReceiveChannel[Report],
        waiting: dict[str, Job],
        spoilt: Counter[tuple[str, bool]],
    ) -> None:
        """Turn reports into entries, all that have come in at once, and take them off `waiting`. `spoilt`
        counts the attempts at a match that failed, by an error of ours or by this machine."""
        async for report in reports:
            together = [report, *_come_in(reports)]
            finished = [report for report in together if isinstance(report, Finished)]
            for entry in await self._saved(finished, waiting):
                del waiting[entry.match_id]
                self._tell(entry)
            for report in together:
                if not isinstance(report, Void):
                    continue
                spoilt[report.match_id, report.bug] += 1
                if not report.bug and spoilt[report.match_id, False] == MACHINE_TRIES:
                    raise MachineError(
                        f"{report.match_id} could not be played: {report.reason}; "
                        f"`arena resume {self._journal.folder}` goes on when that is mended"
                    )
                if report.bug and spoilt[report.match_id, True] == VOIDS_PER_MATCH:
                    del waiting[report.match_id]
                    self._skip(report)

    async def _saved(self, finished: Sequence[Finished], jobs: Mapping[str, Job]) -> list[Played]:
        """`_save` by a thread, so that nobody waits for the disk; by this one where no other is to be had."""
        try:
            return await trio.to_thread.run_sync(self._save, finished, jobs)
        except RuntimeError as error:
            if str(error) != NO_THREAD:
                raise
            return self._save(finished, jobs)

    def _save(self, finished: Sequence[Finished], jobs: Mapping[str, Job]) -> list[Played]:
        """The logs first, then the rows: a row is never without its log. Raises MachineError."""
        for report in finished:
            self._steady.require(
                jobs[report.match_id].entrants,
                f"{report.match_id} does not count, and `arena resume {self._journal.folder}` goes on when "
                "they are as they were",
            )
        digests = self._journal.save_logs({report.match_id: report.log for report in finished})
        entries = [played(jobs[report.match_id], report, digests[report.match_id]) for report in finished]
        self._journal.add(*entries)
        return entries

    def _skip(self, void: Void) -> None:
        self._skipped.append(void.match_id)
        if len(self._skipped) == SPOILT_MATCHES:
            matches = ", ".join(self._skipped)
            raise SpoiltError(f"matches {matches} failed by errors of the arena: {void.reason}")
        self.write(Skipped(void.match_id, place(void.match_id)[0], void.reason))


def _come_in(reports: trio.MemoryReceiveChannel[Report]) -> Iterator[Report]:
    """Those that need not be waited for."""
    with contextlib.suppress(trio.WouldBlock, trio.EndOfChannel):
        while True:
            yield reports.receive_nowait()


def played(job: Job, finished: Finished, log: str) -> Played:
    """The entry of a match whose log has the digest `log`."""
    round_no, pod_no, seating_no = place(job.match_id)
    return Played(
        match_id=job.match_id,
        round_no=round_no,
        pod_no=pod_no,
        seating_no=seating_no,
        entrants=tuple(entrant.name for entrant in job.entrants),
        outcome=finished.outcome,
        forfeits=finished.forfeits,
        log=log,
    )
