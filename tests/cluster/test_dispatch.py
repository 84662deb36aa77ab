"""Who plays what, with a Dask of our own: workers that come late, go, and are not fit."""

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from arena import __version__
from arena.cluster import dispatch, remote
from arena.cluster.dispatch import MOST_ATTEMPTS, Cluster
from arena.cluster.remote import Answer, FitWorker, MatchOrder, MissingBundles, RemoteMatch, UnfitWorker
from arena.games.package import GamePackage
from arena.playing.job import Finished, Job, Report, Void
from arena.process.sandbox import Level
from arena.system.errors import UserError
from protocol.outcome import most_points_win
from tests.support.jobs import job, with_settings
from tests.support.programs import ECHO, SHORT

FAST, SLOW = FitWorker("alpha", 0.1, 1.0), FitWorker("beta", 400.0, 2.0)

Answers = Callable[[str, str, tuple[Any, ...]], Answer | None]


class FakeFuture:
    def __init__(self, answer: Answer | None) -> None:
        self._answer = answer

    def add_done_callback(self, tell: Callable[["FakeFuture"], None]) -> None:
        if self._answer is not None:
            tell(self)

    def result(self) -> bytes:
        return msgspec.msgpack.encode(self._answer)

    def release(self) -> None:
        pass


class FakeDask:
    """`workers` are the threads by address. `answers` says what comes of a task; None: nothing ever."""

    def __init__(self, workers: dict[str, int], answers: Answers) -> None:
        self.workers = workers
        self.played: list[tuple[str, str]] = []
        self.stopped = 0
        self._answers = answers

    def nthreads(self) -> dict[str, int]:
        return dict(self.workers)

    def submit(
        self, function: Callable[..., bytes], *arguments: Any, key: str, workers: list[str], pure: bool
    ) -> FakeFuture:
        assert not pure
        (address,) = workers
        if function is remote.play_order:
            self.played.append((address, msgspec.msgpack.decode(arguments[0], type=MatchOrder).job.match_id))
        return FakeFuture(self._answers(address, function.__name__, arguments))

    def run(self, function: Callable[[str], None], run: str, on_error: str) -> None:
        assert function is remote.stop
        self.stopped += 1


def won(order: bytes) -> RemoteMatch:
    """By seat 0, without being played."""
    match_id = msgspec.msgpack.decode(order, type=MatchOrder).job.match_id
    return RemoteMatch(
        Finished(match_id, most_points_win(((3, 2, 1),), 3), (), "log\n"), {"m-0.txt": b"oops"}
    )


def willing(address: str, function: str, arguments: tuple[Any, ...]) -> Answer | None:
    return FAST if function == "join" else won(arguments[0])


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "LOOK_SECONDS", 0.01)


def matches(folder: Path, number: int) -> list[Job]:
    one = job(folder, ("ada", ECHO), ("bob", ECHO), ("cy", ECHO))
    return [
        with_settings(msgspec.structs.replace(one, match_id=f"m{no}"), limits=SHORT) for no in range(number)
    ]


async def played(dask: FakeDask, jobs: Iterable[Job], most: int = 99) -> tuple[list[Report], list[str]]:
    """The reports, and what was said."""
    reports: list[Report] = []
    said: list[str] = []
    with trio.fail_after(20):
        await Cluster(dask, said.append).play_all(jobs, most, reports.append)
    return reports, said


async def test_each_match_is_played_once_by_somebody(tmp_path: Path) -> None:
    dask = FakeDask({"a": 2, "b": 1}, willing)
    reports, said = await played(dask, matches(tmp_path, 7))
    assert sorted(report.match_id for report in reports) == [f"m{no}" for no in range(7)]
    assert {address for address, _ in dask.played} == {"a", "b"}
    assert said == ["Dask workers: 2 joined, on alpha; 3 matches at a time"]
    assert (tmp_path / "stderr" / "m-0.txt").read_bytes() == b"oops"


async def test_bots_are_brought_to_a_worker_that_lacks_them(tmp_path: Path) -> None:
    here: set[bytes] = set()

    def answers(address: str, function: str, arguments: tuple[Any, ...]) -> Answer:
        if function == "join":
            return FAST
        if function == "receive":
            here.add(arguments[0])
            return MissingBundles(())
        labels = msgspec.msgpack.decode(arguments[0], type=MatchOrder).labels
        missing = tuple(label for label in labels if msgspec.msgpack.encode(label) not in here)
        return MissingBundles(missing) if missing else won(arguments[0])  # type: ignore[arg-type]

    dask = FakeDask({"a": 1}, answers)
    reports, _ = await played(dask, matches(tmp_path, 2))
    assert [report.match_id for report in reports] == ["m0", "m1"]
    assert [match_id for _, match_id in dask.played] == ["m0", "m0", "m1"]
    assert len(here) == 3


async def test_what_a_worker_that_goes_was_playing_is_played_by_another(tmp_path: Path) -> None:
    def answers(address: str, function: str, arguments: tuple[Any, ...]) -> Answer | None:
        if function == "join":
            return FAST
        if address == "a":
            dask.workers = {"b": 1}
            return None
        return won(arguments[0])

    dask = FakeDask({"a": 2}, answers)
    reports, said = await played(dask, matches(tmp_path, 3))
    assert sorted(report.match_id for report in reports) == ["m0", "m1", "m2"]
    assert [line.split(";")[0] for line in said] == ["Dask workers: 1 joined, on alpha"] * 2


