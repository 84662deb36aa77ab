"""Copies, walks and deletes folders of strangers, who may change them at the same moment.

Each level is opened from its parent, by descriptor and without following a link, and is checked again once
open. So whatever is exchanged meanwhile, nothing outside the folder is read, changed or deleted. Only a copy
is fit to be checked and used. Knows nothing about the contents.
"""

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from enum import Enum, auto
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from arena.system.foreign import KINDS, NO_WAITING
from arena.system.machine import MIB

REMOVING_SECONDS: Final = 60.0
PASSES: Final = 100
"""How often to empty a folder into which somebody puts more meanwhile."""
PREFIX_LENGTH: Final = 64
FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | NO_WAITING
OURS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""The errors that are this machine's if a stranger's file cannot be opened; any other is the file's."""
_PATH_ONLY: Final = getattr(os, "O_PATH", None)
"""Linux: for a descriptor of a folder that we may not read."""


class CopyLimits(NamedTuple):
    """What may be copied at most."""

    size: int
    """Bytes in all files."""
    files: int
    """Files, folders and links."""
    depth: int
    """Of nested folders."""
    seconds: float


class NotCopiedReason(Enum):
    """Why something is not copied."""

    SIZE = auto()
    FILES = auto()
    DEPTH = auto()
    SECONDS = auto()
    KIND = auto()
    """Neither a file nor a folder, nor a link, if links may be copied."""
    LINKED = auto()
    """A hard link: the file has another name, perhaps in a folder that its author cannot read."""
    OWNER = auto()
    """It belongs to another user than the one who may put it there."""
    UNREADABLE = auto()
    CHANGED = auto()
    """It was replaced or deleted after it was checked."""


class NotCopiedError(Exception):
    """Something is not copied. `path` is relative to the folder to be copied, "" for that itself. `detail` is
    what it is instead, the system's message, or the limit."""

    def __init__(self, why: NotCopiedReason, path: str = "", detail: str = "") -> None:
        super().__init__(f"{path or 'it'}: {why.name.lower()} {detail}".rstrip())
        self.why, self.path, self.detail = why, path, detail


class TreeItem(NamedTuple):
    """A file, folder or link."""

    inside: int | None
    """The descriptor of its folder, open until the next item is yielded."""
    name: str
    path: str
    """Relative to the top."""
    depth: int
    """0 for the top."""
    status: os.stat_result
    """Of a link, its own."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, not a link to one."""
        return stat.S_ISDIR(self.status.st_mode)


def none(name: str) -> bool:
    """A filter that excludes nothing."""
    return False


def walk(
    top: Path | str,
    bounds: CopyLimits,
    inside: int | None = None,
    left_out: Callable[[str], bool] = none,
    owner: int | None = None,
) -> Iterator[TreeItem]:
    """Yield `top` and everything below it, by name, each folder before its contents. Skip names that are
    `left_out`, at any level below.

    `top` is relative to the folder with the descriptor `inside`, or to the current one if that is None.
    `owner`: the user who must own everything. Raises NotCopiedError; OSError if this machine has run out of
    something.
    """
    end, left = time.monotonic() + bounds.seconds, bounds.files
    levels = [(inside, "", iter([os.fspath(top)]))]
    try:
        while levels:
            inside, before, names = levels[-1]
            depth = len(levels) - 1
            if (name := next(names, None)) is None:
                _close(inside if depth else None)
                levels.pop()
                continue
            path = before + name if depth else ""
            _require_in_time(end, bounds)
            if depth and (left := left - 1) < 0:
                raise NotCopiedError(NotCopiedReason.FILES, path, str(bounds.files))
            if depth > bounds.depth:
                raise NotCopiedError(NotCopiedReason.DEPTH, path, str(bounds.depth))
            with _reading(path):
                status = os.stat(name, dir_fd=inside, follow_symlinks=False)
            item = TreeItem(inside, name, path, depth, status)
            _require_owner(status, owner, path)
            yield item
            if item.is_folder:
                with _reading(path):
                    deeper = os.open(name, FOLDER, dir_fd=inside)
                levels.append((deeper, path and f"{path}/", iter(())))  # It is closed if it cannot be read.
                names = iter(_names(deeper, path, left, end, bounds, left_out))
                levels[-1] = (*levels[-1][:2], names)
    finally:
        for opened, *_ in levels[1:]:
            _close(opened)


