"""Unpacks archives of strangers: zip, tar and tar.gz, into a folder of the user's cache that is named by the
archive's digest, so that the same archive is unpacked once.

An archive may hold files and folders, nothing else, and no more of them than the bounds allow; names lead
nowhere outside, and are told apart on every machine. Where something in one of its folders breaks that, the
folder is named as incomplete, since it may be one author's among many; everything else refuses the archive.
Knows archives; not what a bot is.
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
"""Suffixes of archives that are known, and refused with the way out."""
_PART_BYTES: Final = 255
_PATH_BYTES: Final = 1024
"""The longest name of a file, and of a file with its folders."""
_CHUNK: Final = 64 * 1024


class ArchiveLimits(msgspec.Struct, frozen=True):
    """What archives may take of the machine: `size` bytes of files, and `files` and folders, of all together;
    of each `packed` bytes as it is, and `seconds` of processor; `depth` of folders in folders. `links`:
    whether an archive may be a link to one, which is for those who may read all that we may."""

    packed: int = 256 * MIB
    size: int = 1024 * MIB
    files: int = 50_000
    depth: int = 32
    seconds: float = 60
    links: bool = True


class ArchiveBudget:
    """What the archives of one call have taken so far of what their bounds allow. One that is refused has
    taken nothing, so that nobody's bomb keeps out those who come after."""

    def __init__(self, bounds: ArchiveLimits) -> None:
        self.bounds = bounds
        self._size = self._files = 0
        self._before = (0, 0)

    @contextlib.contextmanager
    def on_one(self) -> Iterator[None]:
        """While an archive is unpacked."""
        self._before = (self._size, self._files)
        try:
            yield
        except BaseException:
            self._size, self._files = self._before
            raise

    def file(self) -> None:
        """One more file or folder. Raises UnpackError."""
        self._files += 1
        if self._files > self.bounds.files:
            raise UnpackError(f"holds more than {self.bounds.files} files and folders{self._together(1)}")

    def written(self, size: int) -> None:
        """So many more bytes. Raises UnpackError."""
        self._size += size
        if self._size > self.bounds.size:
            raise UnpackError(f"unpacks to more than {self.bounds.size / MIB:g} MB{self._together(0)}")

    def _together(self, kind: int) -> str:
        return ", together with the archives before it" if self._before[kind] else ""


class Unpacked(NamedTuple):
    """What is in an archive: the folder that holds it. `incomplete`: the folders in it, as `class/ada`, in
    which something is missing, and why: a predicate of the archive."""

    folder: Path
    incomplete: Mapping[str, str]


def is_archive(path: Path) -> bool:
    """Whether a path names an archive by its suffix, of a kind that is unpacked or of one that is refused."""
    return path.name.lower().endswith((*PACKED, *REFUSED))


def stem_of(path: Path) -> str:
    """The name of an archive without its suffix."""
    found = (suffix for suffix in (*PACKED, *REFUSED) if path.name.lower().endswith(suffix))
    return path.name[: -len(max(found, key=len, default="")) or None]


def unpacked(archive: Path, spent: ArchiveBudget, reader: Reader, below: Path | None = None) -> Unpacked:
    """What is in the archive, in a folder of `below`, None for the user's cache. Raises UnpackError, which
    leaves nothing behind; UserError for a cache that cannot be written."""
    below = cache().with_name("unpacked") if below is None else below
    try:
        below.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A copy, so that nobody can change the archive while it is read.
        opened = tempfile.TemporaryFile(dir=below)  # noqa: SIM115
    except OSError as error:
        raise UserError(f"{below}: {error.strerror}; XDG_CACHE_HOME may name another place") from None
    with opened as copy:
        digest = _copied(archive, copy, spent.bounds)
        note = below / f"{digest}.incomplete.json"

        def make(folder: Path) -> None:
            folder.chmod(0o755)
            with spent.on_one():
                if incomplete := _unpack(copy, folder, spent, reader):
                    # Before the folder has its name, so that nobody sees it without this.
                    write_whole(note, msgspec.json.encode(incomplete))

        folder = made_once(below / digest, make)
        return Unpacked(folder, msgspec.json.decode(note.read_bytes()) if note.exists() else {})


def _copied(archive: Path, copy: BinaryIO, bounds: ArchiveLimits) -> str:
    """Copies the archive, and returns the SHA-256 of its bytes. Raises UnpackError."""
    summed = hashlib.sha256()
    try:
        # Looked at before it is opened, since opening some devices has effects.
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
        raise UnpackError(f"is no file but {KINDS.get(stat.S_IFMT(found.st_mode), 'something else')}")


def _unpack(archive: BinaryIO, folder: Path, spent: ArchiveBudget, reader: Reader) -> dict[str, str]:
    """Puts what is in an open archive into an empty folder. The folders that are incomplete, and why. Raises
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
    """What is said of an archive, and what is in each of its files. Raises UnpackError, ReadError."""
    for piece in answer:
        entry = _told(piece)
        content = iter(()) if entry.is_folder or entry.wrong else _content(answer)
        yield entry, content
        for _ in content:  # Of a file that was not unpacked.
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
    """The folders that are incomplete, and why. Raises UnpackError and what the entries raise."""
    seen: dict[str, tuple[str, bool]] = {}
    """The key of every path to its spelling, and whether it is a folder."""
    incomplete: dict[str, str] = {}
    for entry, content in entries:
        spent.file()
        parts = _parts(entry.name.decode("utf-8", "surrogateescape"))
        if not parts and not entry.is_folder:
            raise UnpackError(entry.wrong or f"holds a file without a name; {WAY_OUT}")
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
    """Why a path cannot be where an entry `before` was; "" if it can."""
    if before is None or (before == (name, True) and is_folder):
        return ""
    if before[0] != name:
        return f"holds {before[0]!r} and {name!r}, one file on some machines; rename one"
    return f"holds {name!r} twice; {WAY_OUT}"


def _put(content: Iterator[bytes], path: Path, mode: int, spent: ArchiveBudget) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_WAITING, mode), "wb") as file:
        os.fchmod(file.fileno(), mode)
        for piece in content:
            spent.written(len(piece))
            file.write(piece)


def _parts(name: str) -> list[str]:
    """The folders and the file of a path in an archive; none for the folder of the archive itself. Raises
    UnpackError."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or re.match("[A-Za-z]:", name) or ".." in parts:
        shown = repr(caption(in_utf8(name), 60))
        raise UnpackError(f"holds {shown}, which leads out of it; {WAY_OUT}, from inside its folder")
    return parts


def _misnamed(parts: Sequence[str], depth: int) -> str:
    """Why the last of these folders cannot be made, or the file in them; "" if it can."""
    name = "/".join(parts)
    if in_utf8(name) != name or not is_pasteable(parts[-1]):
        return f"holds {caption(in_utf8(name), 60)!r}, a name that cannot be pasted; rename it"
    if len(parts[-1].encode()) > _PART_BYTES or len(name.encode()) > _PATH_BYTES:
        return f"holds {caption(name, 60)!r} …, whose name is too long; rename it"
    return f"nests folders deeper than {depth}" if len(parts) > depth else ""


def _key(name: str) -> str:
    """Of two names that are one on a file system that knows neither case nor forms of Unicode."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
