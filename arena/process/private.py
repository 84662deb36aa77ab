"""The folder in which one process of a bot plays where no sandbox keeps it from writing beside itself: a copy
of what is kept of the bot, deleted when the process has ended. So what one process writes no other one finds,
and what is kept stays what it is.

Large files, and those in folders in folders, are not copied but linked: a library or a table of weights would
take longer than the match, and what a bot notes lies higher. A bot that changes such a file in place changes
what is kept, which is noticed when it enters again.
Knows files and how a bot is started; no process.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from arena.process.launch import Launch
from arena.process.sandbox import Level
from arena.system.machine import MIB
from arena.system.trees import remove_folder

PREFIX: Final = "played-"
"""Of the folders that hold such copies, beside what is kept."""
LINKED_FROM: Final = MIB
"""Bytes of a file."""
LINKED_DEPTH: Final = 3
"""Of a file in a folder in a folder; one beside the program has 1."""
LEFT_SECONDS: Final = 7 * 86_400.0
"""No match lasts so long."""


class BotFolder:
    """How a bot is started, from a folder of its own if it needs one."""

    def __init__(self, launch: Launch, level: Level) -> None:
        """Raises OSError."""
        self.launch, self._place = launch, ""
        self._original = os.fsencode(launch.original)
        self._copy = self._original
        if not launch.kept or level is Level.BWRAP:
            return
        above = launch.kept if launch.owns_folder else os.path.dirname(launch.kept)
        self._place = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=os.path.dirname(above))
        try:
            copy = os.path.join(self._place, os.path.basename(launch.original))
            if launch.owns_folder:
                shutil.copytree(
                    launch.kept, copy, symlinks=True, copy_function=partial(_copied, above=launch.kept)
                )
            else:
                _copied(launch.kept, copy)
        except BaseException:
            self.discard()
            raise
        folder = copy if launch.owns_folder else self._place
        argv = tuple(_moved(word, launch.original, copy) for word in launch.argv)
        self.launch = msgspec.structs.replace(launch, argv=argv, folder=folder, kept="")
        self._copy = os.fsencode(copy)

    def in_its_words(self, output: bytes) -> bytes:
        """What it has written, with the path of the original where it has that of its copy."""
        return output.replace(self._copy, self._original)

    def discard(self) -> None:
        """Deletes the copy, as far as that can be done."""
        if self._place:
            remove_folder(self._place)


def left_behind(folder: Path) -> Iterator[Path]:
    """The copies in a folder that are left of processes that were killed. Raises OSError."""
    for path in folder.glob(f"{PREFIX}*"):
        if time.time() - path.lstat().st_mtime > LEFT_SECONDS:
            yield path


def _moved(word: str, original: str, copy: str) -> str:
    """A word of a command line, which may be a path."""
    place = os.path.normpath(word)
    return (
        f"{copy}{word.removeprefix(original)}"
        if place == original or place.startswith(f"{original}/")
        else word
    )


def _copied(source: str, target: str, above: str = "") -> None:
    """Copies a file, or links it. `above`: the folder that is being copied."""
    depth = source.removeprefix(above).count("/") if above else 1
    if depth >= LINKED_DEPTH or os.stat(source, follow_symlinks=False).st_size >= LINKED_FROM:
        try:
            os.link(source, target, follow_symlinks=False)
            return
        except OSError:
            pass  # Some file systems have no links.
    shutil.copy2(source, target)
