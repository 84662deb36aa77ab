"""Unpacks archives of strangers: zip, tar and tar.gz, into a folder of the user's cache that is named by the
archive's digest, so that the same archive is unpacked once.

An archive may hold files and folders, nothing else, and no more of them than the bounds allow; names lead
nowhere outside, and are told apart on every machine. Where something in one of its folders breaks that, the
folder is named as incomplete, since it may be one author's among many; everything else refuses the archive.
Knows archives; not what a bot is.
"""

import contextlib
import gzip
import hashlib
import lzma
import mmap
import os
import re
import stat
import struct
import tarfile
import tempfile
import time
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, cast

import msgspec

from arena.entrants.build import cache, made_once
from arena.entrants.names import is_pasteable
from arena.system.errors import UserError
from arena.system.files import write_whole
from arena.system.foreign import KINDS, NO_WAITING
from arena.system.machine import MIB
from arena.system.text import caption, in_utf8

PACKED: Final = (".zip", ".tar", ".tar.gz", ".tgz")
"""Suffixes of the archives that can be unpacked."""
REFUSED: Final = (".7z", ".rar", ".tar.bz2", ".tar.xz", ".tar.zst", ".tbz2", ".txz")
"""Suffixes of archives that are known, and refused with the way out."""
WAY_OUT: Final = "pack it again as .zip or .tar.gz"

