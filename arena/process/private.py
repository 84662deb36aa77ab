"""The folder in which one process of a bot plays if no sandbox prevents it from writing there: a copy of the
kept bot, deleted when the process has ended. So no process finds what another wrote.

Large and deeply nested files are linked instead of copied: copying a library or a table of weights would take
longer than the match, and bots write their notes higher up. A bot that changes such a file in place changes
what is kept, which is noticed when it enters again. Knows files and how a bot is started; no process.
"""

import os
import shutil
from collections.abc import Iterable
from functools import partial
from typing import Final

import msgspec

from arena.process.launch import Launch
from arena.process.sandbox import Level
from arena.system.machine import MIB
from arena.system.temporary import discard_abandoned, locked_folder
from arena.system.trees import remove_folder

PREFIX: Final = "played-"
"""The prefix of the folders that hold such copies, which lie next to what is kept."""
LINKED_FROM: Final = MIB
"""Files of this many bytes or more are linked."""
LINKED_DEPTH: Final = 3
"""Files at this depth or below are linked; one next to the program has depth 1."""


class BotFolder:
    """The launch of one process of a bot, from a folder of its own if it needs one."""

    def __init__(self, launch: Launch, level: Level) -> None:
        """Copy the bot if it is kept and `level` is not bwrap. Raises OSError."""
        self.launch, self._place = launch, ""
        self._original = os.fsencode(launch.original)
        self._copy = self._original
        if not launch.kept or level is Level.BWRAP:
            return
        self._place, self._lock = locked_folder(_place_of_copies(launch), PREFIX)
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
        """Its output, with the path of its copy replaced by that of the original."""
        return output.replace(self._copy, self._original)

    def discard(self) -> None:
        """Delete the copy as far as possible."""
        if self._place:
            remove_folder(self._place)
            os.close(self._lock)
            self._place = ""


def discard_abandoned_by(launches: Iterable[Launch]) -> None:
    """Delete the copies of these programs whose owners were killed."""
    for folder in {_place_of_copies(launch) for launch in launches if launch.kept}:
        discard_abandoned(folder, PREFIX)


def _place_of_copies(launch: Launch) -> str:
    above = launch.kept if launch.owns_folder else os.path.dirname(launch.kept)
    return os.path.dirname(above)


def _moved(word: str, original: str, copy: str) -> str:
    """A word of a command line; if it is a path in the original, the same path in the copy."""
    place = os.path.normpath(word)
    return (
        f"{copy}{word.removeprefix(original)}"
        if place == original or place.startswith(f"{original}/")
        else word
    )


def _copied(source: str, target: str, above: str = "") -> None:
    """Copy a file, or link it if it is large or deep. `above`: the folder that is being copied, if any."""
    depth = source.removeprefix(above).count("/") if above else 1
    if depth >= LINKED_DEPTH or os.stat(source, follow_symlinks=False).st_size >= LINKED_FROM:
        try:
            os.link(source, target, follow_symlinks=False)
            return
        except OSError:
            pass  # Some file systems have no links.
    shutil.copy2(source, target)
