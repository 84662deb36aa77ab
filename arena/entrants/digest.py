"""The digest of a bot's files: as long as it is the same, so is the program.

Knows files; not what a bot is.
"""

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from arena.system.machine import MIB
from arena.system.text import caption

SIZE_LIMIT: Final = 256 * MIB
"""Bytes of all files of a bot: they are read whenever it enters, and sent to other machines in one piece."""
FILE: Final = "file"
LINK: Final = "link"
EMPTY_FOLDER: Final = "folder"


def digest(
    paths: Iterable[Path], text: str = "", limit: int | None = None, *, files_only: bool = False
) -> str:
    """SHA-256 over `text` and the files, each by its name, its executable bit and its content, sorted. A
    folder stands for all that is below it, named from there: links by where they lead, without following
    them, and empty folders too. `files_only` gives the digest of older arenas, which followed links to files
    and left out other links and empty folders. Raises OSError; ValueError where the files hold more than
    `limit` bytes, or where something is neither a file nor a folder nor a link."""
    entries: list[tuple[str, str, os.DirEntry[str] | Path]] = []
    for path in paths:
        if path.is_dir():
            entries += _below(path, files_only=files_only)
        else:
            entries.append((path.name, FILE, path))
    summed, total = hashlib.sha256(text.encode()), 0
    for name, kind, entry in sorted(entries, key=lambda entry: (entry[0], os.fspath(entry[2]))):
        if kind is not FILE:
            target = os.fsencode(os.readlink(entry)) if kind is LINK else b""
            summed.update(b"\0%s\0%s\0%d\0%s" % (os.fsencode(name), kind.encode(), len(target), target))
            continue
        mode = "x" if os.access(entry, os.X_OK) else "-"
        # Whatever it was when it was found, it may be a pipe by now.
        with open(
            os.open(os.fspath(entry), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC), "rb"
        ) as file:
            left = os.fstat(file.fileno()).st_size
            total += left
            if limit is not None and total > limit:
                raise ValueError(f"its files are larger than {limit // MIB} MB")
            summed.update(b"\0%s\0%s\0%d\0" % (os.fsencode(name), mode.encode(), left))
            # Never past the size: some of the kernel's files, to which a link may lead, have no end.
            while chunk := file.read(min(left, MIB)):
                summed.update(chunk)
                left -= len(chunk)
    return summed.hexdigest()


def _below(folder: Path, *, files_only: bool) -> Iterator[tuple[str, str, "os.DirEntry[str]"]]:
    """Name, kind and entry of everything in a folder that counts for its digest. Raises OSError,
    ValueError."""
    waiting = [(str(folder), "")]
    while waiting:
        here, before = waiting.pop()
        with os.scandir(here) as found:
            for entry in found:
                name = before + entry.name
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, f"{name}/"))
                    if not files_only and not os.listdir(entry.path):
                        yield name, EMPTY_FOLDER, entry
                elif entry.is_symlink() and not files_only:
                    yield name, LINK, entry
                elif entry.is_file():
                    yield name, FILE, entry
                elif not files_only:
                    raise ValueError(f"{caption(name)} is neither a file nor a folder nor a link: remove it")


def version_of(paths: Iterable[Path], text: str = "", *, bounded: bool = True) -> str:
    """The digest of a bot, of at most SIZE_LIMIT bytes if it is `bounded`. Raises ValueError where it is
    larger or cannot be read."""
    try:
        return digest(paths, text, SIZE_LIMIT if bounded else None)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise ValueError("its folders are nested too deeply") from None
        raise ValueError(f"{caption(str(error.filename))} cannot be read: {error.strerror}") from None
