"""Unpacks archives from strangers (zip, tar and tar.gz) into a folder of the user's cache that is named by
the archive's digest, so that the same archive is unpacked once.

An archive may contain only files and folders, within limits; their names must stay inside it and be distinct
on every file system. If something in a folder violates that, the folder is reported as incomplete, since it
may belong to one author of many; otherwise the archive is refused. Knows archives; not what a bot is.
"""

import contextlib
import hashlib
import os
import re
import stat
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec

from arena.entrants.archive import CONTENT, WAY_OUT, ArchiveBounds, ArchiveItem, ArchiveRefused, UnpackError
from arena.entrants.build import cache, made_once
from arena.entrants.names import is_pasteable
from arena.process.reader import Reader, ReaderLimits, ReadError
from arena.system.errors import UserError
from arena.system.files import write_whole
from arena.system.foreign import KINDS, NO_WAITING
from arena.system.machine import MIB
from arena.system.text import caption, in_utf8

PACKED: Final = (".zip", ".tar", ".tar.gz", ".tgz")
"""Suffixes of the archives that can be unpacked."""
REFUSED: Final = (".7z", ".rar", ".tar.bz2", ".tar.xz", ".tar.zst", ".tbz2", ".txz")
"""Suffixes of archives that are refused with advice."""
_PART_BYTES: Final = 255
_PATH_BYTES: Final = 1024
"""The maximum length of a file's name, and of its path."""
_CHUNK: Final = 64 * 1024


class ArchiveLimits(msgspec.Struct, frozen=True):
    """Limits on unpacking, in bytes, numbers and seconds of CPU time."""

    packed: int = 256 * MIB
    """Of each archive."""
    size: int = 1024 * MIB
    """Of the files of all archives of a call."""
    files: int = 50_000
    """The number of files and folders in all archives of a call."""
    depth: int = 32
    """Levels of nested folders."""
    seconds: float = 60
    """For each archive."""
    links: bool = True
    """Whether an archive may be a symbolic link: only if the user may read everything that we may."""


class ArchiveBudget:
    """What the archives of one call have used so far of their limits. A refused archive does not count, so
    that an archive bomb does not affect those after it."""

    def __init__(self, bounds: ArchiveLimits) -> None:
        self.bounds = bounds
        self._size = self._files = 0
        self._before = (0, 0)

    @contextlib.contextmanager
    def on_one(self) -> Iterator[None]:
        """Unpack one archive in this context; an exception undoes what it has used."""
        self._before = (self._size, self._files)
        try:
            yield
        except BaseException:
            self._size, self._files = self._before
            raise

    def file(self) -> None:
        """Count one more file or folder. Raises UnpackError."""
        self._files += 1
        if self._files > self.bounds.files:
            raise UnpackError(f"contains more than {self.bounds.files} files and folders{self._together(1)}")

    def written(self, size: int) -> None:
        """Count `size` more bytes. Raises UnpackError."""
        self._size += size
        if self._size > self.bounds.size:
            raise UnpackError(f"unpacks to more than {self.bounds.size / MIB:g} MB{self._together(0)}")

    def _together(self, kind: int) -> str:
        return ", together with the archives before it" if self._before[kind] else ""


class Unpacked(NamedTuple):
    """An unpacked archive in `folder`. `incomplete`: its incomplete folders, such as `class/ada`, with the
    reason, as a predicate of the archive."""

    folder: Path
    incomplete: Mapping[str, str]


def is_archive(path: Path) -> bool:
    """Whether a path has the suffix of an archive, PACKED or REFUSED."""
    return path.name.lower().endswith((*PACKED, *REFUSED))


def stem_of(path: Path) -> str:
    """The name of an archive without its suffix."""
    found = (suffix for suffix in (*PACKED, *REFUSED) if path.name.lower().endswith(suffix))
    return path.name[: -len(max(found, key=len, default="")) or None]


def unpacked(archive: Path, spent: ArchiveBudget, reader: Reader, below: Path | None = None) -> Unpacked:
    """Unpack an archive into a folder below `below` (None: the user's cache). Raises UnpackError, which
    leaves nothing behind; UserError if the cache cannot be written."""
    below = cache().with_name("unpacked") if below is None else below
    try:
        below.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A copy, so that the archive cannot change while it is read.
        opened = tempfile.TemporaryFile(dir=below)  # noqa: SIM115
    except OSError as error:
        raise UserError(f"{below}: {error.strerror}; set XDG_CACHE_HOME to a different place") from None
    with opened as copy:
        digest = _copied(archive, copy, spent.bounds)
        note = below / f"{digest}.incomplete.json"

        def make(folder: Path) -> None:
            folder.chmod(0o755)
            with spent.on_one():
                if incomplete := _unpack(copy, folder, spent, reader):
                    # Before the folder gets its name, so that it never exists without this file.
                    write_whole(note, msgspec.json.encode(incomplete))

        folder = made_once(below / digest, make)
        return Unpacked(folder, msgspec.json.decode(note.read_bytes()) if note.exists() else {})


def _copied(archive: Path, copy: BinaryIO, bounds: ArchiveLimits) -> str:
    """Copy the archive; the SHA-256 of its bytes. Raises UnpackError."""
    summed = hashlib.sha256()
    try:
        # Checked before it is opened, since opening some devices has side effects.
        _require_file(os.stat(archive, follow_symlinks=bounds.links))
        flags = os.O_RDONLY | (NO_WAITING & ~os.O_NOFOLLOW if bounds.links else NO_WAITING)
        with open(os.open(archive, flags), "rb") as file:
            _require_file(os.fstat(file.fileno()))
            while chunk := file.read(_CHUNK):
                summed.update(chunk)
                copy.write(chunk)
                if copy.tell() > bounds.packed:
                    raise UnpackError(f"is larger than {bounds.packed / MIB:g} MB")
    except OSError as error:
        raise UnpackError(f"cannot be read: {error.strerror}") from None
    copy.seek(0)
    return summed.hexdigest()