def copy(
    source: Path | str,
    target: Path,
    bounds: CopyLimits,
    *,
    inside: int | None = None,
    linked: bool = True,
    times: bool = False,
    left_out: Callable[[str], bool] = none,
    owner: int | None = None,
) -> None:
    """Copy a file or a folder to `target`, which must not exist or be an empty folder, and which no stranger
    may reach.

    `source` must not be a link, and is relative to the folder with the descriptor `inside`, or to the current
    one if that is None. Files that change meanwhile are copied in their current state, within the limits. A
    copy is executable for all if anybody could execute the original. Symbolic links are copied, not followed.
    `linked`: accept hard links; `times`: keep the files' times; `owner`: the user who must own everything.
    Raises NotCopiedError, which leaves a partial copy; OSError if `target` cannot be written.
    """
    made = _Copy(bounds, owner, linked=linked, times=times)
    with _folder(target.parent) as place:
        levels = [place]
        try:
            for item in walk(source, bounds, inside, left_out, owner):
                while len(levels) > item.depth + 1:
                    os.close(levels.pop())
                name = item.name if item.depth else target.name
                if not item.is_folder:
                    made.add(item, name, levels[-1])
                    continue
                with contextlib.ExitStack() as may_be_there:
                    if not item.depth:
                        may_be_there.enter_context(contextlib.suppress(FileExistsError))
                    os.mkdir(name, dir_fd=levels[-1])
                levels.append(_own(name, levels[-1]))
        finally:
            for opened in levels[1:]:
                os.close(opened)


class _Copy:
    """Copies files and links, all together within the limits."""

    def __init__(self, bounds: CopyLimits, owner: int | None, *, linked: bool, times: bool) -> None:
        self._bounds, self._owner = bounds, owner
        self._linked, self._times = linked, times
        self._left = bounds.size
        self._end = time.monotonic() + bounds.seconds

    def add(self, found: TreeItem, name: str, place: int) -> None:
        """Copy a file or link to the new `name` in the folder `place`. Raises NotCopiedError, OSError."""
        kind = stat.S_IFMT(found.status.st_mode)
        if kind == stat.S_IFLNK and found.depth:
            with _reading(found.path):
                leads_to = os.readlink(found.name, dir_fd=found.inside)
            os.symlink(leads_to, name, dir_fd=place)
        elif kind == stat.S_IFREG:
            with _reading(found.path):
                file = os.open(found.name, os.O_RDONLY | NO_WAITING, dir_fd=found.inside)
            try:
                self._file(file, name, place, found.path)
            finally:
                os.close(file)
        else:
            raise NotCopiedError(NotCopiedReason.KIND, found.path, KINDS.get(kind, "something unknown"))

    def _file(self, file: int, name: str, place: int, path: str) -> None:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise NotCopiedError(NotCopiedReason.CHANGED, path)
        _require_owner(status, self._owner, path)
        if status.st_nlink > 1 and not self._linked:
            raise NotCopiedError(NotCopiedReason.LINKED, path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_WAITING
        with open(os.open(name, flags, 0o600, dir_fd=place), "wb") as copied:
            while chunk := self._chunk(file, path):
                copied.write(chunk)
            copied.flush()
            os.fchmod(copied.fileno(), 0o755 if status.st_mode & 0o111 else 0o644)
            if self._times:
                os.utime(copied.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))

    def _chunk(self, file: int, path: str) -> bytes:
        with _reading(path):
            chunk = os.read(file, MIB)
        self._left -= len(chunk)
        if self._left < 0:
            raise NotCopiedError(NotCopiedReason.SIZE, path, str(self._bounds.size))
        _require_in_time(self._end, self._bounds)
        return chunk


def paths_below(folder: Path) -> Iterator[Path]:
    """Everything in a folder, at any depth. `Path.rglob` looks where a link points, and raises OSError for a
    target that no path can have."""
    for here, folders, files in os.walk(folder):
        yield from (Path(here, name) for name in (*folders, *files))


def remove_folder(
    folder: Path | str, inside: int | None = None, seconds: float = REMOVING_SECONDS, owner: int | None = None
) -> bool:
    """Delete a folder that strangers have filled, and may still be filling, within `seconds`. Returns whether
    nothing is left.

    `folder` is relative to the folder with the descriptor `inside`, if given. Its folders may have no
    permissions, and may lie deeper than a path or our descriptors reach, so each is moved next to `folder`
    before it is emptied. What could not be deleted in time stays there, under a name with the same beginning.
    With `owner`, files of any other user are left alone, since a stranger may have moved something there that
    they could not have read; nobody else may then write to the parent of `folder`.
    """
    end = time.monotonic() + seconds
    above, name = os.path.split(folder)
    try:
        with _folder(above or ".", inside) as place:
            waiting = [name]
            while waiting and time.monotonic() < end:
                with contextlib.suppress(OSError):
                    waiting += _emptied(waiting.pop(), place, f"{name[:PREFIX_LENGTH]}.", end, owner)
            return not _exists(name, place)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _emptied(name: str, place: int, prefix: str, end: float, owner: int | None) -> list[str]:
    """Delete `name` in the folder `place`; move its folders to `place`, return their new names. Raises
    OSError."""
    moved: list[str] = []
    try:
        _permit(name, place, owner)
        here = os.open(name, FOLDER, dir_fd=place)
    except OSError as error:
        # It is a file or, on some systems, a link.
        if error.errno in (errno.ENOTDIR, errno.ELOOP) and _is_of(
            os.stat(name, dir_fd=place, follow_symlinks=False), owner
        ):
            os.unlink(name, dir_fd=place)
        return moved
    try:
        if not _is_of(os.fstat(here), owner):
            return moved
        for _ in range(PASSES):
            with os.scandir(here) as entries:
                for entry in entries:
                    if time.monotonic() > end:
                        return moved
                    with contextlib.suppress(OSError):
                        moved += _taken_out(entry.name, here, place, prefix, owner)
            with contextlib.suppress(OSError):
                os.rmdir(name, dir_fd=place)
                break
    finally:
        os.close(here)
    return moved