_PART_BYTES: Final = 255
_PATH_BYTES: Final = 1024
"""The longest name of a file, and of a file with its folders."""
_CHUNK: Final = 64 * 1024
_HEADER: Final = MIB
"""Bytes of what a tar says of one file. Python takes a minute for one that fills an archive."""
_ENCRYPTED: Final = 1
"""The bit of a zip entry's flags that says so."""
_IN_UTF8: Final = 0x800
"""The bit that says that its name is UTF-8."""
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_ENTRY: Final = re.compile(b"PK\x01\x02")
"""How an entry of a zip's table of contents begins."""
_GZIP: Final = b"\x1f\x8b"
_FOREIGN: Final = {b"7z\xbc\xaf": "7z", b"Rar!": "rar", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
"""First bytes of other archives, to their names."""
_BROKEN: Final = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zlib.error,
    struct.error,
    EOFError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""What Python's modules raise for an archive that is damaged, or made to do damage."""


class UnpackError(Exception):
    """An archive cannot be unpacked, for the reason that the text gives as a predicate of it."""


class Bounds(msgspec.Struct, frozen=True):
    """What archives may take of the machine: `size` bytes of files, and `files` and folders, of all together;
    of each `packed` bytes as it is, and `seconds`; `depth` of folders in folders. `links`: whether an archive
    may be a link to one, which is for those who may read all that we may."""

    packed: int = 256 * MIB
    size: int = 1024 * MIB
    files: int = 50_000
    depth: int = 32
    seconds: float = 60
    links: bool = True


class Spent:
    """What the archives of one call have taken so far of what their bounds allow. One that is refused has
    taken nothing, so that nobody's bomb keeps out those who come after."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._size = self._files = 0
        self._before = (0, 0)
        self._end = 0.0

    @contextlib.contextmanager
    def on_one(self) -> Iterator[None]:
        """While an archive is unpacked."""
        self._before = (self._size, self._files)
        self._end = time.monotonic() + self.bounds.seconds
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
        self._in_time()

    def written(self, size: int) -> None:
        """So many more bytes. Raises UnpackError."""
        self._size += size
        if self._size > self.bounds.size:
            raise UnpackError(f"unpacks to more than {self.bounds.size / MIB:g} MB{self._together(0)}")
        self._in_time()

    def _together(self, kind: int) -> str:
        return ", together with the archives before it" if self._before[kind] else ""

    def _in_time(self) -> None:
        if time.monotonic() > self._end:
            raise UnpackError(f"takes more than {self.bounds.seconds:g} s to unpack")


class _Watched:
    """An open archive that is read within its time, and in pieces of a size that a header or a chunk has:
    Python's modules read some headers at once, however large, and others one after the other without end."""

    def __init__(self, file: BinaryIO, spent: Spent) -> None:
        self._file, self._spent = file, spent
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        """As that of a file. Raises UnpackError."""
        self._spent.written(0)
        if size > _HEADER:
            raise UnpackError(f"holds a header of more than {_HEADER // MIB} MB; {WAY_OUT}")
        return self._file.read(size)


class Unpacked(NamedTuple):
    """What is in an archive: the folder that holds it. `incomplete`: the folders in it, as `class/ada`, in
    which something is missing, and why: a predicate of the archive."""

    folder: Path
    incomplete: Mapping[str, str]


class _Entry(NamedTuple):
    """A file or a folder of an archive. `opened` is None for a folder. `wrong`: why it cannot be unpacked, as
    a predicate of the archive."""

    name: str
    executable: bool = False
    opened: BinaryIO | None = None
    wrong: str = ""


def is_archive(path: Path) -> bool:
    """Whether a path names an archive by its suffix, of a kind that is unpacked or of one that is refused."""
    return path.name.lower().endswith((*PACKED, *REFUSED))


def stem_of(path: Path) -> str:
    """The name of an archive without its suffix."""
    found = (suffix for suffix in (*PACKED, *REFUSED) if path.name.lower().endswith(suffix))
    return path.name[: -len(max(found, key=len, default="")) or None]


def unpacked(archive: Path, spent: Spent, below: Path | None = None) -> Unpacked:
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
            try:
                with spent.on_one():
                    if incomplete := _unpack(copy, folder, spent):
                        # Before the folder has its name, so that nobody sees it without this.
                        write_whole(note, msgspec.json.encode(incomplete))
            except _BROKEN as error:
                why = caption(str(error)) or type(error).__name__
                raise UnpackError(f"is damaged ({why}); {WAY_OUT}") from None

        folder = made_once(below / digest, make)
        return Unpacked(folder, msgspec.json.decode(note.read_bytes()) if note.exists() else {})


def _copied(archive: Path, copy: BinaryIO, bounds: Bounds) -> str:
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


def _unpack(archive: BinaryIO, folder: Path, spent: Spent) -> dict[str, str]:
    """Puts what is in an open archive into an empty folder. The folders that are incomplete, and why. Raises
    UnpackError and what _BROKEN lists."""
    beginning = archive.read(512)
    archive.seek(0)
    if beginning.startswith(_ZIP):
        return _put_all(_of_zip(archive, spent), folder, spent)
    if beginning.startswith(_GZIP):
        with (
            tempfile.TemporaryFile(dir=folder) as plain,
            gzip.GzipFile(fileobj=_Watched(archive, spent), mode="rb") as packed,
        ):
            size = 0
            while chunk := packed.read(_CHUNK):
                # Beside the files a tar holds a header of some blocks for each.
                if (size := size + len(chunk)) > spent.bounds.size + 4 * 512 * spent.bounds.files:
                    raise UnpackError(f"unpacks to more than {spent.bounds.size / MIB:g} MB")
                spent.written(0)
                plain.write(chunk)
            plain.seek(0)
            return _put_all(_of_tar(plain, spent), folder, spent)
    if kind := next((kind for first, kind in _FOREIGN.items() if beginning.startswith(first)), None):
        raise UnpackError(f"is a {kind} archive; {WAY_OUT}")
    return _put_all(_of_tar(archive, spent), folder, spent)


def _of_zip(file: BinaryIO, spent: Spent) -> Iterator[_Entry]:
    if os.fstat(file.fileno()).st_size:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            # Before Python makes an object of each entry.
            for at, _ in enumerate(_ENTRY.finditer(mapped)):
                if at > spent.bounds.files:
                    raise UnpackError(f"holds more than {spent.bounds.files} files and folders")
    with zipfile.ZipFile(file) as archive:
        if sum(info.file_size for info in archive.infolist()) > spent.bounds.size:  # If it does not lie.
            raise UnpackError(f"unpacks to more than {spent.bounds.size / MIB:g} MB")
        for info in archive.infolist():
            # Some programs for Windows write the wrong slash.
            name = _spelt(info).replace("\\", "/")
            shown = caption(name)
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                what = KINDS.get(kind, "something unknown")
                yield _Entry(name, wrong=f"holds {what}, {shown}; {_ONLY_FILES}")
            elif info.flag_bits & _ENCRYPTED:
                yield _Entry(name, wrong=f"is encrypted ({shown}); pack it again without a password")
            elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                yield _Entry(name, wrong=f"holds {shown}, packed by method {info.compress_type}; {WAY_OUT}")
            elif name.endswith("/") or kind == stat.S_IFDIR:
                yield _Entry(name)
            else:
                with archive.open(info) as opened:
                    yield _Entry(name, bool(info.external_attr >> 16 & 0o100), opened)  # type: ignore[arg-type]


def _spelt(info: zipfile.ZipInfo) -> str:
    """The name of an entry. macOS and others write UTF-8 without saying so, which Python takes for the
    letters of old PCs."""
    name = info.orig_filename
    if info.flag_bits & _IN_UTF8:
        return name
    try:
        return name.encode("cp437").decode()
    except UnicodeError:
        return name


def _of_tar(file: BinaryIO, spent: Spent) -> Iterator[_Entry]:
    with tarfile.open(fileobj=cast(BinaryIO, _Watched(file, spent)), mode="r:", errorlevel=2) as archive:
        for info in archive:
            shown = caption(in_utf8(info.name))
            if info.issparse():
                yield _Entry(info.name, wrong=f"holds {shown}, a sparse file; {WAY_OUT}, without holes")
            elif not (info.isreg() or info.isdir()):
                kind = _TAR_KINDS.get(info.type, "something unknown")
                yield _Entry(info.name, wrong=f"holds {kind}, {shown}; {_ONLY_FILES}")
            else:
                opened = archive.extractfile(info) if info.isreg() else None
                yield _Entry(info.name, bool(info.mode & 0o100), opened)  # type: ignore[arg-type]
        # Python takes a damaged header behind the first for the end.
        file.seek(archive.offset)
        if file.read(512).strip(b"\0"):
            raise tarfile.ReadError(f"no header at byte {archive.offset}")


_ONLY_FILES: Final = "an archive may hold files and folders only"
_TAR_KINDS: Final = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
}


