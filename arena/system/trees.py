"""Copies, looks through and deletes folders of strangers, who may change them at the same moment.

Each level is opened from the one above, by descriptor and without following a link, and what was opened is
looked at again: whatever changes places meanwhile, nothing outside of the folder is read, changed or deleted.
Only a copy is fit to be checked and used. Knows nothing of what is in the files.
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
"""How often a folder is emptied into which somebody puts more meanwhile."""
PREFIX_LENGTH: Final = 64
FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | NO_WAITING
OURS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""What a machine has run out of, where a stranger's file cannot be opened; any other error is the file's."""
_PATH_ONLY: Final = getattr(os, "O_PATH", None)
"""Linux: a descriptor of a folder that we may not read."""


class CopyLimits(NamedTuple):
    """What may be copied: bytes of files; files, folders and links; depth of folders in folders; and how many
    seconds that may take."""

    size: int
    files: int
    depth: int
    seconds: float


class NotCopiedReason(Enum):
    """Why something is not copied."""

    SIZE = auto()
    FILES = auto()
    DEPTH = auto()
    SECONDS = auto()
    KIND = auto()
    """It is neither a file nor a folder; nor a link, where these may be copied."""
    LINKED = auto()
    """A hard link: the file has another name, maybe in a folder that its author cannot read."""
    OWNER = auto()
    """It belongs to somebody else than who may have put it there."""
    UNREADABLE = auto()
    CHANGED = auto()
    """It was replaced or deleted after it was looked at."""


class NotCopiedError(Exception):
    """Something is not copied. `path` is seen from the folder that was to be copied, "" for that itself;
    `detail` is what it is instead, or what the system says, or the bound."""

    def __init__(self, why: NotCopiedReason, path: str = "", detail: str = "") -> None:
        super().__init__(f"{path or 'it'}: {why.name.lower()} {detail}".rstrip())
        self.why, self.path, self.detail = why, path, detail


