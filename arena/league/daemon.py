"""Plays a league until it is stopped: schedules a draw whenever a core is free, takes new versions in, and
writes the results into the journal.

Its whole state comes from the journal. After a kill it replays the draws that had no result and repeats the
checks that were running.
"""

import math
import platform
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec
import trio

from arena import __version__
from arena.director.director import GRACE_SECONDS, Stopping
from arena.entrants.entrant import Entrant
from arena.games import registry
from arena.journal.chained import SAFE
from arena.journal.server import taking_orders
from arena.league import logs
from arena.league.alike import choices_alike
from arena.league.carried import PAUSED
from arena.league.days import pod_key
from arena.league.drawing import Drawer
from arena.league.entries import DrawPlayed, DrawScheduled, DrawVoided, Paused, Started
from arena.league.ids import HOUSE, VersionId, author_of
from arena.league.inbox import tell
from arena.league.intake import Collector, take_in
from arena.league.journal import VERSIONS
from arena.league.numbers import COPY
from arena.league.office import Office, clock
from arena.league.orders import answered
from arena.league.places import SharedPlaces
from arena.league.pods import draw, jobs, row_of
from arena.league.room import lacking, tidy
from arena.league.rules import packages_of
from arena.league.state import CHECKS_ON_A_CORE
from arena.league.statements import RULE
from arena.league.store import KeptProgram, UnfitProgram, entrant, put_back, without_place
from arena.league.tables import forfeits_in
from arena.playing.job import Finished, Job, Report, Void, spoilt_by_house
from arena.playing.pool import Pool
from arena.system.errors import MachineError
from arena.system.files import kept
from arena.system.text import shell_word

TRIES: Final = 3
"""Attempts at a match that the arena or the machine spoils. After the last one a bug voids the draw, and an
error of the machine stops the daemon."""
AGAIN: Final = "there is room on the disk again, so the league continues"
GAVE_UP: Final = (
    "not drawn again in this segment, since its draws are void each time, because of a bug in the arena or "
    "the game; to try again, pause and restore one of them. See `arena league why` for draw"
)
STOPPING: Final = (
    f"stopping: running matches have {GRACE_SECONDS:g} s to finish; press Ctrl-C again to end them at once"
)
PAUSE_SECONDS: Final = 1.0
"""Delay before the next attempt, and between looks into the inbox; a tenth of it between polls for work."""


