"""A copy of a house bot plays by its own code alone, whatever becomes of the arena's."""

import subprocess
import sys
from pathlib import Path

import pytest

from arena.entrants.find import BUILTIN_BOTS
from arena.entrants.pinned import is_pinned, pin, pinned
from arena.log.settings import MatchSettings
from arena.playing.job import Finished, Job
from arena.playing.referee import play_match
from arena.playing.reused import BotPool
from arena.process.sandbox import Level, Sandbox, choose
from protocol.messages import Limits
from protocol.units import Ms
from tests.support.loaded import LOADED


@pytest.mark.parametrize("name", BUILTIN_BOTS)
def test_all_that_it_loads_of_ours_is_its_own(name: str, tmp_path: Path) -> None:
    copy = pin(name, tmp_path)
    assert is_pinned(copy)
    words = [sys.executable, "-B", "-c", LOADED.format(name=name)]
    done = subprocess.run(words, cwd=copy, capture_output=True, text=True, check=True)
    paths = [Path(path) for path in done.stdout.splitlines()]
    ours = [path for path in paths if "site-packages" not in path.parts and path.name != "__main__.py"]
    ours = [path for path in ours if {"arena", "protocol", "tournaments"} & {*path.parts}]
    assert len(ours) > 10
    assert [path for path in ours if not path.is_relative_to(copy)] == []


@pytest.mark.parametrize("level", ["none", "best"])
async def test_it_plays_without_a_fault(tmp_path: Path, level: str) -> None:
    copy = pin("heuristic", tmp_path)
    sandbox = Sandbox(Level.NONE if level == "none" else choose(None)[0])
    bots = tuple(pinned(copy, "sticheln") for _ in range(3))
    limits = Limits(start_ms=Ms(60_000), decision_ms=Ms(60_000), bank_ms=Ms(0))
    job = Job(
        match_id="1-1-1",
        settings=MatchSettings(
            game="sticheln", options={}, deals=1, limits=limits, faults=1, sandbox=sandbox
        ),
        pod_key="7",
        seating_no=1,
        entrants=bots,
    )
    report = await play_match(job, BotPool(), None)
    assert isinstance(report, Finished)
    assert not report.forfeits
    assert pinned(copy, "sticheln") == bots[0], "it has left its own files as they were"


def test_another_code_is_another_digest(tmp_path: Path) -> None:
    copy = pin("heuristic", tmp_path)
    before = pinned(copy, "sticheln")
    with (copy / "arena" / "games" / "sticheln" / "advice.py").open("a") as file:
        file.write("# better\n")
    assert pinned(copy, "sticheln").digest != before.digest


def test_a_copy_of_an_earlier_version_has_its_bot_elsewhere(tmp_path: Path) -> None:
    copy = pin("heuristic", tmp_path)
    (copy / "arena" / "players" / "house").rename(copy / "arena" / "house")
    assert is_pinned(copy)
    assert "arena.house.heuristic" in pinned(copy, "sticheln").launch.argv
