"""The disk of a league: whether it has enough room, and the cleaning up after a kill.

Knows files, no journal.
"""

import contextlib
import os
import random
import stat
import time
from itertools import chain
from pathlib import Path
from typing import Final

from arena.league.journal import BUILT, LOGS, PRIVATE, VERSIONS
from arena.process.private import PREFIX
from arena.system.files import UNFINISHED, abandoned
from arena.system.machine import MIB
from arena.system.text import shell_word
from arena.system.trees import remove_folder

TAKEN: Final = "taken-"
"""The prefix, before a user's id, of a folder for a program that was moved out of the inbox to be deleted.
What belongs to another user in it is never deleted: its sender may have moved that there. Without an id,
nobody else could."""
PROGRAM: Final = "program"
"""The name of a program in such a folder."""
LEAST: Final = 256 * MIB
"""With less nothing is begun. A version and its build take up to this, a draw's logs a thousandth."""
LEAST_FILES: Final = 1000
TIDYING_SECONDS: Final = 5.0
"""Limit for deleting what is left over, before a league plays. The rest stays until the next run."""


def lacking(league: Path) -> str | None:
    """A sentence on what the disk lacks and what to do about it; None if it has enough."""
    disk = os.statvfs(league)
    free = disk.f_bavail * disk.f_frsize
    if free < LEAST:
        least = f"{free // MIB} MB are left on its disk, but it needs {LEAST // MIB} MB"
    elif disk.f_files and disk.f_favail < LEAST_FILES:
        least = f"{disk.f_favail} files can still be created on its disk, but it needs {LEAST_FILES}"
    else:
        return None
    return f"{league}: {least}; make room, for instance with `arena league prune {shell_word(league)}`"


def leftovers(league: Path) -> list[Path]:
    """What is left of programs that were moved out of the inbox to be deleted."""
    return sorted((league / BUILT).glob(f"{TAKEN}*"))


def tidy(league: Path, seconds: float = TIDYING_SECONDS) -> None:
    """Delete what a killed process left unfinished, within `seconds`: an author may have put any number of
    folders there, and all others wait. Only the process that writes the league may call this, since other
    processes copy programs."""
    end = time.monotonic() + seconds
    for path in chain.from_iterable((league / part).glob(f"*/{UNFINISHED}*") for part in (LOGS, PRIVATE)):
        path.unlink(missing_ok=True)
    for folder in chain(
        (league / BUILT).glob(f"{PREFIX}*"), abandoned(league / BUILT), abandoned(league / VERSIONS)
    ):
        remove_folder(folder, seconds=end - time.monotonic())
    clear(league, end - time.monotonic())


def clear(league: Path, seconds: float) -> None:
    """Delete, within `seconds`, what is left of programs that were moved out of the inbox to be deleted."""
    end = time.monotonic() + seconds
    left = leftovers(league)
    random.shuffle(left)  # What takes longest comes first no more often than others.
    for folder in left:
        owner = folder.name.removeprefix(TAKEN).partition("-")[0]
        status = folder.lstat()
        is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
        # Earlier leagues moved a program here without a folder of its own.
        for path in folder.iterdir() if is_ours and owner else (folder,):
            if (rest := end - time.monotonic()) < 0:
                return
            remove_folder(path, seconds=rest, owner=int(owner) if owner else None)
        with contextlib.suppress(OSError):
            folder.rmdir()
