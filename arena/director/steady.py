"""Finds out whether a bot's program has changed since it entered. The state of its files is recorded before
its first match and compared after every match, so that no result of another program is written down, and no
bot forfeits because its file was moved.

What plays from a copy that we keep does not change: that is every bot but command lines. Below sandbox level
bwrap a bot can write to the folder that it is started in and is the same program afterwards, so there only
the files count that its command line names. The arena's packages, which the bots of LENT need, never count:
Python adds files to them. Knows files and entrants; no results.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from arena.entrants.digest import version_of
from arena.entrants.entrant import Entrant
from arena.process.sandbox import Level
from arena.system.errors import MachineError

Stamp: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
"""Paths, each with what the file system says of it: inode, mode, size and times. GONE where nothing is
there."""

GONE: Final = ()


class ProgramGuard:
    """The programs of a run. Bots must be passed to `begin` before their first match."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self._stamps: dict[Entrant, Stamp] = {}

    def begin(self, entrants: Iterable[Entrant], way_out: str) -> None:
        """Records the files of each bot of which they are not recorded yet. Raises MachineError where one has
        changed since it entered; `way_out` ends the message."""
        for entrant in entrants:
            if entrant not in self._stamps:
                self._stamps[entrant] = self._stamp(entrant)
                if _entered_otherwise(entrant):
                    raise MachineError(f"the files of {entrant.called} were changed as it entered; {way_out}")

    def require(self, entrants: Iterable[Entrant], way_out: str) -> None:
        """Raises MachineError where one of the bots may have become another program since `begin`."""
        for entrant in entrants:
            if self._stamp(entrant) != self._stamps[entrant]:
                raise MachineError(f"the files of {entrant.called} were changed while it played; {way_out}")

    def _stamp(self, entrant: Entrant) -> Stamp:
        return tuple((path, _seen(path)) for path in sorted(self._files(entrant)))

    def _files(self, entrant: Entrant) -> Iterator[str]:
        launch = entrant.launch
        if launch.kept:
            return
        yield from (os.path.join(launch.folder, word) for word in launch.argv)
        if self._level is Level.BWRAP:
            for path in msgspec.structs.replace(launch, needs=()).files:
                yield path
                yield from _below(path)


def _entered_otherwise(entrant: Entrant) -> bool:
    """Whether its file or folder has another digest than at its entry. Not checked where it plays from a
    copy, nor for a command line."""
    path = Path(entrant.source)
    if entrant.launch.kept or not path.is_absolute():
        return False
    try:
        return version_of([path]) != entrant.digest
    except ValueError:
        return True


def _below(folder: str) -> Iterator[str]:
    """All paths below a folder; none for a file."""
    for here, folders, files in os.walk(folder):
        yield from (os.path.join(here, name) for name in (*folders, *files))


def _seen(path: str) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return GONE
    if stat.S_ISDIR(found.st_mode):
        return (found.st_ino,)  # A new file in it is found by its own path.
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns
