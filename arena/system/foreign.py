"""Reads the files of a run that may come from a stranger: follows no link in it, never blocks on a pipe, and
reads no file that is larger than any the arena writes.

A run is the folder that the user names; links on the way to it are followed. Below it each folder is opened
from its parent. Knows nothing about the contents.
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
"""The flags for opening anything in a run. Without O_NONBLOCK, opening a pipe would block."""

COPIED_AT_ONCE: Final = 1 << 20
"""In bytes."""


def read(path: Path, limit: int, run: Path | None = None) -> bytes:
    """The content of a regular file of at most `limit` bytes. With `run`, no link between that folder and the
    file is followed. Raises OSError; if the path is not a regular file, its `strerror` says what it is."""
    with _opened(path, run) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise _error(path, f"larger than {limit >> 20} MiB; the arena does not write files that large")
        return file.read(size)


def copy(path: Path, to: Path, limit: int) -> None:
    """Copy at most the first `limit` bytes of a regular file to a new file. Raises OSError."""
    with _opened(path, None) as source, to.open("xb") as target:
        while limit and (chunk := source.read(min(limit, COPIED_AT_ONCE))):
            target.write(chunk)
            limit -= len(chunk)


def tail(path: Path, limit: int, run: Path | None = None) -> bytes:
    """The last `limit` bytes of a regular file of any size. `run`: see `read`. Raises OSError."""
    with _opened(path, run) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - limit))
        return file.read(limit)


def size(path: Path) -> int | None:
    """The size of a regular file in bytes; None if nothing exists there. Raises OSError for anything else."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    _require(path, status, stat.S_IFREG)
    return status.st_size


@contextlib.contextmanager
def folder(path: Path, run: Path | None = None, *, make: bool = False) -> Iterator[int]:
    """Yield a descriptor of a folder, through which its files can be opened even if the path is renamed
    meanwhile. With `run`, no link between that folder and this one is followed. `make`: create missing
    folders below `run`. Raises OSError."""
    steps = path.relative_to(run).parts if run is not None else ()
    with contextlib.ExitStack() as opened:
        inside = os.open(path if run is None else run, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        opened.callback(os.close, inside)
        for name in steps:
            try:
                inside = _opened_folder(path, name, inside, make=make)
            except OSError as error:
                # The system's error names only this step.
                raise OSError(error.errno, error.strerror, str(path)) from None
            opened.callback(os.close, inside)
        yield inside


def _opened_folder(path: Path, name: str, inside: int, *, make: bool) -> int:
    """A descriptor of the folder `name` in the open folder `inside`, on the way to `path`."""
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=inside)
    _require(path, os.stat(name, dir_fd=inside, follow_symlinks=False), stat.S_IFDIR)
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | NO_WAITING, dir_fd=inside)


def require_files(path: Path, run: Path) -> None:
    """Create a run's folder `path` if missing. Raises OSError if it contains anything but regular files."""
    for place, what in odd_files(path, run).items():
        way_out = "replace it with its target, or remove it" if place.is_symlink() else "remove it"
        raise _error(place, f"{what}; {way_out}")


def odd_files(path: Path, run: Path) -> dict[Path, str]:
    """Everything in a run's folder `path` that is not a regular file, in order, with what it is. Creates the
    folder if it is missing. Raises OSError."""
    odd = {}
    with folder(path, run, make=True) as inside, os.scandir(inside) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if not entry.is_file(follow_symlinks=False):
                there = _kind(entry.stat(follow_symlinks=False))
                odd[path / entry.name] = f"expected a file, got {there}"
    return odd


def _opened(path: Path, run: Path | None) -> BinaryIO:
    try:
        with folder(path.parent, run) as inside:
            # Check before opening, since opening some devices has effects, and again afterwards, since the
            # file may have been replaced in between.
            _require(path, os.stat(path.name, dir_fd=inside, follow_symlinks=False), stat.S_IFREG)
            file = open(os.open(path.name, os.O_RDONLY | NO_WAITING, dir_fd=inside), "rb")  # noqa: SIM115
            _require(path, os.fstat(file.fileno()), stat.S_IFREG)
            return file
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _require(path: Path, found: os.stat_result, kind: int) -> None:
    if (there := stat.S_IFMT(found.st_mode)) != kind:
        way_out = "replace it with its target" if there == stat.S_IFLNK else "move it away"
        raise _error(path, f"expected {KINDS[kind]}, got {_kind(found)}; {way_out}")


def _kind(found: os.stat_result) -> str:
    return KINDS.get(stat.S_IFMT(found.st_mode), "something")


def _error(path: Path, text: str) -> OSError:
    return OSError(errno.EINVAL, text, str(path))
