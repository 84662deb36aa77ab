"""Files of a run, which may be a stranger's: no link in it leads elsewhere, nothing in it is waited for, and
no file is read that is larger than an honest one can be.

A run is the folder that a user names, however that is reached. What lies in it is opened from there, one
folder after the other. Knows nothing of what is in the files.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

KINDS: Final[Mapping[int, str]] = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFREG: "a file",
}

NO_WAITING: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""How everything in a run is opened. Without O_NONBLOCK a pipe would be waited for."""


def read(path: Path, limit: int, run: Path | None = None) -> bytes:
    """All of a regular file of at most `limit` bytes, which lies in the folder `run`, or else in any. Raises
    OSError, whose `strerror` says what else is there."""
    with _opened(path, run) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise _error(path, f"larger than {limit >> 20} MiB, which none that the arena writes is")
        return file.read(size)


def tail(path: Path, limit: int, run: Path | None = None) -> bytes:
    """The last `limit` bytes of a regular file, however large. Raises OSError."""
    with _opened(path, run) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - limit))
        return file.read(limit)


def size(path: Path) -> int | None:
    """That of a regular file; None where nothing is. Raises OSError for anything else."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    _require(path, found, stat.S_IFREG)
    return found.st_size


@contextlib.contextmanager
def folder(path: Path, run: Path | None = None, *, make: bool = False) -> Iterator[int]:
    """A descriptor of a folder, by which its files can be opened whatever becomes of the way to it. Where it
    lies in the folder `run`, no link on the way from there is followed. `make`: it need not be there. Raises
    OSError."""
    steps = path.relative_to(run).parts if run is not None else ()
    with contextlib.ExitStack() as opened:
        inside = os.open(path if run is None else run, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        opened.callback(os.close, inside)
        for name in steps:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, dir_fd=inside)
            _require(path, os.stat(name, dir_fd=inside, follow_symlinks=False), stat.S_IFDIR)
            inside = os.open(name, os.O_RDONLY | os.O_DIRECTORY | NO_WAITING, dir_fd=inside)
            opened.callback(os.close, inside)
        yield inside


def require_files(path: Path, run: Path) -> None:
    """Raises OSError where anything in a run's folder `path` is no regular file. It is made if it is not
    there."""
    with folder(path, run, make=True) as inside, os.scandir(inside) as found:
        for entry in found:
            if not entry.is_file(follow_symlinks=False):
                _require(path / entry.name, entry.stat(follow_symlinks=False), stat.S_IFREG)


def _opened(path: Path, run: Path | None) -> BinaryIO:
    try:
        with folder(path.parent, run) as inside:
            # Looked at before it is opened, since some devices do something when they are.
            _require(path, os.stat(path.name, dir_fd=inside, follow_symlinks=False), stat.S_IFREG)
            file = open(os.open(path.name, os.O_RDONLY | NO_WAITING, dir_fd=inside), "rb")  # noqa: SIM115
            _require(path, os.fstat(file.fileno()), stat.S_IFREG)
            return file
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _require(path: Path, found: os.stat_result, kind: int) -> None:
    if (there := stat.S_IFMT(found.st_mode)) != kind:
        way_out = "; put there what it leads to" if there == stat.S_IFLNK else ""
        raise _error(path, f"{KINDS.get(there, 'something')} where {KINDS[kind]} is due{way_out}")


def _error(path: Path, text: str) -> OSError:
    return OSError(errno.EINVAL, text, str(path))
