"""Reads an archive (zip, tar or tar.gz) entry by entry. Runs in a separate process (reading.py), since
malicious archives make Python's modules take minutes or gigabytes.

Knows archives, and what in them can be read; not where anything is unpacked.
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
"""The first byte of a piece of a file's content, which distinguishes it from a message in JSON."""
_CHUNK: Final = 64 * 1024
_NAME_LIMIT: Final = 4096
"""The bytes of a name that are reported. Longer names are invalid on every file system."""
_ENCRYPTED: Final = 1
"""The bit in a zip entry's flags for an encrypted entry."""
_IN_UTF8: Final = 0x800
"""The bit in a zip entry's flags for a name in UTF-8."""
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP: Final = b"\x1f\x8b"
_FOREIGN: Final = {b"7z\xbc\xaf": "7z", b"Rar!": "rar", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
"""By the first bytes, the names of other kinds of archives."""
_ONLY_FILES: Final = "an archive may contain only files and folders"
_TAR_KINDS: Final = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
}


class UnpackError(Exception):
    """An archive cannot be unpacked; the text is the reason, as a predicate of the archive."""


class ArchiveBounds(msgspec.Struct, frozen=True, tag=True):
    """Limits of an archive: the total bytes of its files, and the number of files and folders."""

    size: int
    files: int

    @property
    def packed(self) -> int:
        """The maximum bytes of the decompressed tar, which adds some blocks of header to each file."""
        return self.size + 4 * 512 * self.files


class ArchiveItem(msgspec.Struct, frozen=True, tag=True):
    """A file or folder in an archive. The pieces of a file follow, each with the prefix CONTENT, and then an
    empty piece. `wrong`: why it cannot be unpacked, as a predicate of the archive."""

    name: bytes
    executable: bool = False
    is_folder: bool = False
    wrong: str = ""


class ArchiveRefused(msgspec.Struct, frozen=True, tag=True):
    """The whole archive cannot be unpacked. `why`: as a predicate of it."""

    why: str


class _Entry(NamedTuple):
    """`opened` is None for a folder."""

    name: str
    executable: bool = False
    opened: BinaryIO | None = None
    wrong: str = ""


def tell(archive: BinaryIO, plain: BinaryIO, most: ArchiveBounds, say: Callable[[bytes], None]) -> None:
    """Report everything in an open archive by `say`. `plain`: an empty file, for the decompressed archive."""
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
    except Exception as error:  # Python's modules may raise anything for a malicious archive.
        why = caption(in_utf8(str(error))) or type(error).__name__
        say(msgspec.json.encode(ArchiveRefused(f"is damaged ({why}); {WAY_OUT}")))


def _entries(archive: BinaryIO, plain: BinaryIO, most: ArchiveBounds) -> Iterator[_Entry]:
    """Raises UnpackError, and whatever Python's modules raise for a damaged archive."""
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
            raise UnpackError(f"contains more than {most.files} files and folders")
        if sum(info.file_size for info in archive.infolist()) > most.size:  # If the header is honest.
            raise UnpackError(f"unpacks to more than {most.size / MIB:g} MB")
        for info in archive.infolist():
            # Some programs for Windows write the wrong slash.
            name = _spelt(info).replace("\\", "/")
            shown = caption(name)
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                what = KINDS.get(kind, "something unknown")
                yield _Entry(name, wrong=f"contains {what}, {shown}; {_ONLY_FILES}")
            elif info.flag_bits & _ENCRYPTED:
                yield _Entry(name, wrong=f"is encrypted ({shown}); pack it again without a password")
            elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                yield _Entry(
                    name, wrong=f"contains {shown}, packed with method {info.compress_type}; {WAY_OUT}"
                )
            elif name.endswith("/") or kind == stat.S_IFDIR:
                yield _Entry(name)
            else:
                with archive.open(info) as opened:
                    yield _Entry(name, bool(info.external_attr >> 16 & 0o100), opened)  # type: ignore[arg-type]


def _spelt(info: zipfile.ZipInfo) -> str:
    """The name of an entry. macOS and others write UTF-8 without the flag, which Python decodes as cp437."""
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
                yield _Entry(info.name, wrong=f"contains {shown}, a sparse file; {WAY_OUT}, without holes")
            elif not (info.isreg() or info.isdir()):
                kind = _TAR_KINDS.get(info.type, "something unknown")
                yield _Entry(info.name, wrong=f"contains {kind}, {shown}; {_ONLY_FILES}")
            else:
                opened = archive.extractfile(info) if info.isreg() else None
                yield _Entry(info.name, bool(info.mode & 0o100), opened)  # type: ignore[arg-type]
        # Python takes a damaged header after the first for the end of the archive.
        file.seek(archive.offset, os.SEEK_SET)
        if file.read(512).strip(b"\0"):
            raise tarfile.ReadError(f"no header at byte {archive.offset}")
