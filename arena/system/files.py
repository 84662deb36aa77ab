"""Writes files atomically: after a power cut a file is on disk completely or not at all.

Each file is written under an unpredictable name, where nobody can have put a link, and then renamed. Knows
nothing about the contents.
"""

import contextlib
import ctypes
import errno
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final, TextIO

from arena.system.foreign import KINDS, NO_WAITING, folder
from arena.system.interruption import held

_write_out = getattr(ctypes.CDLL(None), "sync_file_range", None)
"""Linux: start writing a file to disk, without waiting for the end."""
_SYNC_FILE_RANGE_WRITE: Final = 2

UNFINISHED: Final = "unfinished-"
"""The prefix of a file's name while it is being written, before the id of the writing process. A power cut
may leave such a file."""
MOST_AHEAD: Final = 60.0
"""Seconds by which the time of a file may be in the future because of those that it has replaced."""
ABANDONED_SECONDS: Final = 3600.0
"""After this long without a change, an unfinished file has no writer any more."""


def users_temporary() -> Path | None:
    """A folder of this user for data that outlive a run and have no better place; None if it is not safe."""
    return only_ours(Path(tempfile.gettempdir(), f"arena-{os.geteuid()}"))


def only_ours(folder: Path) -> Path | None:
    """The folder, created if it is missing; None unless it is a folder that only this user can write to."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    is_safe = status.st_uid == os.geteuid() and not status.st_mode & 0o022
    return folder if stat.S_ISDIR(status.st_mode) and is_safe else None


def write_whole(path: Path, data: bytes, run: Path | None = None, *, lasting: bool = True) -> None:
    """Write a file atomically, replacing a file or link of that name. With `run`, no link between that folder
    and the file is followed. Without `lasting`, a power cut may lose the file, and its time is at least a
    second later than that of the file it replaces: web servers compare whole seconds. Raises OSError."""
    write_all_whole({path: data}, run, lasting=lasting)


def write_all_whole(files: Mapping[Path, bytes], run: Path | None, *, lasting: bool = True) -> None:
    """Like `write_whole`, for several files in the same folder."""
    if not files:
        return
    with held():
        _write_all_whole(files, run, lasting=lasting)


def _write_all_whole(files: Mapping[Path, bytes], run: Path | None, *, lasting: bool) -> None:
    (parent,) = {path.parent for path in files}
    unfinished = {path: _unfinished_name() for path in files}
    place = parent
    with folder(parent, run) as inside:
        # Write and sync all before the first rename, so that an error until then changes no file.
        before = {path: _time_if_replaceable(path, inside) for path in files}
        try:
            for path, data in files.items():
                _write(unfinished[path], data, inside, later_than=0.0 if lasting else before[path])
            if lasting:
                _sync_all(list(unfinished.values()), inside)
            for path, new in unfinished.items():
                place = path
                os.rename(new, path.name, src_dir_fd=inside, dst_dir_fd=inside)
            place = parent
            if lasting:
                os.fsync(inside)
        except OSError as error:
            for new in unfinished.values():
                with contextlib.suppress(OSError):
                    os.unlink(new, dir_fd=inside)
            raise OSError(error.errno, error.strerror, str(place)) from None


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[TextIO]:
    """Yield a text file that appears at `path` once complete, for data too large for memory. Raises
    OSError."""
    unfinished = path.with_name(_unfinished_name())
    try:
        with open(unfinished, "x", encoding="utf-8", newline="") as file:
            yield file
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def abandoned(folder: Path) -> Iterator[Path]:
    """The unfinished files and folders in a folder that nobody is writing any more. Raises OSError."""
    for path in folder.glob(f"{UNFINISHED}*"):
        if abs(time.time() - path.lstat().st_mtime) > ABANDONED_SECONDS:
            yield path


def left_by(pid: int, folder: Path) -> Iterator[Path]:
    """The unfinished files and folders that a process has left in a folder."""
    return folder.glob(f"{UNFINISHED}{pid}-*")


def kept(text: str, name: str) -> Path:
    """Write a text for later inspection into a new file of this name, in a temporary folder that only this
    user may read. Raises OSError."""
    path = Path(tempfile.mkdtemp(prefix="arena-"), name)
    path.write_text(text, "utf-8")
    return path


def _unfinished_name() -> str:
    return f"{UNFINISHED}{os.getpid()}-{secrets.token_hex(8)}"


def sync(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _time_if_replaceable(path: Path, inside: int) -> float:
    """When the file of that name was last changed; 0 if there is none. Raises OSError if a rename would
    remove a device or a pipe, as with `--log /dev/null`."""
    with contextlib.suppress(FileNotFoundError):
        status = os.stat(path.name, dir_fd=inside, follow_symlinks=False)
        kind = stat.S_IFMT(status.st_mode)
        if kind not in (stat.S_IFREG, stat.S_IFLNK):
            raise OSError(
                errno.EINVAL, f"{KINDS[kind]} is there, which a file cannot replace; move it away", str(path)
            )
        return status.st_mtime
    return 0.0


def _write(name: str, data: bytes, inside: int, later_than: float) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_WAITING, 0o666, dir_fd=inside)
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        now = os.fstat(descriptor).st_mtime
        if int(now) <= int(later_than) < now + MOST_AHEAD:
            os.utime(descriptor, (later_than + 1, later_than + 1))


def _sync_all(names: Collection[str], inside: int) -> None:
    """Wait until files in a folder are on disk. Writing of all starts before waiting for the first, which
    halves the time. `os.sync` would also wait for other processes' files, possibly for minutes."""
    if _write_out is not None and len(names) > 1:
        for name in names:
            with _descriptor(name, inside) as descriptor:
                _write_out(descriptor, ctypes.c_int64(0), ctypes.c_int64(0), _SYNC_FILE_RANGE_WRITE)
    for name in names:
        with _descriptor(name, inside) as descriptor:
            os.fsync(descriptor)


@contextlib.contextmanager
def _descriptor(name: str, inside: int) -> Iterator[int]:
    descriptor = os.open(name, os.O_RDONLY | NO_WAITING, dir_fd=inside)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
