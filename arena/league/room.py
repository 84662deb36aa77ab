"""The disk of a league: whether there is room to begin something, and what a kill left behind.

Knows files; no journal.
"""

import os
from itertools import chain
from pathlib import Path
from typing import Final

from arena.league.journal import BUILT, LOGS, PRIVATE, VERSIONS
from arena.process.private import PREFIX
from arena.system.files import UNFINISHED, abandoned
from arena.system.machine import MIB
from arena.system.text import shell_word
from arena.system.trees import remove_folder

LEAST: Final = 256 * MIB
"""With less nothing is begun: a version and its build take up to that, the logs of a draw a thousandth."""
LEAST_FILES: Final = 1000


def lacking(league: Path) -> str | None:
    """What the disk of a league has too little of, and the way out; None where there is enough."""
    found = os.statvfs(league)
    free = found.f_bavail * found.f_frsize
    if free < LEAST:
        least = f"{free // MIB} MB are left on its disk, and {LEAST // MIB} MB are due"
    elif found.f_files and found.f_favail < LEAST_FILES:
        least = f"{found.f_favail} files can still be made on its disk, and {LEAST_FILES} are due"
    else:
        return None
    return f"{league}: {least}; make room, for instance by `arena league prune {shell_word(league)}`"


def tidy(league: Path) -> None:
    """Deletes what was being written when a process was killed. To be called by the one that writes the
    league; copies of programs are made by others too."""
    for path in chain.from_iterable((league / part).glob(f"*/{UNFINISHED}*") for part in (LOGS, PRIVATE)):
        path.unlink(missing_ok=True)
    for folder in chain(
        (league / BUILT).glob(f"{PREFIX}*"), abandoned(league / BUILT), abandoned(league / VERSIONS)
    ):
        remove_folder(folder)
