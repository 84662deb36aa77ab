"""Files and folders for results."""

import datetime
import itertools
import os
import stat
from pathlib import Path
from typing import Final

from arena.system.errors import UserError
from arena.system.files import write_whole
from arena.system.foreign import KINDS
from arena.system.places import LOG_BEGINS, PAGE_BEGINS

_BEGINNINGS: Final = (PAGE_BEGINS, LOG_BEGINS, b"<- {", b"-> ")
"""The beginnings of pages, logs and transcripts."""


def require_place(flag: str, path: Path | None) -> None:
    """Raises UserError if an output file could not be written later: its folder is missing, or a file is
    there that does not look like an output. A mistyped name may be that of a bot or a tournament."""
    if path is None:
        return
    if not os.path.isdir(path.absolute().parent):
        raise UserError(f"{flag} {path}: there is no folder {path.absolute().parent}")
    if os.path.isdir(path) or not os.path.exists(path):
        return
    if not os.path.isfile(path):
        kind = KINDS.get(stat.S_IFMT(path.stat().st_mode), "something unknown")
        raise UserError(
            f"{flag} {path}: {kind} is there, which a file cannot replace; choose a different name"
        )
    try:
        with path.open("rb") as file:
            beginning = file.read(max(map(len, _BEGINNINGS)))
    except OSError as error:
        raise UserError(f"{flag} {path}: {error.strerror}") from None
    if beginning and not beginning.startswith(_BEGINNINGS):
        raise UserError(
            f"{flag} {path}: this file is not a page, log or transcript of the arena, and would be lost; "
            "choose a different name, or delete it yourself"
        )


def make_folder(flag: str, folder: Path, known: str) -> None:
    """Make a folder for output files. Raises UserError, also if it is not empty and lacks the file `known`,
    which an earlier run of the same command would have left, since other files might be replaced."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not (folder / known).is_file():
            raise UserError(f"{flag} {folder}: this folder contains other files; choose a new one")
    except OSError as error:
        raise UserError(f"{flag} {folder}: {error.strerror}") from None


def require_other(flag: str, path: Path | None, source: Path) -> None:
    """Raises UserError if the output file is the input file."""
    if path is not None and path.exists() and source.exists() and path.samefile(source):
        raise UserError(
            f"{flag} {path}: that is the log itself, which would be lost; choose a different name"
        )


def write_file(flag: str, path: Path, data: bytes) -> None:
    """Write an output file, requested by `flag`, atomically. Raises UserError."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise UserError(f"{flag} {path}: {error.strerror}") from None


def beside(path: Path) -> Path:
    """The first path `<name>-<n>`, from 2 on, in the same folder that does not exist."""
    paths = (path.with_stem(f"{path.stem}-{number}") for number in itertools.count(2))
    return next(path for path in paths if not path.exists())


def unused(suffix: str = "") -> Path:
    """The first path `arena-<date>-<n>` in the current folder that does not exist."""
    today = datetime.date.today().isoformat()
    names = (Path(f"arena-{today}-{number}{suffix}") for number in itertools.count(1))
    return next(path for path in names if not path.exists())
