"""Runs a tournament: pairs a round, has its matches played, and writes their results into the journal as they
end, until the format says that the tournament is over.

Syncing twenty matches to disk takes as long as syncing one. So the matches that ended while the disk was busy
are written together: first their logs, then their rows in one transaction. A power cut loses only these and
the running matches; both are played again.

The director's whole state follows from the journal, so after an interruption a tournament continues as if
there had been none. The director plays nothing itself and prints nothing; it calls `on_entry` with every
entry.
"""

import contextlib
import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec
import trio

from arena.director.deadline import Timekeeper, time_up
from arena.director.entries import (
    ByOrganiser,
    JournalEntry,
    MatchAnnulled,
    MatchPlayed,
    RoundPaired,
    Skipped,
    place,
)
from arena.director.forecast import Expected
from arena.director.journal import STDERR, Journal
from arena.director.orders import answered
from arena.director.state import Record
from arena.director.steady import ProgramGuard
from arena.entrants.entrant import Entrant
from arena.journal.server import taking_orders
from arena.playing.job import Finished, Job, Report, Void
from arena.playing.pool import OnBegun, PlayAll, Pool, ignore_begun
from arena.process.interruptible import signals
from arena.process.launch import Launch
from arena.system.errors import NO_THREAD, MachineError
from arena.system.interruption import ignore
from arena.system.text import shell_word
from tournaments.formats import format_named

GRACE_SECONDS: Final = 5.0

VOIDS_PER_MATCH: Final = 2
"""A match is skipped after an error of ours has spoilt this many attempts."""
SPOILT_MATCHES: Final = 3
"""The tournament stops after skipping this many matches."""
MACHINE_TRIES: Final = 3
"""The tournament stops after this machine has spoilt this many attempts at one match."""
MACHINE_PAUSE_SECONDS: Final = 1.0
"""Delay before the next attempt, in which the machine may recover."""


class SpoiltError(RuntimeError):
    """Errors of the arena spoilt too many matches; the journal has what was played. If the machine is to
    blame, a MachineError is raised instead."""


class Stopping:
    """A request to stop. `asked` says whether it was made."""

    def __init__(self, noticed: Callable[[], None] = lambda: None) -> None:
        """`noticed` is called at the first request to stop."""
        self.asked = False
        self._noticed = noticed

    def ask(self) -> None:
        """Request to stop. Further calls do nothing."""
        if not self.asked:
            self.asked = True
            self._noticed()


async def until_stopped(running: Callable[[], Awaitable[None]], stopping: Stopping) -> None:
    """Run something that begins no match once `stopping` is asked. The first signal requests that, and
    running matches have GRACE_SECONDS to end; a second signal cancels everything."""
    with signals() as heard:
        with trio.CancelScope() as everything:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_listen, heard, stopping, everything)
                await running()
                nursery.cancel_scope.cancel()
        if stopping.asked:
            # Only the table is left to print; ignore further signals.
            ignore()


async def _listen(heard: AsyncIterator[int], stopping: Stopping, everything: trio.CancelScope) -> None:
    async for _ in heard:
        if stopping.asked:
            everything.cancel()
        everything.deadline = trio.current_time() + GRACE_SECONDS
        stopping.ask()