def _taken_out(name: str, here: int, place: int, prefix: str, owner: int | None) -> list[str]:
    """Delete a file in the folder `here`, or move a folder from there to `place` and return its new name.

    It may have been exchanged meanwhile. So with `owner` it is moved to `place` first, where nobody else can
    exchange it, and checked there; what belongs to another user stays there unharmed. Raises OSError.
    """
    if owner is None:
        try:
            os.unlink(name, dir_fd=here)
            return []
        except FileNotFoundError:
            return []
        except OSError as error:
            if error.errno not in (errno.EISDIR, errno.EPERM):
                raise
    elif not _is_of(os.stat(name, dir_fd=here, follow_symlinks=False), owner):
        return []
    with contextlib.suppress(OSError):
        _permit(name, here, owner)
    new = f"{prefix}{secrets.token_hex(8)}"
    os.rename(name, new, src_dir_fd=here, dst_dir_fd=place)
    return [new]


def _permit(name: str, inside: int, owner: int | None) -> None:
    """Grant us all permissions on a folder if it belongs to `owner`; without them it can be neither opened
    nor moved. Raises OSError, NotADirectoryError if it is not a folder."""
    if _PATH_ONLY is None:
        os.chmod(name, 0o700, dir_fd=inside, follow_symlinks=False)
        return
    flags = _PATH_ONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
    folder = os.open(name, flags, dir_fd=inside)
    try:
        # Such a descriptor does not support fchmod. This path leads to the open folder, wherever it lies now.
        if _is_of(os.fstat(folder), owner):
            os.chmod(f"/proc/self/fd/{folder}", 0o700)
    except OSError:
        pass  # It may be possible to open it as it is.
    finally:
        os.close(folder)


def _names(
    folder: int, path: str, left: int, end: float, bounds: CopyLimits, left_out: Callable[[str], bool]
) -> list[str]:
    """The names in a folder in order, at most `left` + 1. Raises NotCopiedError, OSError."""

    def wanted() -> Iterator[str]:
        for entry in entries:
            _require_in_time(end, bounds)
            if not left_out(entry.name):
                yield entry.name

    with _reading(path), os.scandir(folder) as entries:
        return sorted(islice(wanted(), left + 1))


def _is_of(status: os.stat_result, owner: int | None) -> bool:
    return owner is None or status.st_uid == owner


def _require_owner(status: os.stat_result, owner: int | None, path: str) -> None:
    if not _is_of(status, owner):
        raise NotCopiedError(NotCopiedReason.OWNER, path)


def _require_in_time(end: float, bounds: CopyLimits) -> None:
    if time.monotonic() > end:
        raise NotCopiedError(NotCopiedReason.SECONDS, detail=f"{bounds.seconds:g}")


@contextlib.contextmanager
def _reading(path: str) -> Iterator[None]:
    """Convert errors of a stranger's file to NotCopiedError; errors of this machine stay OSError."""
    try:
        yield
    except OSError as error:
        if error.errno in OURS:
            raise
        gone = error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EINVAL)
        why = NotCopiedReason.CHANGED if gone else NotCopiedReason.UNREADABLE
        raise NotCopiedError(why, path, error.strerror or "") from None


@contextlib.contextmanager
def _folder(path: Path | str, inside: int | None = None) -> Iterator[int]:
    """A descriptor of a folder in which no stranger can put a link. Raises OSError."""
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=inside)
    try:
        yield opened
    finally:
        os.close(opened)


def _close(opened: int | None) -> None:
    if opened is not None:
        os.close(opened)


def _own(name: str, place: int) -> int:
    made = os.open(name, FOLDER, dir_fd=place)
    os.fchmod(made, 0o755)
    return made


def _exists(name: str, place: int) -> bool:
    try:
        os.stat(name, dir_fd=place, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
