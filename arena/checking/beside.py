"""Copies a bot's own files into a folder that is writable or read-only, to imitate a sandbox, in which they
are read-only and a single file is alone.

Knows files and how a bot is started; no process, and no step of a check.
"""

import contextlib
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.entrants.entrant import Entrant
from arena.process.launch import Launch, is_the_bot
from arena.system.machine import MIB
from arena.system.temporary import temporary_folder
from arena.system.trees import paths_below

WITHOUT_RIGHT: Final = ("--bounding-set=-dac_override", "--inh-caps=-dac_override", "--")
"""Arguments for setpriv by which file modes restrict root too."""
TRIED: Final = ': >"$1/tried"'
"""A shell command that tries to write into a folder."""


class Copy(NamedTuple):
    """`bot` starts from the copy in `folder`."""

    bot: Entrant
    folder: Path

    def files(self) -> Mapping[str, tuple[int, int]]:
        """Size and modification time of every file, by its relative path."""
        found = {}
        for path in sorted(paths_below(self.folder)):
            seen = path.lstat()
            if not stat.S_ISDIR(seen.st_mode):
                found[str(path.relative_to(self.folder))] = (seen.st_size, seen.st_mtime_ns)
        return found


@contextlib.contextmanager
def copied(bot: Entrant, *, closed: bool) -> Iterator[Copy | str]:
    """Yield the bot in a temporary copy, read-only if `closed`; or the reason why there is none."""
    if bot.launch.needs:
        yield "it comes with the arena"
        return
    with temporary_folder() as place:
        folder = Path(place, os.path.basename(bot.launch.folder) or "bot")
        try:
            moved = _moved(bot.launch, folder)
            launch = _closed(moved, folder) if closed else moved
        except (OSError, RecursionError, shutil.Error) as error:
            yield f"its files cannot be copied: {error}"
            return
        yield (
            launch if isinstance(launch, str) else Copy(msgspec.structs.replace(bot, launch=launch), folder)
        )


def _moved(launch: Launch, folder: Path) -> Launch:
    """Copy the bot's files into this folder; the launch of the copy. Raises OSError, shutil.Error."""
    if launch.owns_folder:
        shutil.copytree(launch.kept or launch.folder, folder, symlinks=True)
        argv = [_at(word, launch.folder, folder) for word in launch.argv]
        return msgspec.structs.replace(launch, argv=tuple(argv), folder=str(folder), kept="")
    folder.mkdir()
    argv = []
    for number, word in enumerate(launch.argv):
        path = os.path.normpath(os.path.join(launch.folder, word))
        its_own = os.path.isfile(launch.on_disk(path)) and (number > 0 or is_the_bot(path, launch))
        if its_own:
            below = os.path.relpath(path, launch.folder)
            path = str(folder / (os.path.basename(path) if below.startswith("..") else below))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            _copied(launch.on_disk(os.path.join(launch.folder, word)), path)
        # An interpreter that is given by its path keeps that path.
        argv.append(path if its_own or (number == 0 and "/" in word) else word)
    return msgspec.structs.replace(launch, argv=tuple(argv), folder=str(folder), kept="")


def _copied(source: str, target: str) -> None:
    """Copy a file, or link it if it is large. Raises OSError."""
    if os.path.getsize(source) > MIB:
        os.symlink(os.path.abspath(source), target)
    else:
        shutil.copy2(source, target)


def _at(word: str, source: str, target: Path) -> str:
    """A word of a command line, with a path below `source` moved below `target`."""
    return f"{target}{word.removeprefix(source)}" if word.startswith(f"{source}/") else word


def _closed(launch: Launch, folder: Path) -> Launch | str:
    """The launch with the folder made read-only, or why this machine cannot do that."""
    _close(folder)
    setpriv = shutil.which("setpriv") if os.geteuid() == 0 else None
    before = (setpriv, *WITHOUT_RIGHT) if setpriv else ()
    tried = subprocess.run([*before, "/bin/sh", "-c", TRIED, "sh", folder], capture_output=True, check=False)
    if tried.returncode == 0 or (folder / "tried").exists():
        return "this machine cannot make its files read-only"
    return msgspec.structs.replace(launch, argv=(*before, *launch.argv))


def _close(folder: Path) -> None:
    """Remove write permission from the folder and everything in it."""
    for path in (folder, *paths_below(folder)):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode):
            path.chmod(mode & 0o555)