class TreeItem(NamedTuple):
    """A file or folder. `inside` is the descriptor of the folder in which it lies, open until the next one is
    found; `path` is seen from the top and `depth` counts from there; `status` is its own, not that of what it
    leads to."""

    inside: int | None
    name: str
    path: str
    depth: int
    status: os.stat_result

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, and no link to one."""
        return stat.S_ISDIR(self.status.st_mode)


def none(name: str) -> bool:
    """Leaves out nothing."""
    return False


def walk(
    top: Path | str,
    bounds: CopyLimits,
    inside: int | None = None,
    left_out: Callable[[str], bool] = none,
    owner: int | None = None,
) -> Iterator[TreeItem]:
    """What lies at `top`, with the path "" and the depth 0, and everything below it, by name, a folder before
    what is in it; but for the names below, at any level, that are `left_out`. `top` is seen from the folder
    with the descriptor `inside`, None for the current one. `owner`: the user to whom all has to belong.
    Raises NotCopiedError; OSError where this machine has run out of something."""
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
                found = TreeItem(
                    inside, name, path, depth, os.stat(name, dir_fd=inside, follow_symlinks=False)
                )
            _require_owner(found.status, owner, path)
            yield found
            if found.is_folder:
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
    """Copies a file or a folder to `target`, where nothing may be but an empty folder, and which no stranger
    may reach. `source` is itself no link, and is seen from the folder with the descriptor `inside`, None for
    the current one. Files are read as they are by then, within the bounds also where they grow meanwhile;
    what anybody may execute all may execute, what nobody may nobody. Symbolic links are
    copied and not followed. `linked`: whether files may have other names; `times`: whether the copies' times
    are those of the files; `owner`: the user to whom all has to belong. Raises
    NotCopiedError, which leaves a part of the copy; OSError where `target` cannot be written."""
    made = _Copy(bounds, owner, linked=linked, times=times)
    with _folder(target.parent) as place:
        levels = [place]
        try:
            for found in walk(source, bounds, inside, left_out, owner):
                while len(levels) > found.depth + 1:
                    os.close(levels.pop())
                name = found.name if found.depth else target.name
                if not found.is_folder:
                    made.add(found, name, levels[-1])
                    continue
                with contextlib.ExitStack() as may_be_there:
                    if not found.depth:
                        may_be_there.enter_context(contextlib.suppress(FileExistsError))
                    os.mkdir(name, dir_fd=levels[-1])
                levels.append(_own(name, levels[-1]))
        finally:
            for opened in levels[1:]:
                os.close(opened)


class _Copy:
    """What is copied of files and links, in all within the bounds."""

    def __init__(self, bounds: CopyLimits, owner: int | None, *, linked: bool, times: bool) -> None:
        self._bounds, self._owner = bounds, owner
        self._linked, self._times = linked, times
        self._left = bounds.size
        self._end = time.monotonic() + bounds.seconds

    def add(self, found: TreeItem, name: str, place: int) -> None:
        """Copies a file or link to the new `name` in the folder `place`. Raises NotCopiedError, OSError."""
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


def remove_folder(
    folder: Path | str,
    inside: int | None = None,
    seconds: float = REMOVING_SECONDS,
    owner: int | None = None,
) -> bool:
    """Deletes a folder that strangers have filled, and may still be filling, as far as that can be done in so
    many seconds; whether nothing is there. `folder` is seen from the folder with the descriptor `inside`, if
    that is given. Folders in it may have no permissions, and may lie deeper than a path can name or we may
    open descriptors: so each is moved up beside `folder` before it is emptied. What was moved and could not
    be deleted in time stays there; its name begins as that of `folder`. With `owner`, what belongs to any
    other user stays as it is: a stranger may have moved something there that they could not have read. Nobody
    else may write into the folder in which `folder` lies then."""
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
    """Deletes what lies at `name` in the folder `place`; the folders in it are moved into `place`. Their new
    names. Raises OSError."""
    moved: list[str] = []
    try:
        _permit(name, place, owner)
        here = os.open(name, FOLDER, dir_fd=place)
    except OSError as error:
        # A file, or a link, on some systems.
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
    """Deletes a file in the folder `here`, or moves a folder from there to `place`; its new name there. It
    may be something else by now: with `owner` it is moved to `place` first, where nobody else can exchange
    it, and looked at there. What turns out to be another user's stays there unharmed. Raises OSError."""
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
    """Gives us all rights to a folder, if it is that of `owner`; without them it can be neither opened nor
    moved. Raises OSError, NotADirectoryError for what is no folder."""
    if _PATH_ONLY is None:
        os.chmod(name, 0o700, dir_fd=inside, follow_symlinks=False)
        return
    flags = _PATH_ONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
    folder = os.open(name, flags, dir_fd=inside)
    try:
        # A descriptor of this kind has no fchmod. The name leads to what is open, wherever that lies by now.
        if _is_of(os.fstat(folder), owner):
            os.chmod(f"/proc/self/fd/{folder}", 0o700)
    except OSError:
        pass  # Maybe it can be opened as it is.
    finally:
        os.close(folder)


def _names(
    folder: int, path: str, left: int, end: float, bounds: CopyLimits, left_out: Callable[[str], bool]
) -> list[str]:
    """The names in a folder in order, one more than are `left` at most. Raises NotCopiedError, OSError."""

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
    """Around what is done with a stranger's file. Raises NotCopiedError, OSError."""
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
    """A folder in which no stranger can put a link. Raises OSError."""
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=inside)
    try:
        yield opened
    finally:
        os.close(opened)


def _close(opened: int | None) -> None:
    if opened is not None:
        os.close(opened)


def _own(name: str, place: int) -> int:
    """The descriptor of a folder that was just made. Raises OSError."""
    made = os.open(name, FOLDER, dir_fd=place)
    os.fchmod(made, 0o755)
    return made


def _exists(name: str, place: int) -> bool:
    try:
        os.stat(name, dir_fd=place, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