async def run(
    journal: Journal,
    workers: int,
    on_entry: Callable[[JournalEntry], None],
    stopping: Stopping | None = None,
    play_all: PlayAll | None = None,
    cores: Sequence[int] = (),
    on_begun: OnBegun = ignore_begun,
    expected: Expected | None = None,
    launches: Mapping[Entrant, Launch] = MappingProxyType({}),
) -> None:
    """Play the tournament from wherever the journal stands to its end, or as far as its deadline allows.

    `play_all` plays the matches; by default worker processes do, the first ones pinned to the `cores`, and
    `on_begun` is called with each job that one begins. `expected`: the time of a match until one was played,
    None if unknown. `launches`: how to start entrants differently from what the journal says. Raises an
    exception group that holds a SpoiltError, a MachineError or a UserError.
    """
    stopping = stopping or Stopping()
    async with contextlib.AsyncExitStack() as opened:
        pool = await opened.enter_async_context(Pool(workers, cores, on_begun))
        clock = Timekeeper(journal.entries, expected)

        def entered(entry: JournalEntry) -> None:
            clock.look()
            on_entry(entry)

        writer = JournalWriter(journal, entered, play_all or pool.play_all, launches)
        journal.set_annulled_aside()
        # Without a socket, as on some file systems, the tournament runs all the same.
        with contextlib.suppress(OSError):
            await opened.enter_async_context(taking_orders(journal.folder, writer.answer))
        await _play_to_the_end(writer, clock, workers, stopping)


async def _play_to_the_end(
    writer: "JournalWriter", clock: Timekeeper, workers: int, stopping: Stopping
) -> None:
    record = writer.record
    format = format_named(record.created.format)
    while not stopping.asked:
        if due := record.due():
            if clock.is_over():
                writer.write(time_up(record))
                return
            async with clock.cutting_off():
                await writer.play_due(due, workers, lambda: stopping.asked or clock.is_over())
        elif (pods := format.draw(record.field())) is None:
            return
        elif clock.allows(pods):
            writer.write(RoundPaired(len(record.drawn) + 1, pods))
        else:
            writer.write(time_up(record))
            return


