"""What makes a bot the same program tomorrow: a digest of its files.

Knows files; not what a bot is.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from arena.machine import MIB
from arena.sanitise import caption

SIZE_LIMIT: Final = 256 * MIB
"""Bytes of all files of a bot, which are read whenever it enters and travel in one piece."""


def digest(paths: Iterable[Path], text: str = "", limit: int | None = None) -> str:
    """SHA-256 over `text` and the files, each by its name, its executable bit and its content, sorted. A
    folder stands for all the files below it, named from there. Raises OSError, and ValueError where they hold
    more than `limit` bytes."""
    files = []
    for path in paths:
        if path.is_dir():
            files += [(str(below.relative_to(path)), below) for below in path.rglob("*") if below.is_file()]
        else:
            files.append((path.name, path))
    summed, total = hashlib.sha256(text.encode()), 0
    for name, path in sorted(files):
        mode = "x" if os.access(path, os.X_OK) else "-"
        with path.open("rb") as file:
            left = os.fstat(file.fileno()).st_size
            total += left
            if limit is not None and total > limit:
                raise ValueError(f"its files are larger than {limit // MIB} MB")
            summed.update(f"\0{name}\0{mode}\0{left}\0".encode())
            # Never past the size: some of the kernel's files, to which a link may lead, have no end.
            while chunk := file.read(min(left, MIB)):
                summed.update(chunk)
                left -= len(chunk)
    return summed.hexdigest()


def version_of(paths: Iterable[Path], text: str = "", *, bounded: bool = True) -> str:
    """The digest of a bot. Raises ValueError where it is too large or cannot be read."""
    try:
        return digest(paths, text, SIZE_LIMIT if bounded else None)
    except OSError as error:
        raise ValueError(f"{caption(str(error.filename))} cannot be read: {error.strerror}") from None
    except RecursionError:
        raise ValueError("its folders are nested too deeply") from None
