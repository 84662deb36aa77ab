"""Folders that last as long as the process that has made them. A lock says that it still runs; if it was
killed, the next process that looks there deletes them.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.system.interruption import held
from arena.system.trees import remove_folder

PREFIX: Final = f"arena-{os.geteuid()}-"


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """Yield a temporary folder, which is deleted at the end even after an interruption."""
    parent, made = tempfile.gettempdir(), None
    try:
        with held():
            discard_abandoned(parent, PREFIX)
            made = locked_folder(parent, PREFIX)
        yield made[0]
    finally:
        with held():
            if made is not None:
                remove_folder(made[0])
                os.close(made[1])


def locked_folder(parent: str, prefix: str) -> tuple[str, int]:
    """A new folder, and the descriptor that holds its lock as long as this process lives."""
    while True:
        place = tempfile.mkdtemp(prefix=prefix, dir=parent)
        # Until it is locked, another process may delete it as abandoned.
        try:
            lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        with contextlib.suppress(OSError):  # Without locks nothing counts as abandoned.
            fcntl.flock(lock, fcntl.LOCK_SH)
        if os.path.exists(place):
            return place, lock
        os.close(lock)


def discard_abandoned(parent: str | Path, prefix: str) -> None:
    """Delete the folders of this user whose owners were killed, as far as possible: those without a lock.
    Others may write to `parent`, if only the owner of a folder there can move it."""
    for path in Path(parent).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(lock).st_uid == os.geteuid():
                    remove_folder(path)
            finally:
                os.close(lock)
