"""Claims cores for this process alone.

A core is claimed by a lock on a file in a folder of the user, so that two runs do not share one. The kernel
releases the lock when its holder ends, however it ends. Knows no workers.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from arena.system.files import only_ours, users_temporary
from arena.system.processors import allowed


@contextlib.contextmanager
def claimed(count: int) -> Iterator[list[int]]:
    """Claim up to `count` cores that no other process has claimed, and yield their numbers. The list is empty
    if processes cannot be bound to a core (macOS), or if there is no safe folder for the locks."""
    locks: dict[int, int] = {}
    try:
        if hasattr(os, "sched_setaffinity") and (folder := _folder()):
            for core in allowed():
                if len(locks) < count and (lock := _lock(folder / f"core-{core}.lock")) is not None:
                    locks[core] = lock
        yield list(locks)
    finally:
        for lock in locks.values():
            os.close(lock)


def _folder() -> Path | None:
    """The folder of the locks; None if no folder is safe from other users."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return only_ours(Path(runtime, "arena")) if runtime else users_temporary()


def _lock(path: Path) -> int | None:
    """A descriptor that holds the lock on a file; None if another process holds it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
