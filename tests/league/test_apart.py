"""Bots that write into their own folders, where no sandbox keeps them from it, stay what they were."""

from pathlib import Path

import pytest

from arena.commands.league import read
from arena.league.carried import CURRENT
from tests.league.leagues import NEW, done
from tests.support.daemons import nothing_is_wrong
from tests.support.programs import Program

NOTES = """\
import contextlib, helper
with contextlib.suppress(OSError):
    open("notes.txt", "a").write("a match\\n")
"""


def writing(folder: Path) -> Path:
    """A bot that imports a module of its own, which Python compiles there, and keeps notes if it can."""
    bot = folder / "notebot"
    bot.mkdir()
    (bot / "bot.toml").write_text("command = 'python3 bot.py'\n")
    (bot / "bot.py").write_text(Program(before=NOTES).source())
    (bot / "helper.py").write_text("HELP = 1\n")
    return bot


@pytest.mark.thorough
@pytest.mark.parametrize(
    "level",
    ["none", pytest.param("rlimits", marks=pytest.mark.exhaustive)],  # 40 s of processor each.
)
def test_it_plays_on_after_another_start(level: str, tmp_path: Path) -> None:
    league = tmp_path / "league"
    done("new", league, *NEW[:-1], level)
    done("author", league, "red")
    done("add", league, writing(tmp_path), "--author", "red")
    for _ in range(2):
        done("run", league, "--draws", 8, "--jobs", 2)
    state = read(league)
    assert state.versions["red/notebot@1"].status == CURRENT
    assert state.pod_count["red/notebot@1"]
    assert not state.over
    assert {path.name for path in (league / "versions").rglob("notebot/*")} == {
        *("bot.py", "bot.toml", "helper.py")
    }
    nothing_is_wrong(league)