def _put_all(entries: Iterator[_Entry], folder: Path, spent: Spent) -> dict[str, str]:
    """The folders that are incomplete, and why. Raises UnpackError and what the entries raise."""
    seen: dict[str, tuple[str, bool]] = {}
    """The key of every path to its spelling, and whether it is a folder."""
    incomplete: dict[str, str] = {}
    for entry in entries:
        spent.file()
        parts = _parts(entry.name)
        if not parts and (entry.opened is not None or entry.wrong):
            raise UnpackError(entry.wrong or f"holds a file without a name; {WAY_OUT}")
        for end in range(1, len(parts) + 1):
            name = "/".join(parts[:end])
            is_folder = end < len(parts) or (entry.opened is None and not entry.wrong)
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
            if entry.opened is not None:
                _put(entry.opened, folder / name, 0o755 if entry.executable else 0o644, spent)
    return incomplete


def _taken(name: str, is_folder: bool, before: tuple[str, bool] | None) -> str:
    """Why a path cannot be where an entry `before` was; "" if it can."""
    if before is None or (before == (name, True) and is_folder):
        return ""
    if before[0] != name:
        return f"holds {before[0]!r} and {name!r}, one file on some machines; rename one"
    return f"holds {name!r} twice; {WAY_OUT}"


def _put(opened: BinaryIO, path: Path, mode: int, spent: Spent) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_WAITING, mode), "wb") as file:
        os.fchmod(file.fileno(), mode)
        while chunk := opened.read(_CHUNK):
            spent.written(len(chunk))
            file.write(chunk)


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
