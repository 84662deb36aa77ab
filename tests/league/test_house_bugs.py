"""A draw in which a bot of the arena's own fails is void, as one that another bug of the arena spoils: its
matches are tried again, and none of them counts."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio.testing

from arena.entrants.entrant import Entrant
from arena.league.daemon import TRIES, Daemon
from arena.log.house_bugs import HouseBug
from arena.log.settings import MatchSettings
from arena.playing.job import Finished, Job, Report, Void
from arena.process.launch import Launch
from protocol.messages import Limits
from protocol.outcome import most_points_win

FAILED = (HouseBug(1, 9, 4, "search: ZeroDivisionError: division by zero"),)


class Fails:
    """A pool in whose first matches of each seating `search` fails so often."""

    def __init__(self, times: int) -> None:
        self.played = 0
        self._times = times

    async def play_all(
        self, jobs: Iterable[Job], workers: int, done: Callable[[Report], None], stopping: Any
    ) -> None:
        for job in list(jobs):
            self.played += 1
            bugs = FAILED if self.played <= self._times else ()
            done(Finished(job.match_id, most_points_win(((1, 0, 0),), 3), (), "the log", bugs))


@pytest.mark.parametrize(("times", "counts"), [(1, True), (TRIES - 1, True), (TRIES, False)])
async def test_a_draw_with_it_does_not_count(
    times: int,
    counts: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    autojump_clock: trio.testing.MockClock,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    said: list[str] = []
    office: Any = SimpleNamespace(folder=tmp_path)
    pool: Any = Fails(times)
    names = ("red/mybot@1", "house/search@1", "house/heuristic@1")
    job = Job(
        match_id="1",
        settings=MatchSettings(game="sticheln", options={}, deals=1, limits=Limits(), faults=1),
        pod_key="k",
        seating_no=1,
        entrants=tuple(Entrant(name, Launch(("true",), "/"), "") for name in names),
    )
    found = await Daemon(office, 1, (), said.append)._finished([job], pool)
    assert pool.played == min(times + 1, TRIES)
    assert isinstance(found, list if counts else Void)
    assert len(said) == times
    assert "its own bot house/search@1 failed once" in said[0]
    assert len([*tmp_path.glob("arena-*/match.jsonl")]) == times
    if isinstance(found, Void):
        assert found.bug
        assert FAILED[0].what in found.reason
