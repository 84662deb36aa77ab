"""What a league keeps of a program, and what it does not take."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.store import MOST_BYTES, MOST_FILES, Unfit, entrant, keep
from arena.process.sandbox import Level, Sandbox
from arena.system.errors import UserError
from tests.programs import Program

NO_WALLS = Sandbox(Level.NONE)


def test_a_kept_program_stays_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mybot.py"
    path.write_text(Program().source())
    kept = keep(tmp_path, path)
    assert keep(tmp_path, path) == kept
    path.write_text("raise SystemExit")
    assert kept.path(tmp_path).read_text() == Program().source()
    assert entrant(tmp_path, "red/mybot@1", kept, "sticheln", NO_WALLS).name == "red/mybot@1"
    kept.path(tmp_path).write_text("raise SystemExit")
    with pytest.raises(Unfit, match="not those that came in"):
        entrant(tmp_path, "red/mybot@1", kept, "sticheln", NO_WALLS)


def test_a_folder_is_built_from_its_copy(tmp_path: Path) -> None:
    folder = tmp_path / "mybot"
    folder.mkdir()
    (folder / "bot.toml").write_text("command = './bot.py'\nbuild = 'cp source.py bot.py'\n")
    (folder / "source.py").write_text(f"#!/usr/bin/env python3\n{Program().source()}")
    (folder / "source.py").chmod(0o755)
    kept = keep(tmp_path, folder)
    bot = entrant(tmp_path, "red/mybot@1", kept, "sticheln", NO_WALLS)
    assert bot.digest == kept.digest
    assert Path(bot.launch.folder).is_relative_to(tmp_path / "built")
    assert not (folder / "bot.py").exists()


def link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def many(path: Path) -> None:
    path.mkdir()
    for number in range(MOST_FILES + 1):
        (path / str(number)).touch()


def large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)


HOSTILE: dict[str, Callable[[Path], object]] = {
    "a link": link,
    "a pipe": os.mkfifo,
    "too many files": many,
    "too many bytes": large,
    ".hidden": Path.touch,
    "two\nlines": Path.touch,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_not_taken(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    HOSTILE[name](path)
    with pytest.raises(Unfit) as found:
        keep(tmp_path, path)
    assert found.value.cure
    assert not [*(tmp_path / "versions").glob("*/*")]


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file or folder"):
        keep(tmp_path, tmp_path / "gone")