async def test_a_match_is_handed_to_a_worker_that_has_nothing_to_do(tmp_path: Path) -> None:
    def answers(address: str, function: str, arguments: tuple[Any, ...]) -> Answer | None:
        if function == "join":
            return FAST
        if len(dask.played) == 1:
            del dask.workers[address]
            return None
        return won(arguments[0])

    dask = FakeDask({"a": 1, "b": 1}, answers)
    reports, _ = await played(dask, matches(tmp_path, 1))
    assert [report.match_id for report in reports] == ["m0"]
    assert {address for address, _ in dask.played} == {"a", "b"}


async def test_a_match_that_loses_all_its_workers_is_void(tmp_path: Path) -> None:
    numbers = itertools.count()

    def answers(address: str, function: str, arguments: tuple[Any, ...]) -> Answer | None:
        if function == "join":
            return FAST
        dask.workers = {f"w{next(numbers)}": 1}
        raise OSError("connection lost")

    dask = FakeDask({"a": 1}, answers)
    reports, _ = await played(dask, matches(tmp_path, 1))
    assert [type(report) for report in reports] == [Void]
    assert len(dask.played) == MOST_ATTEMPTS


@pytest.mark.parametrize("function", ["join", "receive", "play_order"])
async def test_a_worker_that_is_not_fit_is_refused_by_name(function: str, tmp_path: Path) -> None:
    def answers(address: str, asked: str, arguments: tuple[Any, ...]) -> Answer | None:
        if address == "a" and asked == function:
            return UnfitWorker("gamma", "node is not on the PATH")
        if address == "a" and asked == "play_order":
            return MissingBundles(msgspec.msgpack.decode(arguments[0], type=MatchOrder).labels)  # type: ignore[arg-type]
        return willing(address, asked, arguments)

    reports, said = await played(FakeDask({"a": 1, "b": 1}, answers), matches(tmp_path, 4))
    assert sorted(report.match_id for report in reports) == ["m0", "m1", "m2", "m3"]
    assert "Dask worker a plays no matches: gamma: node is not on the PATH" in said


async def test_where_nobody_is_fit_it_ends_with_the_reason(tmp_path: Path) -> None:
    def answers(address: str, function: str, arguments: tuple[Any, ...]) -> Answer:
        return UnfitWorker("gamma", "--sandbox bwrap: bwrap is not installed")

    with pytest.RaisesGroup(
        pytest.RaisesExc(UserError, match="no Dask worker can play: gamma: --sandbox bwrap: bwrap is not")
    ):
        await played(FakeDask({"a": 1, "b": 1}, answers), matches(tmp_path, 1))


async def test_machines_that_are_late_or_differ_in_speed_are_named(tmp_path: Path) -> None:
    def answers(address: str, function: str, arguments: tuple[Any, ...]) -> Answer:
        if function == "join":
            return FAST if address == "a" else SLOW
        return won(arguments[0])

    _, said = await played(FakeDask({"a": 1, "b": 1}, answers), matches(tmp_path, 1))
    assert said == [
        "Dask workers: 2 joined, on alpha, beta; 2 matches at a time",
        "beta is up to 400 ms late: decision limits below 2000 ms are not safe there; "
        "use fewer threads or a longer --time",
        "these machines differ in speed: beta takes 2.0 times as long as alpha, so the same limit allows "
        "less thinking there",
    ]


async def test_when_asked_to_stop_no_match_is_begun_and_those_that_run_end(tmp_path: Path) -> None:
    reports: list[Report] = []
    dask = FakeDask({"a": 1}, willing)
    with trio.fail_after(20):
        await Cluster(dask, str).play_all(matches(tmp_path, 5), 99, reports.append, lambda: len(reports) == 2)
    assert [report.match_id for report in reports] == ["m0", "m1"]
    assert not dask.stopped


async def test_no_more_matches_at_a_time_than_allowed(tmp_path: Path) -> None:
    def answers(address: str, function: str, arguments: tuple[Any, ...]) -> Answer | None:
        return FAST if function == "join" else None

    dask = FakeDask({"a": 3, "b": 3}, answers)
    with trio.move_on_after(0.3):
        await Cluster(dask, str).play_all(matches(tmp_path, 9), 2, print)
    assert len(dask.played) == 2
    # What was running has been ended.
    assert dask.stopped == 1


def refusal(**asked: Any) -> str:
    """Why a worker that is asked for this does not play."""
    usual = {"version": __version__, "level": Level.NONE, "matches": 1, "game": "sticheln"}
    question = remote.WorkerRequirements(**usual | asked)
    return msgspec.msgpack.decode(remote.join(msgspec.msgpack.encode(question)), type=UnfitWorker).reason


def test_another_version_of_the_arena_does_not_play() -> None:
    assert refusal(version="0.0.1") == f"it has arena {__version__}, but the tournament runs on 0.0.1"


def test_a_worker_that_cannot_keep_the_sandbox_does_not_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "probe", lambda level: "bwrap is not installed")
    assert refusal(level=Level.BWRAP) == "--sandbox bwrap: bwrap is not installed"


def test_a_worker_with_other_code_of_the_game_does_not_play() -> None:
    package = GamePackage("arena-sticheln", "2.0", "0" * 64)
    reason = refusal(game_package=package)
    assert "sticheln must be played with arena-sticheln 2.0 (code 00000000)" in reason
    assert "unknown game 'chess'" in refusal(game="chess")
