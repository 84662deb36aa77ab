"""A tournament below the command line: rounds, workers that die, matches that we spoil."""

import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import pytest
import trio
from trio.testing import MockClock

import arena.playing.pool
from arena.director.director import SpoiltError, Stopping, run
from arena.director.entries import JournalEntry, MatchPlayed, RoundPaired, Skipped
from arena.director.journal import Journal
from arena.director.state import Record
from arena.log.retrace import read, verify
from arena.playing.job import Finished, Job, Report, Void
from arena.playing.pool import PlayAll, play_all
from arena.system.errors import MachineError
from protocol.outcome import most_points_win
from tests.cli import calls
from tests.support.directors import created, nothing
from tests.support.jobs import alive, job
from tests.support.programs import ECHO, MISBEHAVING, Program

FIVE = (("ada", ECHO), ("bob", ECHO), ("cy", ECHO), ("dee", ECHO), ("eve", MISBEHAVING["exits-before-ready"]))


async def test_a_tournament_is_drawn_played_and_written_down(tmp_path: Path) -> None:
    heard: list[JournalEntry] = []
    with Journal.create(tmp_path / "run", created(tmp_path, *FIVE)) as journal:
        await run(journal, 2, heard.append)
        record = Record(journal.entries)
    assert journal.entries[1:] == heard
    # Two pods of three, one seat filled by a house bot, six seatings for an odd pod.
    assert [sorted(name for pod in pods for name in pod) for pods in record.drawn] == [
        ["ada", "bob", "cy", "dee", "eve", "house-1"],
        # After three matches that died before a first reply eve is withdrawn at the end of the round.
        ["ada", "bob", "cy", "dee", "house-1", "house-2"],
    ]
    assert len(record.results) == 2 * 2 * 6
    assert record.withdrawn == ("eve",)
    for entry in heard:
        if isinstance(entry, MatchPlayed):
            verify(read(journal.log_path(entry.match_id)))
    assert alive(tmp_path) == []


@pytest.mark.thorough  # 6 s of processor; tests/cli/test_formats resumes too.
async def test_going_on_is_the_same_as_never_having_stopped(tmp_path: Path) -> None:
    # Kept alive they are started once, and what is cut short and gone on with is the same.
    settings = msgspec.structs.replace(created(tmp_path, *FIVE[:3]), keep_bots=True)
    with Journal.create(tmp_path / "one", settings) as journal:
        await run(journal, 1, nothing)
        whole = Record(journal.entries).standings()

    class PowerCutError(Exception):
        pass

    entries = 0

    def cut(entry: JournalEntry) -> None:
        nonlocal entries
        entries += 1
        if entries in (4, 9):
            raise PowerCutError

    with Journal.create(tmp_path / "two", settings):
        pass
    for _ in range(2):
        with Journal(tmp_path / "two", write=True) as journal, pytest.raises(ExceptionGroup) as raised:
            await run(journal, 2, cut)
        assert raised.group_contains(PowerCutError)
    with Journal(tmp_path / "two", write=True) as journal:
        await run(journal, 2, nothing)
        assert Record(journal.entries).standings() == whole


async def test_a_killed_worker_costs_only_time(tmp_path: Path) -> None:
    """The first worker is killed in the middle of its match."""
    sleepy = ("sleepy", Program(asked="time.sleep(0.02)"))
    task = job(tmp_path, sleepy, ("ada", ECHO), ("bob", ECHO))
    reports: list[Report] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(play_all, [task], 1, reports.append)
        while not alive(tmp_path):
            await trio.sleep(0.01)
        (worker,) = workers()
        os.kill(worker, signal.SIGKILL)
    (report,) = reports
    assert isinstance(report, Finished)
    assert report.forfeits == ()
    assert alive(tmp_path) == []


