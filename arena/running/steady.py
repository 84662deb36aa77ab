"""Whether the bots of a run are still the programs that entered: their files are stamped when it begins to
play and compared after every match, so that no result of another program is written down, and nobody forfeits
because somebody has moved its file away.

A bot that can write to its own folder, as below level bwrap, is no other program by doing so: there only the
files count that its command line names. Nor do the arena's own packages, which a bot of ours needs: Python
adds to them. Knows files and entrants; no results.
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
"""By path, what the file system says of it; nothing where it is gone."""

GONE: Final = ()


class Steady:
    """Made before the first match."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self._stamps: dict[Entrant, Stamp] = {}

    def begin(self, entrants: Iterable[Entrant], way_out: str) -> None:
        """Stamp those that have not been stamped. Raises MachineError where one has changed since it
        entered."""
        for entrant in entrants:
            if entrant not in self._stamps:
                self._stamps[entrant] = self._stamp(entrant)
                if _entered_otherwise(entrant):
                    raise MachineError(f"the files of {entrant.called} were changed as it entered; {way_out}")

    def require(self, entrants: Iterable[Entrant], way_out: str) -> None:
        """Raises MachineError where one of them may have become another program since `begin`."""
        for entrant in entrants:
            if self._stamp(entrant) != self._stamps[entrant]:
                raise MachineError(f"the files of {entrant.called} were changed while it played; {way_out}")

    def _stamp(self, entrant: Entrant) -> Stamp:
        return tuple((path, _seen(path)) for path in sorted(self._files(entrant)))

    def _files(self, entrant: Entrant) -> Iterator[str]:
        launch = entrant.launch
        yield from (os.path.join(launch.folder, word) for word in launch.argv)
        if self._level is Level.BWRAP:
            for path in msgspec.structs.replace(launch, needs=()).files:
                yield path
                yield from _below(path)


def _entered_otherwise(entrant: Entrant) -> bool:
    """Whether its file or folder is not what its digest was made of. What was built lies in a place of ours,
    and of a command line only the files are stamped."""
    path = Path(entrant.source)
    if not path.is_absolute() or (os.path.isdir(path) and str(path) != entrant.launch.folder):
        return False
    try:
        return version_of([path]) != entrant.digest
    except ValueError:
        return True


def _below(folder: str) -> Iterator[str]:
    """Nothing where it is a file."""
    for here, folders, files in os.walk(folder):
        yield from (os.path.join(here, name) for name in (*folders, *files))


def _seen(path: str) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return GONE
    if stat.S_ISDIR(found.st_mode):
        return (found.st_ino,)  # What is new in there has a path of its own.
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns
