"""Files that are on the disk as a whole or not at all, whenever the power goes.

Each is written under a name that nobody can foresee, so that no link can wait there, and then renamed. Knows
nothing of what is in them.
"""

import contextlib
import ctypes
import errno
import os
import secrets
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from arena.system.foreign import KINDS, NO_WAITING, folder

_write_out = getattr(ctypes.CDLL(None), "sync_file_range", None)
"""Linux: begin to write what a descriptor's file holds to the disk, without waiting for it."""
_SYNC_FILE_RANGE_WRITE: Final = 2

UNFINISHED: Final = "unfinished-"
"""How the name of a file begins that is being written. A power cut may leave one behind."""


def write_whole(path: Path, data: bytes, run: Path | None = None, *, lasting: bool = True) -> None:
    """Have a file on the disk as a whole or not at all, in the place of one that is there, or of a link. It
    lies in the folder `run`, or else in any. Without `lasting` a power cut may cost it. Raises OSError."""
    write_all_whole({path: data}, run, lasting=lasting)


def write_all_whole(files: Mapping[Path, bytes], run: Path | None = None, *, lasting: bool = True) -> None:
    """The same for files of one folder."""
    if not files:
        return
    (parent,) = {path.parent for path in files}
    unfinished = {path: f"{UNFINISHED}{secrets.token_hex(8)}" for path in files}
    with folder(parent, run) as inside:
        for path in files:
            _require_replaceable(path, inside)
        try:
            for path, data in files.items():
                _write(unfinished[path], data, inside)
            if lasting:
                _sync_all(list(unfinished.values()), inside)
            for path, new in unfinished.items():
                os.rename(new, path.name, src_dir_fd=inside, dst_dir_fd=inside)
            if lasting:
                os.fsync(inside)
        except OSError as error:
            for new in unfinished.values():
                with contextlib.suppress(OSError):
                    os.unlink(new, dir_fd=inside)
            raise OSError(error.errno, error.strerror, str(parent)) from None


def sync(path: Path) -> None:
    """Have a file, or a folder's list of names, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_replaceable(path: Path, inside: int) -> None:
    """Raises OSError where a rename would do away with a device or a pipe, as for `--log /dev/null`."""
    with contextlib.suppress(FileNotFoundError):
        kind = stat.S_IFMT(os.stat(path.name, dir_fd=inside, follow_symlinks=False).st_mode)
        if kind not in (stat.S_IFREG, stat.S_IFLNK):
            raise OSError(errno.EINVAL, f"{KINDS[kind]} is there, which no file replaces", str(path))


def _write(name: str, data: bytes, inside: int) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_WAITING, 0o666, dir_fd=inside)
    with open(descriptor, "wb") as file:
        file.write(data)


def _sync_all(names: Collection[str], inside: int) -> None:
    """Have files of a folder on the disk. The disk is given all of them before it is waited for, which takes
    half as long as one after the other; and nobody else's files, which could take minutes."""
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