class JournalWriter:
    """Writes the journal: turns reports into entries, and calls `on_entry` with each."""

    def __init__(
        self,
        journal: Journal,
        on_entry: Callable[[JournalEntry], None],
        play_all: PlayAll,
        launches: Mapping[Entrant, Launch] = MappingProxyType({}),
    ) -> None:
        self._launches = launches
        self._journal = journal
        self._on_entry = on_entry
        self._play_all = play_all
        self._skipped: list[str] = []
        self._journal_free = trio.Lock()
        """Held while a thread writes into the journal or an order is carried out."""
        self.record = Record(journal.entries)
        self._steady = ProgramGuard(self.record.created.sandbox.level)

    def write(self, entry: JournalEntry) -> None:
        """Add an entry to the journal and to `record`."""
        self._journal.add(entry)
        self._written(entry)

    def _written(self, entry: JournalEntry) -> None:
        """Add an entry that is already in the journal to `record`."""
        self.record.add(entry)
        self._on_entry(entry)

    async def answer(self, order: bytes) -> bytes:
        """Carry out an order of the organiser between two matches; return the answer."""
        async with self._journal_free:
            # After the tournament's end nothing may be added, although this task may still run.
            await trio.lowlevel.checkpoint_if_cancelled()
            return answered(order, self.record, self._journal.folder, self._enter)

    def _enter(self, entry: ByOrganiser) -> None:
        self.write(entry)
        if isinstance(entry, MatchAnnulled):
            self._journal.set_log_aside(entry.match_id)

    async def play_due(self, due: list[Job], workers: int, stopping: Callable[[], bool]) -> None:
        """Play these matches until `stopping` returns true. A match that is void each time is attempted at
        most VOIDS_PER_MATCH or MACHINE_TRIES times."""
        resume = f"`arena resume {shell_word(self._journal.folder)}` continues once they are restored"
        stderr = str((self._journal.folder / STDERR).absolute())
        waiting = {
            job.match_id: msgspec.structs.replace(
                job, stderr=stderr, entrants=tuple(map(self._as_started, job.entrants))
            )
            for job in due
        }
        for job in waiting.values():
            self._steady.begin(job.entrants, resume)
        spoilt: Counter[tuple[str, bool]] = Counter()
        while waiting and not stopping():
            if any(not bug for _, bug in spoilt):
                await trio.sleep(MACHINE_PAUSE_SECONDS)
            done, reports = trio.open_memory_channel[Report](math.inf)
            async with trio.open_nursery() as nursery, done:
                nursery.start_soon(self._write_reports, reports, waiting, spoilt)
                await self._play_all(waiting.values(), workers, done.send_nowait, stopping)

    def _as_started(self, entrant: Entrant) -> Entrant:
        if launch := self._launches.get(entrant):
            return msgspec.structs.replace(entrant, launch=launch)
        return entrant

    async def _write_reports(
        self,
        reports: trio.MemoryReceiveChannel[Report],
        waiting: dict[str, Job],
        spoilt: Counter[tuple[str, bool]],
    ) -> None:
        """Turn reports into entries, all that have arrived at once, and remove their jobs from `waiting`.
        `spoilt` counts void attempts by match id and by whether an error of ours was the cause."""
        async for report in reports:
            together = [report, *_arrived(reports)]
            finished = [report for report in together if isinstance(report, Finished)]
            async with self._journal_free:
                for entry in await self._saved(finished, waiting):
                    del waiting[entry.match_id]
                    self._written(entry)
            for report in together:
                if not isinstance(report, Void):
                    continue
                spoilt[report.match_id, report.bug] += 1
                if not report.bug and spoilt[report.match_id, False] == MACHINE_TRIES:
                    raise MachineError(
                        f"{report.match_id} could not be played: {report.reason}; `arena resume "
                        f"{shell_word(self._journal.folder)}` continues once that is fixed"
                    )
                if report.bug and spoilt[report.match_id, True] == VOIDS_PER_MATCH:
                    del waiting[report.match_id]
                    self._skip(report)

    async def _saved(self, finished: Sequence[Finished], jobs: Mapping[str, Job]) -> list[MatchPlayed]:
        """Call `_save` in a thread, so that nothing waits for the disk; here if none can be started."""
        try:
            return await trio.to_thread.run_sync(self._save, finished, jobs)
        except RuntimeError as error:
            if str(error) != NO_THREAD:
                raise
            return self._save(finished, jobs)

    def _save(self, finished: Sequence[Finished], jobs: Mapping[str, Job]) -> list[MatchPlayed]:
        """Write the logs, then the rows, so that no row is ever without its log. Raises MachineError."""
        for report in finished:
            self._steady.require(
                jobs[report.match_id].entrants,
                f"{report.match_id} does not count, and `arena resume {shell_word(self._journal.folder)}` "
                "continues once they are restored",
            )
        digests = self._journal.save_logs({report.match_id: report.log for report in finished})
        entries = [match_played(jobs[end.match_id], end, digests[end.match_id]) for end in finished]
        self._journal.add(*entries)
        return entries

    def _skip(self, void: Void) -> None:
        self._skipped.append(void.match_id)
        if len(self._skipped) == SPOILT_MATCHES:
            matches = ", ".join(self._skipped)
            raise SpoiltError(f"matches {matches} failed because of arena errors: {void.reason}")
        self.write(Skipped(void.match_id, place(void.match_id)[0], void.reason))


def _arrived(reports: trio.MemoryReceiveChannel[Report]) -> Iterator[Report]:
    """The reports that can be received without waiting."""
    with contextlib.suppress(trio.WouldBlock, trio.EndOfChannel):
        while True:
            yield reports.receive_nowait()


def match_played(job: Job, finished: Finished, log: str) -> MatchPlayed:
    """The entry of a finished match. `log` is the SHA-256 of its log."""
    round_no, pod_no, seating_no = place(job.match_id)
    return MatchPlayed(
        match_id=job.match_id,
        round_no=round_no,
        pod_no=pod_no,
        seating_no=seating_no,
        entrants=tuple(entrant.name for entrant in job.entrants),
        outcome=finished.outcome,
        forfeits=finished.forfeits,
        log=log,
        bugs=finished.bugs,
        spent=finished.spent,
    )