class Daemon:
    """Plays a league with `workers` processes; the first ones are pinned to one of the `cores` each."""

    def __init__(
        self,
        office: Office,
        workers: int,
        cores: Sequence[int],
        say: Callable[[str], None],
        *,
        until_asleep: bool = False,
        draws: int | None = None,
    ) -> None:
        """`until_asleep`: end when nothing is left to play and no version waits. `draws`: end after this
        many."""
        self._office = office
        self._workers = workers
        self._cores = cores
        self._say = say
        self._until_asleep = until_asleep
        self._draws = math.inf if draws is None else draws
        self._drawer = Drawer()
        self._collector = Collector(office, say)
        self._entrants: dict[tuple[VersionId, str], Entrant] = {}
        self._asleep = False
        self._checked: list[VersionId] = []
        """The versions that are being taken in."""
        self._lacking = False
        """Whether the disk is too full to begin anything."""
        self._nothing_after = ""
        """The digest of the journal when nothing was left to draw."""
        self.stopping = Stopping(lambda: say(STOPPING))

    @property
    def _ended(self) -> bool:
        enough = (self._until_asleep and self._asleep) or self._draws <= 0
        return self.stopping.asked or enough or self._office.state.sealed is not None

    def _has_room(self) -> bool:
        """Whether the disk has room to begin something. Reports when that changes."""
        lack = lacking(self._office.folder)
        if bool(lack) != self._lacking:
            self._lacking = bool(lack)
            self._say(f"waiting: {lack}" if lack else AGAIN)
        return not lack

    async def run(self) -> None:
        """Play until it is asked to stop. Raises an exception group with a MachineError or a UserError."""
        office = self._office
        tidy(office.folder)
        packages = packages_of(office.state.boards.values())
        office.start(
            Started(
                __version__, platform.python_version(), _machine(), self._workers, clock(), packages, RULE
            )
        )
        unfinished = list(office.state.in_flight.values())
        places = trio.CapacityLimiter(self._workers)
        async with (
            taking_orders(office.folder, self._answer),
            Pool(self._workers, self._cores) as pool,
            trio.open_nursery() as nursery,
        ):
            nursery.start_soon(self._take_in, SharedPlaces(places, CHECKS_ON_A_CORE))
            for _ in range(self._workers):
                nursery.start_soon(self._play, pool, places, unfinished)

    async def _answer(self, line: bytes) -> bytes:
        return answered(self._office, line)

    async def _take_in(self, places: SharedPlaces) -> None:
        """Take in versions, and write the entries that are due by the clock. Versions are checked on half of
        the places, and on all when the league closes."""
        looked = -math.inf
        async with trio.open_nursery() as nursery:
            while not self._ended:
                has_room = self._has_room()
                if has_room and trio.current_time() - looked > PAUSE_SECONDS:
                    await self._collector.collect()
                    self._office.settle()
                    looked = trio.current_time()
                waiting = (one.id for one in self._office.state.waiting() if one.id not in self._checked)
                version = next(waiting, None)
                is_full = len(self._checked) >= self._office.state.checks_at_a_time
                if version is None or not has_room or is_full:
                    await trio.sleep(PAUSE_SECONDS / 10)
                    continue
                self._checked.append(version)
                nursery.start_soon(self._check, version, places)

    async def _check(self, version: VersionId, places: SharedPlaces) -> None:
        async with places.share():
            if not self._ended:
                await take_in(self._office, version)
        self._checked.remove(version)

    async def _play(self, pool: Pool, places: trio.CapacityLimiter, unfinished: list[DrawScheduled]) -> None:
        while not self._ended:
            async with places:
                due = None
                if self._has_room() and not self._ended:
                    due = unfinished.pop() if unfinished else self._next()
                if due is not None:
                    await self._played(due, pool)
                    continue
            await trio.sleep(PAUSE_SECONDS / 10)

    def _next(self) -> DrawScheduled | None:
        """Schedule a draw. None if nothing is open, if a new segment waits for draws in flight, or if the
        last of `draws` was scheduled while this task waited for a place."""
        office = self._office
        if office.journal.digest == self._nothing_after or self._draws <= 0:
            return None
        if len(office.state.draws) >= office.state.founded.segment:
            if office.state.in_flight:
                return None  # A segment can only begin when no draw is in flight.
            office.next_segment()
        # Draw by the clock reading of `settle`. By a later one a new day may have begun, whose seed must be
        # committed before anything is drawn from it.
        at = office.settle()
        if (chosen := self._drawer.chosen(office.state)) is not None:
            self._draws -= 1
            made = draw(office.state, chosen, at, office.seeds)
            office.write(made)
            self._asleep = False
            return made
        waiting = next(office.state.waiting(), None) is not None
        asleep = not office.state.in_flight and not waiting
        if asleep and not self._asleep:
            self._say("asleep: no order above the margin is open; a new version wakes it")
        self._asleep, self._nothing_after = asleep, office.journal.digest
        return None

    async def _played(self, drawn: DrawScheduled, pool: Pool) -> None:
        office, begun = self._office, trio.current_time()
        board = office.state.boards[drawn.board]
        # Use the package installed now: other code with the same rules has begun a segment of its own.
        board = msgspec.structs.replace(board, game_package=registry.package_of(board.game))
        key = pod_key(office.seeds[drawn.day], drawn.board, drawn.no)
        entrants: dict[VersionId, Entrant] = {}
        for version in (*drawn.versions, *drawn.companions):
            try:
                entrants[version] = await trio.to_thread.run_sync(self._entrant, version, board.game)
            except UnfitProgram as unfit:
                self._unfit(drawn, version, unfit)
                return
        due = list(jobs(board, drawn, key, entrants))
        found = await self._finished(due, pool)
        if found is None:
            return
        if isinstance(found, Void):
            office.write(DrawVoided(drawn.no, found.reason.strip().rpartition("\n")[2]))
            if office.state.given_up(drawn.board, drawn.versions):
                self._say(f"{drawn.board}: {' and '.join(drawn.versions)}: {GAVE_UP} {drawn.no}")
            return
        parts = logs.parted(one.log for one in found)
        rows = [row_of(drawn, one, job.seating_no, key) for one, job in zip(found, due, strict=True)]
        size = len(rows) // len(drawn.versions)
        await trio.to_thread.run_sync(partial(logs.save, office.folder, drawn.day, drawn.no, parts))
        alike = choices_alike(parts.public, drawn.versions)
        played = DrawPlayed(
            no=drawn.no,
            matches=tuple(tuple(rows[at : at + size]) for at in range(0, len(rows), size)),
            seconds=round(trio.current_time() - begun, 3),
            public=parts.digests[0],
            private=parts.digests[1],
            alike=alike,
        )
        office.write(played)
        self._say_alike(drawn, alike)
        self._tell_first_forfeits(drawn, played)

    def _tell_first_forfeits(self, drawn: DrawScheduled, played: DrawPlayed) -> None:
        """Tell the organiser and its author when a version forfeits for the first time since it became
        current or was restored."""
        office, rows = self._office, list(forfeits_in(drawn, played))
        times = Counter(row.version for row in rows)
        for version, row in {row.version: row for row in reversed(rows)}.items():
            if office.state.versions[version].faults == times[version]:
                what = f"{version}: forfeited match {row.match} ({row.kind})"
                see = f"arena league faults {shell_word(office.folder)} --bot {version} --full"
                self._say(f"{what}; to see why: {see}")
                most = office.state.founded.faults
                tell(office.folder, author_of(version), f"{what}; after {most} it is paused")

    def _say_alike(self, drawn: DrawScheduled, new: int) -> None:
        """Tell the organiser, and nobody else, when two versions turn out to be copies."""
        if not new:
            return
        one, other = drawn.versions
        choices = self._office.state.numbers[drawn.board].alike.get((one, other), 0)
        if choices >= COPY > choices - new:
            self._say(
                f"{drawn.board}: {one} and {other} played alike in {choices} of {choices} choices; they are "
                "not compared any more"
            )

    def _unfit(self, drawn: DrawScheduled, version: VersionId, unfit: UnfitProgram) -> None:
        """Void a draw because a program cannot be started any more. Restore the damaged copy of an anchor if
        the arena still ships the same program; pause any other version."""
        office, found = self._office, self._office.state.versions[version]
        program = KeptProgram(found.digest, found.file)
        reason = f"can no longer be started: {without_place(unfit.reason, office.folder)}"
        office.write(DrawVoided(drawn.no, f"{version} {reason}"))
        if author_of(version) == HOUSE and put_back(office.folder, version, program):
            self._say(f"{version}: its copy was damaged, and has been restored")
        elif office.state.versions[version].status != PAUSED:
            office.write(Paused(version, reason))
            for board in office.state.boards:
                if office.state.waits_for(board) == version:
                    self._say(
                        f"{board}: nothing is played there without its zero; restore the program, for "
                        f"instance from a backup, as {VERSIONS}/{found.digest}/{found.file}, and then: "
                        f"arena league restore {shell_word(office.folder)} {version} --reason TEXT"
                    )

    async def _finished(self, due: list[Job], pool: Pool) -> list[Finished] | Void | None:
        """The reports of these matches; a Void if the arena spoilt one in all TRIES attempts; None if the
        daemon was stopped before. Raises MachineError if the machine spoilt one in all attempts."""
        waiting = {job.match_id: job for job in due}
        done: dict[str, Finished] = {}

        for attempt in range(1, TRIES + 1):
            reports: list[Report] = []
            await pool.play_all(waiting.values(), 1, reports.append, lambda: self.stopping.asked)
            for report in reports:
                if isinstance(report, Finished) and not report.bugs:
                    done[report.match_id] = report
                    del waiting[report.match_id]
            void = next(filter(None, (self._void(waiting, report) for report in reports)), None)
            if void is None:
                break
            if attempt == TRIES:
                if void.bug:
                    return void
                raise MachineError(f"draw {void.match_id} could not be played: {void.reason}; {SAFE}")
            await trio.sleep(PAUSE_SECONDS)
        return None if waiting else [done[job.match_id] for job in due]

    def _void(self, jobs: Mapping[str, Job], report: Report) -> Void | None:
        """The report as a Void; None if the match counts. Reports a bug of a house bot."""
        if isinstance(report, Void):
            return report
        if (void := spoilt_by_house(jobs[report.match_id], report) if report.bugs else None) is not None:
            self._say(f"{void.reason}; please report it, with {kept(report.log, 'match.jsonl')}")
        return void

    def _entrant(self, version: VersionId, game: str) -> Entrant:
        if (version, game) not in self._entrants:
            found = self._office.state.versions[version]
            board = next(board for board in self._office.state.boards.values() if board.game == game)
            program = KeptProgram(found.digest, found.file)
            self._entrants[version, game] = entrant(
                self._office.folder, version, program, game, board.sandbox
            )
        return self._entrants[version, game]


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}"
