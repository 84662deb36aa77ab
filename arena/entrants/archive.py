"""What is in an archive, zip, tar or tar.gz, entry by entry. Runs in a process of its own (reading.py), since
Python's modules take minutes or gigabytes for archives that were made for that.

Knows archives, and what of them is readable; not where anything is put.
"""

import gzip
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final, NamedTuple

import msgspec

from arena.system.foreign import KINDS
from arena.system.machine import MIB
from arena.system.text import caption, in_utf8

WAY_OUT: Final = "pack it again as .zip or .tar.gz"
CONTENT: Final = b"\0"
"""How a piece of a file begins."""
_CHUNK: Final = 64 * 1024
_NAME_LIMIT: Final = 4096
"""Bytes of a name that are told. What is longer can be no file's name."""
_ENCRYPTED: Final = 1
"""The bit of a zip entry's flags that says so."""
_IN_UTF8: Final = 0x800
"""The bit that says that its name is UTF-8."""
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP: Final = b"\x1f\x8b"
_FOREIGN: Final = {b"7z\xbc\xaf": "7z", b"Rar!": "rar", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
"""First bytes of other archives, to their names."""
_ONLY_FILES: Final = "an archive may hold files and folders only"
_TAR_KINDS: Final = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
}


class UnpackError(Exception):
    """An archive cannot be unpacked, for the reason that the text gives as a predicate of it."""


class ArchiveBounds(msgspec.Struct, frozen=True, tag=True):
    """The bytes of files, and the files and folders, that an archive may hold."""

    size: int
    files: int

    @property
    def packed(self) -> int:
        """The bytes that it may have once it is no longer compressed: beside the files a tar holds a header
        of some blocks for each."""
        return self.size + 4 * 512 * self.files


class ArchiveItem(msgspec.Struct, frozen=True, tag=True):
    """A file or a folder of an archive. The pieces of a file follow, each behind CONTENT, then an empty one.
    `wrong`: why it cannot be unpacked, as a predicate of the archive."""

    name: bytes
    executable: bool = False
    is_folder: bool = False
    wrong: str = ""


class ArchiveRefused(msgspec.Struct, frozen=True, tag=True):
    """Why the archive cannot be unpacked, as a predicate of it."""

    why: str


class _Entry(NamedTuple):
    """`opened` is None for a folder."""

    name: str
    executable: bool = False
    opened: BinaryIO | None = None
    wrong: str = ""


def tell(archive: BinaryIO, plain: BinaryIO, most: ArchiveBounds, say: Callable[[bytes], None]) -> None:
    """Says everything that is in an open archive. `plain` is an empty file for an archive that is no longer
    compressed."""
    try:
        for entry in _entries(archive, plain, most):
            name = entry.name.encode("utf-8", "surrogateescape")[:_NAME_LIMIT]
            is_file = entry.opened is not None
            say(
                msgspec.json.encode(
                    ArchiveItem(name, entry.executable, not is_file and not entry.wrong, entry.wrong)
                )
            )
            if entry.opened is not None:
                while chunk := entry.opened.read(_CHUNK):
                    say(CONTENT + chunk)
                say(b"")
    except UnpackError as error:
        say(msgspec.json.encode(ArchiveRefused(str(error))))
    except MemoryError:
        raise
    except Exception as error:  # Whatever Python's modules make of what was made to do damage.
        why = caption(in_utf8(str(error))) or type(error).__name__
        say(msgspec.json.encode(ArchiveRefused(f"is damaged ({why}); {WAY_OUT}")))


def _entries(archive: BinaryIO, plain: BinaryIO, most: ArchiveBounds) -> Iterator[_Entry]:
    """Raises UnpackError, and what Python's modules raise for an archive that is damaged."""
    beginning = archive.read(512)
    archive.seek(0)
    if beginning.startswith(_ZIP):
        return _of_zip(archive, most)
    if beginning.startswith(_GZIP):
        with gzip.GzipFile(fileobj=archive, mode="rb") as packed:
            while chunk := packed.read(_CHUNK):
                plain.write(chunk)
                if plain.tell() > most.packed:
                    raise UnpackError(f"unpacks to more than {most.size / MIB:g} MB")
        plain.seek(0)
        return _of_tar(plain)
    if kind := next((kind for first, kind in _FOREIGN.items() if beginning.startswith(first)), None):
        raise UnpackError(f"is a {kind} archive; {WAY_OUT}")
    return _of_tar(archive)


def _of_zip(file: BinaryIO, most: ArchiveBounds) -> Iterator[_Entry]:
    with zipfile.ZipFile(file) as archive:
        if len(archive.infolist()) > most.files:
            raise UnpackError(f"holds more than {most.files} files and folders")
        if sum(info.file_size for info in archive.infolist()) > most.size:  # If it does not lie.
            raise UnpackError(f"unpacks to more than {most.size / MIB:g} MB")
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


def _of_tar(file: BinaryIO) -> Iterator[_Entry]:
    with tarfile.open(fileobj=file, mode="r:", errorlevel=2) as archive:
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
        file.seek(archive.offset, os.SEEK_SET)
        if file.read(512).strip(b"\0"):
            raise tarfile.ReadError(f"no header at byte {archive.offset}")
