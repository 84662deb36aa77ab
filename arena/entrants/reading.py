"""`python -m arena.entrants.reading`: reads archives and tables from strangers, in children with hard limits
(arena/process/reader.py). Knows which module reads what.
"""

import codecs
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from arena.entrants.archive import ArchiveBounds, tell
from arena.entrants.table import Toml, of_toml
from arena.process.reader import Reader, serve

MODULE: Final = "arena.entrants.reading"


def reading() -> Reader:
    """A Reader that runs this module; its process starts with the first task."""
    return Reader(MODULE)


def _read(task: bytes, files: Sequence[BinaryIO], say: Callable[[bytes], None]) -> None:
    match msgspec.json.decode(task, type=ArchiveBounds | Toml):
        case ArchiveBounds() as most:
            tell(files[0], files[1], most, say)
        case Toml(path):
            say(msgspec.json.encode(of_toml(Path(path), files[0].read())))


if __name__ == "__main__":
    for encoding in ("cp437", "utf-8-sig"):  # For names in a zip, and tables: later no file can be opened.
        codecs.lookup(encoding)
    serve(_read)