def _require_file(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise UnpackError(f"is not a file but {KINDS.get(stat.S_IFMT(found.st_mode), 'something else')}")


def _unpack(archive: BinaryIO, folder: Path, spent: ArchiveBudget, reader: Reader) -> dict[str, str]:
    """Unpack an open archive into an empty folder; its incomplete folders, with the reason. Raises
    UnpackError."""
    most = ArchiveBounds(spent.bounds.size, spent.bounds.files)
    limits = ReaderLimits(spent.bounds.seconds, written=most.packed + MIB)
    with tempfile.TemporaryFile(dir=folder) as plain:
        files = (archive.fileno(), plain.fileno())
        try:
            with reader.reading(msgspec.json.encode(most), files, limits) as answer:
                return _put_all(_entries(answer), folder, spent)
        except (ReadError, msgspec.DecodeError) as error:
            raise UnpackError(str(error)) from None


def _entries(answer: Iterator[bytes]) -> Iterator[tuple[ArchiveItem, Iterator[bytes]]]:
    """The items of an archive, each with the content of its file. Raises UnpackError, ReadError."""
    for piece in answer:
        entry = _told(piece)
        content = iter(()) if entry.is_folder or entry.wrong else _content(answer)
        yield entry, content
        for _ in content:  # Skip a file that was not unpacked.
            pass


def _content(answer: Iterator[bytes]) -> Iterator[bytes]:
    """Raises UnpackError, ReadError."""
    for piece in answer:
        if not piece:
            return
        if not piece.startswith(CONTENT):
            _told(piece)
        yield piece[len(CONTENT) :]


def _told(piece: bytes) -> ArchiveItem:
    """Raises UnpackError."""
    said = msgspec.json.decode(piece, type=ArchiveItem | ArchiveRefused)
    if isinstance(said, ArchiveRefused):
        raise UnpackError(said.why)
    return said


def _put_all(
    entries: Iterator[tuple[ArchiveItem, Iterator[bytes]]], folder: Path, spent: ArchiveBudget
) -> dict[str, str]:
    """Unpack the entries; the incomplete folders, with the reason. Raises UnpackError, as do the entries."""
    seen: dict[str, tuple[str, bool]] = {}
    """By the key of a path, its spelling and whether it is a folder."""
    incomplete: dict[str, str] = {}
    for entry, content in entries:
        spent.file()
        parts = _parts(entry.name.decode("utf-8", "surrogateescape"))
        if not parts and not entry.is_folder:
            raise UnpackError(entry.wrong or f"contains a file without a name; {WAY_OUT}")
        for end in range(1, len(parts) + 1):
            name = "/".join(parts[:end])
            is_folder = end < len(parts) or entry.is_folder
            before = seen.get(_key(name))
            wrong = _misnamed(parts[:end], spent.bounds.depth) or _taken(name, is_folder, before)
            if not is_folder:
                wrong = entry.wrong or wrong
            if wrong:
                if end == 1:
                    raise UnpackError(wrong)
                incomplete.setdefault("/".join(parts[: end - 1]), wrong)
                break
            if before is None:
                seen[_key(name)] = name, is_folder
                if end < len(parts):
                    spent.file()
                if is_folder:
                    (folder / name).mkdir(mode=0o755)
                    (folder / name).chmod(0o755)
        else:
            if not entry.is_folder:
                _put(content, folder / name, 0o755 if entry.executable else 0o644, spent)
    return incomplete


def _taken(name: str, is_folder: bool, before: tuple[str, bool] | None) -> str:
    """Why a path collides with an entry `before`; "" if it does not."""
    if before is None or (before == (name, True) and is_folder):
        return ""
    if before[0] != name:
        return f"contains {before[0]!r} and {name!r}, which are the same file on some machines; rename one"
    return f"contains {name!r} twice; {WAY_OUT}"


def _put(content: Iterator[bytes], path: Path, mode: int, spent: ArchiveBudget) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_WAITING, mode), "wb") as file:
        os.fchmod(file.fileno(), mode)
        for piece in content:
            spent.written(len(piece))
            file.write(piece)


def _parts(name: str) -> list[str]:
    """The folders and the file of a path in an archive; none for its top folder. Raises UnpackError."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or re.match("[A-Za-z]:", name) or ".." in parts:
        shown = repr(caption(in_utf8(name), 60))
        raise UnpackError(f"contains {shown}, which points outside it; {WAY_OUT}, from inside its folder")
    return parts


def _misnamed(parts: Sequence[str], depth: int) -> str:
    """Why the last part cannot be created, which is a folder or file in the others; "" if it can."""
    name = "/".join(parts)
    if in_utf8(name) != name or not is_pasteable(parts[-1]):
        return f"contains {caption(in_utf8(name), 60)!r}, a name that cannot be copied and pasted; rename it"
    if len(parts[-1].encode()) > _PART_BYTES or len(name.encode()) > _PATH_BYTES:
        return f"contains {caption(name, 60)!r} …, whose name is too long; rename it"
    return f"nests folders deeper than {depth}" if len(parts) > depth else ""


def _key(name: str) -> str:
    """Equal for names that are the same on a file system that ignores case and Unicode normalization."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
