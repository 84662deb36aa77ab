"""Writes files atomically: after a power cut a file is on the disk completely or not at all.

Each file is written under an unpredictable name, at which nobody can have put a link, and then renamed. Knows
nothing of what is in the files.
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
"""Linux: start writing a descriptor's file to the disk, without waiting until it is written."""
_SYNC_FILE_RANGE_WRITE: Final = 2

UNFINISHED: Final = "unfinished-"
"""The prefix of a file's name while it is being written; the id of the process that writes it follows. A
power cut may leave such a file behind."""
ABANDONED_SECONDS: Final = 3600.0
"""Nothing is being written for so long without a change."""


def users_temporary() -> Path | None:
    """The folder of this user for what is kept from run to run where there is no better place; None if it is
    not safe."""
    return only_ours(Path(tempfile.gettempdir(), f"arena-{os.geteuid()}"))


def only_ours(folder: Path) -> Path | None:
    """A folder, which is made if it is missing; None if it is not a folder to which only our user can
    write."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    return (
        folder
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
        else None
    )


def write_whole(path: Path, data: bytes, run: Path | None = None, *, lasting: bool = True) -> None:
    """Write a file completely or not at all; a file or link of that name is replaced. With `run`, no link is
    followed between that folder and the file. Without `lasting` a power cut may lose the file. Raises
    OSError."""
    write_all_whole({path: data}, run, lasting=lasting)


def write_all_whole(files: Mapping[Path, bytes], run: Path | None, *, lasting: bool = True) -> None:
    """`write_whole` for several files, all of one folder."""
    if not files:
        return
    with held():
        _write_all_whole(files, run, lasting=lasting)


def _write_all_whole(files: Mapping[Path, bytes], run: Path | None, *, lasting: bool) -> None:
    (parent,) = {path.parent for path in files}
    unfinished = {path: _unfinished_name() for path in files}
    place = parent
    with folder(parent, run) as inside:
        # All are written and synced before the first rename: an error until then leaves all old files alone.
        for path in files:
            _require_replaceable(path, inside)
        try:
            for path, data in files.items():
                _write(unfinished[path], data, inside)
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
    """A text file that appears at `path` once all of it is written; it is for what is too much to be held.
    Raises OSError."""
    unfinished = path.with_name(_unfinished_name())
    try:
        with open(unfinished, "x", encoding="utf-8", newline="") as file:
            yield file
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """A folder of our own, which is gone afterwards, also if that is by an interruption."""
    made = None
    try:
        with held():
            made = tempfile.TemporaryDirectory(prefix="arena-")
        yield made.name
    finally:
        with held():
            if made is not None:
                made.cleanup()


def abandoned(folder: Path) -> Iterator[Path]:
    """What somebody began to write in a folder, and nobody writes any more. Raises OSError."""
    for path in folder.glob(f"{UNFINISHED}*"):
        if abs(time.time() - path.lstat().st_mtime) > ABANDONED_SECONDS:
            yield path


def left_by(pid: int, folder: Path) -> Iterator[Path]:
    """What a process that has ended began to write in a folder."""
    return folder.glob(f"{UNFINISHED}{pid}-*")


def kept(text: str, name: str) -> Path:
    """A new file of this name with a text that somebody may want to look at, in a new folder for temporary
    files, which nobody else may read. Raises OSError."""
    path = Path(tempfile.mkdtemp(prefix="arena-"), name)
    path.write_text(text, "utf-8")
    return path


def _unfinished_name() -> str:
    return f"{UNFINISHED}{os.getpid()}-{secrets.token_hex(8)}"


def sync(path: Path) -> None:
    """Wait until a file, or a folder's list of names, is on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_replaceable(path: Path, inside: int) -> None:
    """Raise OSError if a rename would remove a device or a pipe, as with `--log /dev/null`."""
    with contextlib.suppress(FileNotFoundError):
        kind = stat.S_IFMT(os.stat(path.name, dir_fd=inside, follow_symlinks=False).st_mode)
        if kind not in (stat.S_IFREG, stat.S_IFLNK):
            raise OSError(
                errno.EINVAL, f"{KINDS[kind]} is there, and no file replaces that; move it away", str(path)
            )


def _write(name: str, data: bytes, inside: int) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_WAITING, 0o666, dir_fd=inside)
    with open(descriptor, "wb") as file:
        file.write(data)


def _sync_all(names: Collection[str], inside: int) -> None:
    """Wait until files of a folder are on the disk. All are handed to the disk before the first is waited
    for, which takes half as long as one after the other. Not `sync`: it would wait for everybody's files,
    possibly for minutes."""
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
