"""Keeps the pages of a tournament up to date while it runs.

`live.json`, which the report polls, is written soon after something has happened, at most once a second, and
takes at most a five-hundredth of the cores. A separate process, which only gets CPU time that the matches
leave free, writes the report before the first match and again after new rounds, and the replays one by one,
starting with the latest pod. When the tournament ends, the report is written again, then all missing replays,
and the report with links to them. If a file cannot be written, the tournament and the other files continue
without it.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import trio

from arena.director.entries import JournalEntry, MatchAnnulled, MatchPlayed, RoundPaired, Skipped, place
from arena.director.journal import Journal
from arena.director.progress import TournamentPace
from arena.director.state import Record
from arena.playing.job import Job
from arena.playing.terms import Say
from arena.report.files import WrittenReport, remove_left, write_live
from arena.report.hands import over, remove_open_replays, remove_report
from arena.report.live import FINISHED, LiveTable, RunningMatch, State, live, places, ranks_before, settled
from arena.report.page_writer import PageOrder, PageWriter, write_page
from arena.report.replay_files import written_replays
from arena.system.errors import MachineError, UserError
from arena.system.processors import at_a_time
from arena.system.share import CpuShare

EVERY_SECONDS: Final = 1.0
"""Servers recognise a new file by the second in which it was written."""
SHARE: Final = 1 / 1000
"""The largest share of the cores for the table, and the same for the rest of `live.json`. Matches use all
cores and pay for both."""
SHARE_LEFT: Final = 1 / 200
"""The largest share of the cores for reports, and the same for replays, of what the matches leave."""
HEARTBEAT_SECONDS: Final = 30.0
"""`live.json` is written this often even without news, so that a page knows that play goes on."""
TOLD_EVERY_SECONDS: Final = 10.0
"""Interval between messages about the progress of the last report."""


class LivePages:
    """The pages of a running tournament. `journal` is only read. `keep` updates the pages until it is
    cancelled; then `conclude` writes the tables, `end` marks `live.json` as over, and `report` adds the
    rest."""

    def __init__(self, journal: Journal, say: Say) -> None:
        self._journal = journal
        self._say = say
        self._pace = TournamentPace(Record(journal.entries).created, journal.entries)
        self._news = trio.Event()
        self._playing: dict[str, RunningMatch] = {}
        self._table = LiveTable()
        self._counted: list[object] = []
        """What the table was computed from: the rounds and the pods that had ended."""
        self._ranks: tuple[int, dict[str, int | None]] = (0, {})
        """The round, and the ranks before it."""
        self._failed = False
        self._ended = False
        self._drawn = len(Record(journal.entries).drawn)
        self._reported = 0
        """The last round that had been drawn when the report was written."""
        self._tried = 0
        """The last round that had been drawn when a report was last tried."""
        self._told: set[Path] = set()
        """Pages that cannot be removed (already reported)."""
        self._complained = ""
        """The last complaint about the report."""
        self._unwritable: set[str] = set()
        """Matches whose replay could not be written, and is tried again at the end."""
        cores = at_a_time()
        self._for_reports = CpuShare(SHARE_LEFT * cores)
        self._for_replays = CpuShare(SHARE_LEFT * cores)
        self._for_table = CpuShare(SHARE * cores)
        """A separate share, since the table of a hundred bots is slow."""
        self._for_file = CpuShare(SHARE * cores)
        annulled = {entry.match_id for entry in journal.entries if isinstance(entry, MatchAnnulled)}
        if annulled - Record(journal.entries).played.keys():
            # A process that annulled a match may have been killed before it removed the report.
            self._remove_report()
        self._remove_open()

    def on_begun(self, job: Job) -> None:
        """Register a job that a worker begins."""
        _, pod_no, seating_no = place(job.match_id)
        names = tuple(entrant.called for entrant in job.entrants)
        self._playing[job.match_id] = RunningMatch(pod_no, seating_no, names, time.time())
        self._news.set()

    def on_entry(self, entry: JournalEntry) -> None:
        """Register a new entry of the journal."""
        self._pace.look()
        if isinstance(entry, RoundPaired):
            self._drawn = entry.round_no
            if entry.round_no == 1:
                # No match is running yet, so no bot is delayed.
                self.report(missing=False)
        if isinstance(entry, MatchPlayed | Skipped):
            self._playing.pop(entry.match_id, None)
        elif isinstance(entry, MatchAnnulled):
            # At once, not when the file is next written, since its hands will be played again.
            self._remove_report()
            self._remove_open()
        self._news.set()

    def conclude(self) -> None:
        """Write the report of a tournament that has ended, without replays, which could take minutes."""
        self._ended = True
        if self._missing_replay() is not None:
            self.report(missing=False)

    def report(self, *, missing: bool = True) -> WrittenReport | None:
        """Write the report and, if `missing`, missing replays. If that fails, report why and return None."""
        told = time.monotonic()
        self._tried = self._drawn

        def tell(done: int, total: int) -> None:
            nonlocal told
            if time.monotonic() - told > TOLD_EVERY_SECONDS:
                told = time.monotonic()
                self._say(f"writing the report: {done} of {total} replays")

        try:
            ends = None if self._ended else self._ends(time.time())
            written = write_page(self._journal, missing=missing, ends=ends, ended=self._ended, progress=tell)
        except UserError as error:
            # A report that cannot be written must not end the tournament.
            self._complain(str(error))
            return None
        if written.complaint:
            self._complain(written.complaint)
        self._reported = self._drawn
        return written

    def _complain(self, text: str) -> None:
        """Report a problem, once for successive reports that have it."""
        if text != self._complained:
            self._say(text)
        self._complained = text

    def _remove_open(self) -> None:
        self._tell_of(remove_open_replays(self._journal))

    def _remove_report(self) -> None:
        """Remove the report; it is written again as soon as possible."""
        self._tell_of(remove_report(self._journal))
        self._tried = 0

    def _tell_of(self, stays: Mapping[Path, str]) -> None:
        for path, why in stays.items():
            if path not in self._told:
                self._told.add(path)
                self._say(
                    f"{path}: it may show hands that will be played again, but could not be removed "
                    f"({why}); remove it"
                )

    async def keep(self) -> None:
        """Write `live.json` on news, and reports and replays within their share of the cores."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._follow)
            nursery.start_soon(self._add_pages)

    async def _follow(self) -> None:
        while not self._failed:
            with trio.move_on_after(HEARTBEAT_SECONDS):
                await self._news.wait()
            self._news = trio.Event()
            if not self._for_table.wait:
                with self._for_table.spending():
                    self._attempt(self._count)
            with self._for_file.spending():
                self._attempt(lambda: self._write("running"))
            await trio.sleep(max(EVERY_SECONDS, self._for_file.wait))

    async def _add_pages(self) -> None:
        folder = self._journal.folder
        await trio.sleep(EVERY_SECONDS)  # If the tournament is over by then, no writer is needed.
        writer = None
        try:
            async with PageWriter() as writer:
                while not self._failed:
                    if self._tried < self._drawn and (not self._tried or not self._for_reports.wait):
                        await self._add_report(writer)
                    elif not self._for_replays.wait:
                        await self._add_replay(writer)
                    await trio.sleep(EVERY_SECONDS)
        except MachineError as error:
            # A page that cannot be written must not end the tournament.
            self._say(f"{folder}: reports and replays are postponed until the end ({error})")
        finally:
            if writer is not None:
                remove_left(self._journal, writer.pid)

    async def _add_report(self, writer: PageWriter) -> None:
        self._tried = drawn = self._drawn
        done = await writer.write(PageOrder(str(self._journal.folder), ends=self._ends(time.time())))
        self._for_reports.spend(done.seconds)
        if not self._tried:
            pass  # A match was annulled meanwhile: it is written again.
        elif done.error:
            self._say(done.error)
        else:
            self._reported = drawn
        self._news.set()

    async def _add_replay(self, writer: PageWriter) -> None:
        with self._for_replays.spending():
            missing = self._missing_replay()
        if missing is None:
            return
        done = await writer.write(PageOrder(str(self._journal.folder), missing))
        self._for_replays.spend(done.seconds)
        if done.error:
            if not self._unwritable:
                self._say(f"{done.error}; this replay is postponed until the end, as is any other that fails")
            self._unwritable.add(missing)
        with self._for_replays.spending():
            self._remove_open()  # It may have been annulled meanwhile.
        self._news.set()

    def end(self, state: State) -> None:
        """Write `live.json` for the last time."""
        self._playing.clear()
        self._attempt(self._count)
        self._attempt(lambda: self._write(state))

    def _attempt(self, write: Callable[[], None]) -> None:
        if self._failed:
            return
        try:
            write()
        except Exception as error:
            # A page that cannot be written must not end the tournament, whatever the reason.
            self._failed = True
            told = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
            self._say(f"{self._journal.folder}: the live page cannot be kept up to date ({told})")

    def _count(self) -> None:
        entries = self._journal.entries
        record = Record(entries)
        counted = [round_no := len(record.drawn), *settled(record)]
        if counted == self._counted:
            return
        if self._ranks[0] != round_no:
            self._ranks = round_no, ranks_before(entries)
        self._table, self._counted = places(entries, self._ranks[1]), counted

    def _write(self, state: State) -> None:
        entries = self._journal.entries
        finished = settled(Record(entries))
        now = time.time()
        data = live(
            entries,
            self._table,
            written_replays(self._journal, finished[:FINISHED]),
            state=state,
            playing=tuple(self._playing.values()),
            written=round(now, 1),
            ends=self._ends(now) if state == "running" else None,
            rounds=self._pace.rounds if state == "running" else None,
            matches=self._pace.total if state == "running" else None,
            reported=self._reported,
        )
        write_live(self._journal, data)

    def _ends(self, now: float) -> float | None:
        """When the last match is expected to end; None if unknown."""
        left = self._pace.seconds_left
        return None if left is None else round(now + left, 1)

    def _missing_replay(self) -> str | None:
        """The next match to get a replay: one of the pod that ended last, or the latest one."""
        record = Record(self._journal.entries)
        shown = [*settled(record)[:1], *over(record)]
        there = written_replays(self._journal, shown)
        return next((one for one in shown if one not in there and one not in self._unwritable), None)