async def test_every_match_of_a_killed_worker_is_played_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those too that it had been handed ahead."""
    monkeypatch.setattr(arena.playing.pool, "QUICK_SECONDS", 10.0)
    task = job(tmp_path, ("ada", ECHO), ("bob", ECHO), ("cy", ECHO))
    tasks = [msgspec.structs.replace(task, match_id=str(number)) for number in range(6)]
    reports: list[Report] = []

    def done(report: Report) -> None:
        reports.append(report)
        if len(reports) in (1, 3):
            os.kill(workers()[0], signal.SIGKILL)

    await play_all(tasks, 1, done)
    assert [report.match_id for report in reports] == ["0", "1", "2", "3", "4", "5"]
    assert all(isinstance(report, Finished) for report in reports)


async def test_a_match_over_which_two_workers_die_is_void(tmp_path: Path) -> None:
    sleepy = ("sleepy", Program(asked="time.sleep(0.02)"))
    task = job(tmp_path, sleepy, ("ada", ECHO), ("bob", ECHO))
    reports: list[Report] = []
    killed: list[int] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(play_all, [task], 1, reports.append)
        while len(killed) < 2:
            await trio.sleep(0.01)
            for worker in set(workers()).difference(killed):
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)
    (report,) = reports
    assert isinstance(report, Void)
    assert not report.bug
    assert report.reason.endswith("was killed from outside, by SIGKILL")


def workers() -> list[int]:
    """The worker processes that are our children."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            words = (path / "cmdline").read_bytes()
            if parent == os.getpid() and b"arena.playing.worker" in words:
                found.append(int(path.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


async def test_a_worker_ends_its_bots_when_its_input_ends(tmp_path: Path) -> None:
    sleeper = ("sleeper", Program(asked="time.sleep(60)"))
    task = job(tmp_path, sleeper, ("ada", ECHO), ("bob", ECHO))
    with trio.move_on_after(0.7):
        await play_all([task], 1, nothing)  # type: ignore[arg-type]
    assert workers() == []
    assert alive(tmp_path) == []


async def test_why_no_worker_can_be_started_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Unwilling(arena.playing.pool.Worker):
        """Dies over its match; and there is no second one."""

        async def begin(self, job: Job) -> None:
            monkeypatch.setattr(arena.playing.pool, "Worker", full)
            self._child.kill()

    def full(core: int | None) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(arena.playing.pool, "Worker", Unwilling)
    with pytest.raises(ExceptionGroup) as raised:
        await play_all([job(tmp_path, *FIVE[:3])], 1, nothing)  # type: ignore[arg-type]
    assert raised.group_contains(BlockingIOError)
    assert workers() == []


def spoiling(*match_ids: str, times: int, bug: bool = True) -> PlayAll:
    """Matches that are won by seat 0 without being played, but these are void so many times."""
    left = dict.fromkeys(match_ids, times)

    async def play_all(
        jobs: Iterable[Job], workers: int, done: Callable[[Report], None], stopping: Callable[[], bool]
    ) -> None:
        for task in list(jobs):
            if left.get(task.match_id):
                left[task.match_id] -= 1
                done(Void(task.match_id, "our bug" if bug else "no bwrap", bug))
            else:
                done(Finished(task.match_id, most_points_win(((3, 2, 1),), 3), (), "log\n"))

    return play_all


async def test_a_match_that_we_spoil_is_played_again(tmp_path: Path) -> None:
    play_all = spoiling("r01-p001-s02", times=1)
    with Journal.create(tmp_path / "run", created(tmp_path, *FIVE[:3], rounds=1)) as journal:
        await run(journal, 1, nothing, play_all=play_all)
        assert sum(isinstance(entry, MatchPlayed) for entry in journal.entries) == 6


async def test_spoilt_twice_it_is_skipped(tmp_path: Path) -> None:
    play_all = spoiling("r01-p001-s02", times=2)
    with Journal.create(tmp_path / "run", created(tmp_path, *FIVE[:3], rounds=1)) as journal:
        await run(journal, 1, nothing, play_all=play_all)
        assert [entry for entry in journal.entries if isinstance(entry, Skipped)] == [
            Skipped("r01-p001-s02", 1, "our bug")
        ]
        assert sum(isinstance(entry, RoundPaired | MatchPlayed) for entry in journal.entries) == 1 + 5


async def test_a_command_tells_that_a_match_was_skipped(tmp_path: Path) -> None:
    play_all = spoiling("r01-p001-s02", times=2)
    with Journal.create(tmp_path / "run", created(tmp_path, *FIVE[:3], rounds=1)) as journal:
        await run(journal, 1, nothing, play_all=play_all)
    call = calls.arena("resume", tmp_path / "run")
    assert call.status == 4
    assert "not played because of arena errors: r01-p001-s02" in call.err


async def test_three_skipped_matches_stop_the_tournament(tmp_path: Path) -> None:
    spoilt = ("r01-p001-s01", "r01-p001-s02", "r01-p001-s03")
    play_all = spoiling(*spoilt, times=2)
    with Journal.create(tmp_path / "run", created(tmp_path, *FIVE[:3], rounds=1)) as journal:
        with pytest.raises(ExceptionGroup) as raised:
            await run(journal, 1, nothing, play_all=play_all)
        assert raised.group_contains(SpoiltError, match="our bug")
        assert sum(isinstance(entry, Skipped) for entry in journal.entries) == 2


async def test_what_the_machine_spoils_again_and_again_stops_the_tournament(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Nothing is skipped for it, so that a resume plays all."""
    play_all = spoiling("r01-p001-s02", times=3, bug=False)
    with Journal.create(tmp_path / "run", created(tmp_path, *FIVE[:3], rounds=1)) as journal:
        with pytest.raises(ExceptionGroup) as raised:
            await run(journal, 1, nothing, play_all=play_all)
        assert raised.group_contains(MachineError, match="no bwrap; `arena resume .*` continues once")
        assert not any(isinstance(entry, Skipped) for entry in journal.entries)
        await run(journal, 1, nothing, play_all=play_all)
        assert sum(isinstance(entry, RoundPaired | MatchPlayed) for entry in journal.entries) == 1 + 6


@pytest.mark.thorough  # 5 s of processor.
async def test_kept_bots_change_no_standings(tmp_path: Path) -> None:
    """Started afresh for every match, and kept but interrupted in the middle."""
    stays = tuple((name, Program(end="continue")) for name in ("ada", "bob", "cy"))
    fresh = created(tmp_path, *stays, rounds=1)
    kept = msgspec.structs.replace(fresh, keep_bots=True)
    standings = {}
    for how, settings in (("fresh", fresh), ("interrupted", kept)):
        folder = tmp_path / how
        if how == "interrupted":
            stopping = Stopping()

            def stop(entry: JournalEntry, stopping: Stopping = stopping) -> None:
                stopping.asked = isinstance(entry, MatchPlayed)

            with Journal.create(folder, settings) as journal:
                await run(journal, 1, stop, stopping)
                assert Record(journal.entries).due()
        else:
            Journal.create(folder, settings).close()
        with Journal(folder, write=True) as journal:
            await run(journal, 2, nothing)
            standings[how] = Record(journal.entries).standings()
            assert Record(journal.entries).created.keep_bots == (how != "fresh")
        assert alive(tmp_path) == []
    assert standings["fresh"] == standings["interrupted"]


async def test_the_same_deals_are_played_at_a_time_only_where_nothing_else_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """Two pods of six seatings and two workers, whose first match is slow: a bot that meets a deal again is
    not playing it elsewhere at the moment."""
    at_work: list[Job] = []
    begun: list[Job] = []
    needless: list[str] = []

    class Timed(arena.playing.pool.Worker):
        def __init__(self, core: int | None = None) -> None:
            self.core = core

        async def begin(self, job: Job) -> None:
            at_work.append(job)
            begun.append(job)
            self.job = job
            pods = [other.pod_key for other in at_work]
            if len(set(pods)) < len(pods) and {other.pod_key for other in due if other not in begun} - {
                *pods
            }:
                needless.append(job.match_id)

        async def report(self, on_line: Callable[[bytes], None]) -> Report | None:
            await trio.sleep(3.5 if self.job.match_id.endswith("p001-s01") else 1)
            at_work.remove(self.job)
            return Void(self.job.match_id, "")

        async def stop(self) -> None:
            pass

    with Journal.create(tmp_path / "run", created(tmp_path, *FIVE)) as journal:
        journal.add(RoundPaired(1, (("ada", "bob", "cy"), ("dee", "eve", "house-1"))))
        due = Record(journal.entries).due()
    assert [job.match_id[-8:] for job in due[:4]] == ["p001-s01", "p002-s01", "p001-s02", "p002-s02"]
    monkeypatch.setattr(arena.playing.pool, "Worker", Timed)
    ended: list[str] = []
    await play_all(due, 2, lambda report: ended.append(report.match_id))
    assert sorted(ended) == sorted(job.match_id for job in due)
    assert needless == []
