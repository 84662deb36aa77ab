"""Bots that write into their own folders, where no sandbox keeps them from it, stay what they were."""

import subprocess
from pathlib import Path

import pytest

from arena.calls.league import read
from arena.league.apart import apart
from arena.league.carried import CURRENT
from arena.league.store import entrant, keep
from arena.process.launch import bot_environment
from arena.process.sandbox import Level, Sandbox
from tests.league.leagues import NEW, done
from tests.league.test_clock import nothing_is_wrong
from tests.programs import Program

NOTES = "import helper\nopen('notes.txt', 'a').write('a match\\n')"


def writing(folder: Path) -> Path:
    """A bot that imports a module of its own, which Python compiles there, and keeps notes."""
    bot = folder / "notebot"
    bot.mkdir()
    (bot / "bot.toml").write_text("command = 'python3 bot.py'\n")
    (bot / "bot.py").write_text(Program(before=NOTES).source())
    (bot / "helper.py").write_text("HELP = 1\n")
    return bot


@pytest.mark.parametrize("level", [Level.NONE, Level.RLIMITS])
def test_a_bot_writes_into_a_copy(level: Level, tmp_path: Path) -> None:
    league, sandbox = tmp_path / "league", Sandbox(level)
    league.mkdir()  # As in a backup, without a folder of builds.
    program = keep(league, writing(tmp_path))
    bot = entrant(league, "red/notebot@1", program, "sticheln", sandbox)
    for _ in range(2):
        with apart(league, {"red/notebot@1": bot}, sandbox) as bots:
            launch = bots["red/notebot@1"].launch
            subprocess.run(
                launch.argv,
                cwd=launch.folder,
                env=bot_environment(),
                stdin=subprocess.DEVNULL,
                check=True,
            )
            assert Path(launch.folder, "notes.txt").read_text() == "a match\n"
            assert Path(launch.folder, "__pycache__").exists()
    assert entrant(league, "red/notebot@1", program, "sticheln", sandbox) == bot
    assert not [*(league / "built").iterdir()]


def test_a_file_is_played_from_a_copy_too(tmp_path: Path) -> None:
    (tmp_path / "built").mkdir()
    path, sandbox = tmp_path / "mybot.py", Sandbox(Level.NONE)
    path.write_text("from pathlib import Path\nPath(__file__).write_text('')\n")
    program = keep(tmp_path, path)
    bot = entrant(tmp_path, "red/mybot@1", program, "sticheln", sandbox)
    with apart(tmp_path, {"red/mybot@1": bot, "house/mybot@1": bot}, sandbox) as bots:
        launch = bots["red/mybot@1"].launch
        subprocess.run(launch.argv, cwd=launch.folder, check=True)
        assert bots["house/mybot@1"] == bot
    assert program.path(tmp_path).read_text() == path.read_text()
    with apart(tmp_path, {"red/mybot@1": bot}, Sandbox(Level.BWRAP)) as bots:
        assert bots["red/mybot@1"] == bot


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["none", "rlimits"])
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
