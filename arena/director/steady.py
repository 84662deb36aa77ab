"""Detects changes of a bot's program since it entered. It records the state of the program's files before its
first match and compares it after every match, so that no result of another program is recorded, and no bot
forfeits because its file was moved.

Bots that play from a copy of ours cannot change; that is all except command lines. Below sandbox level bwrap
a bot may write to its own folder and still be the same program, so there only the files that its command line
names are compared. The arena's packages, which BUILTIN_BOTS need, are never compared, since Python adds files
to them. Knows files and entrants, no results.
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
"""Paths, each with its inode, mode, size and times; GONE if nothing is there."""

GONE: Final = ()


class ProgramGuard:
    """Guards the programs of a run. Pass bots to `begin` before their first match."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self._stamps: dict[Entrant, Stamp] = {}

    def begin(self, entrants: Iterable[Entrant], way_out: str) -> None:
        """Record the files of each new bot. Raises MachineError if one has changed since it entered;
        `way_out` ends the message."""
        for entrant in entrants:
            if entrant not in self._stamps:
                self._stamps[entrant] = self._stamp(entrant)
                if _entered_otherwise(entrant):
                    raise MachineError(
                        f"the files of {entrant.called} changed while it was entering; {way_out}"
                    )

    def require(self, entrants: Iterable[Entrant], way_out: str) -> None:
        """Raises MachineError if one of the bots may have changed since `begin`."""
        for entrant in entrants:
            if self._stamp(entrant) != self._stamps[entrant]:
                raise MachineError(f"the files of {entrant.called} changed while it was playing; {way_out}")

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
    """Whether its digest differs from that at its entry. Copies and command lines are not checked."""
    path = Path(entrant.source)
    if entrant.launch.kept or not path.is_absolute():
        return False
    try:
        return version_of([path]) != entrant.digest
    except ValueError:
        return True


def _below(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        yield from (os.path.join(here, name) for name in (*folders, *files))


def _seen(path: str) -> tuple[int, ...]:
    try:
        status = os.stat(path)
    except OSError:
        return GONE
    if stat.S_ISDIR(status.st_mode):
        return (status.st_ino,)  # New files in it have paths of their own.
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns
