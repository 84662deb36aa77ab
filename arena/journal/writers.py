"""Who else can write to a journal's folder: other processes, which its lock keeps out, other users, and other
machines. Knows nothing about the journal itself.
"""

import fcntl
import grp
import os
import pwd
import stat
from pathlib import Path
from typing import Final

from arena.system import foreign
from arena.system.errors import UserError
from arena.system.mounts import network_type
from arena.system.text import shell_word

LOCK: Final = "lock"


class LockedError(UserError):
    """Another process is writing the journal."""


def claim(folder: Path, busy: str) -> int:
    """Lock the folder for writing; return the descriptor that holds the lock until it is closed or the
    process ends. Raises LockedError if another process holds it, UserError."""
    try:
        foreign.size(folder / LOCK)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | foreign.NO_WAITING, 0o644)
    except OSError as error:
        raise UserError(f"{folder / LOCK}: cannot be written ({error.strerror})") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise LockedError(f"{folder}: {busy.format(shell_word(folder))}") from None
    return descriptor


def is_written(folder: Path) -> bool:
    """Whether a process holds the folder's lock for writing."""
    try:
        descriptor = os.open(folder / LOCK, os.O_RDONLY | foreign.NO_WAITING)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def require_alone(folder: Path) -> None:
    """Raises UserError if other users can write to the folder: one of them could put a rollback journal there
    at the very moment in which SQLite opens the database."""
    if why := _others_in(folder):
        raise UserError(f"{folder}: {why}")


def _others_in(folder: Path) -> str | None:
    """Why other users can write to a folder, and what to do about it; None if none can."""
    status = os.stat(folder)
    if status.st_uid != os.geteuid():
        return "it belongs to another user; copy it, and continue with the copy"
    if _is_writable_by_others(status):
        return f"other users can write to it; first: chmod go-w {shell_word(folder)}"
    return None


def _is_writable_by_others(status: os.stat_result) -> bool:
    by_group = status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid)
    return bool(by_group or status.st_mode & stat.S_IWOTH)


def is_shared(folder: Path) -> bool:
    """Whether another user can write to a folder, or put another one in its place."""
    return _others_in(folder) is not None or any(
        above.st_uid not in (0, os.geteuid())
        or (_is_writable_by_others(above) and not above.st_mode & stat.S_ISVTX)
        for above in map(os.stat, folder.parents)
    )


def _is_private(group: int) -> bool:
    """Whether a group is this user's alone, as on systems where every user has such a group."""
    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == user.pw_name and user.pw_gid == group and set(found.gr_mem) <= {user.pw_name}


def require_local(folder: Path) -> None:
    """Raises UserError on a network file system: locks and writes there may not be seen by other machines,
    and SQLite's write-ahead log needs both."""
    if kind := network_type(folder):
        raise UserError(
            f"{folder}: it is on a network file system ({kind}), where a journal is not safe; use a local "
            "disk"
        )
