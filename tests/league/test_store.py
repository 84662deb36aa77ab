"""What a league keeps of a program, and what it does not take."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.store import MOST_BYTES, MOST_FILES, UnfitProgram, entrant, keep
from arena.process.sandbox import Level, Sandbox
from arena.system.errors import UserError
from tests.support.archives import tarred, zipped
from tests.support.programs import Program

NO_WALLS = Sandbox(Level.NONE)
BOT = Program().source().encode()
MANIFEST = b"command = 'python3 bot.py'\n"


def test_a_kept_program_stays_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mybot.py"
    path.write_text(Program().source())
    kept = keep(tmp_path, path)
    assert keep(tmp_path, path) == kept
    path.write_text("raise SystemExit")
    assert kept.path(tmp_path).read_text() == Program().source()
    assert entrant(tmp_path, "red/mybot@1", kept, "sticheln", NO_WALLS).name == "red/mybot@1"
    kept.path(tmp_path).write_text("raise SystemExit")
    with pytest.raises(UnfitProgram, match="not those that were received"):
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
    assert Path(bot.launch.kept).is_relative_to(tmp_path / "built")
    assert not (folder / "bot.py").exists()


PACKED: dict[str, tuple[dict[str, bytes], str]] = {
    "mybot.zip": ({"ada.py": BOT}, "ada.py"),
    "mybot.tar.gz": ({"ada/bot.toml": MANIFEST, "ada/bot.py": BOT}, "ada"),
    "MyBot.TAR": ({"bot.toml": MANIFEST, "bot.py": BOT}, "MyBot"),
}
"""An archive, what is in it, and what the program is called."""


@pytest.mark.parametrize("name", PACKED)
def test_the_bot_of_an_archive_is_kept_as_if_it_were_sent_unpacked(tmp_path: Path, name: str) -> None:
    files, called = PACKED[name]
    kept = keep(tmp_path, (zipped if name.endswith("zip") else tarred)(tmp_path / name, files))
    assert kept.file == called
    assert entrant(tmp_path, "red/mybot@1", kept, "sticheln", NO_WALLS).digest == kept.digest
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    if called != "MyBot":
        assert keep(tmp_path, tmp_path / called) == kept
    assert not [*(tmp_path / "versions").glob("unfinished-*")]


def link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)


def leads_out(path: Path) -> None:
    zipped(path, {"../../bot.py": BOT})


def many_packed(path: Path) -> None:
    zipped(path, {f"{number}.txt": b"" for number in range(MOST_FILES + 1)})


def bomb(path: Path) -> None:
    zipped(path, {"bot.py": BOT, "zeros": bytes(MOST_BYTES + 1)})


def nested_bomb(path: Path) -> None:
    zipped(path.with_name("inner.zip"), {"zeros": bytes(MOST_BYTES + 1)})
    zipped(path, {"inner.zip": path.with_name("inner.zip").read_bytes()})


def two_bots(path: Path) -> None:
    zipped(path, {"ada.py": BOT, "bob.py": BOT})


HOSTILE: dict[str, Callable[[Path], object]] = {
    "a link": link,
    "a pipe": os.mkfifo,
    "too many bytes": large,
    ".hidden": Path.touch,
    "two\nlines": Path.touch,
    "empty.zip": Path.touch,
    "leads out.zip": leads_out,
    "many.zip": many_packed,
    "bomb.zip": bomb,
    "nested bomb.zip": nested_bomb,
    "two bots.zip": two_bots,
    "an image.7z": lambda path: path.write_bytes(b"7z\xbc\xaf"),
    "a link.zip": link,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_not_taken(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    HOSTILE[name](path)
    with pytest.raises(UnfitProgram) as found:
        keep(tmp_path, path)
    assert found.value.cure
    assert not [*(tmp_path / "versions").glob("*")]


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file or folder"):
        keep(tmp_path, tmp_path / "gone")
