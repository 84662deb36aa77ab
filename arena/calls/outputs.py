"""Files and folders into which results are written."""

import datetime
import itertools
from pathlib import Path

from arena.system.errors import UserError
from arena.system.files import write_whole


def require_folder(flag: str, path: Path | None) -> None:
    """Raises UserError if the folder of a file that is written at the end is missing."""
    if path is not None and not path.absolute().parent.is_dir():
        raise UserError(f"{flag} {path}: there is no folder {path.absolute().parent}")


def require_other(flag: str, path: Path | None, source: Path) -> None:
    """Raises UserError if a file that is to be written is the one that is read."""
    if path is not None and path.exists() and source.exists() and path.samefile(source):
        raise UserError(f"{flag} {path}: that is the log itself, which would be lost; choose another name")


def write_file(flag: str, path: Path, data: bytes) -> None:
    """Writes a file that was asked for by `flag`, atomically. Raises UserError."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise UserError(f"{flag} {path}: {error.strerror}") from None


def beside(path: Path) -> Path:
    """The first path `<name>-<n>`, from 2 on, beside this one that does not exist."""
    paths = (path.with_stem(f"{path.stem}-{number}") for number in itertools.count(2))
    return next(path for path in paths if not path.exists())


def unused(suffix: str = "") -> Path:
    """The first path `arena-<date>-<n>` in this folder that does not exist."""
    today = datetime.date.today().isoformat()
    names = (Path(f"arena-{today}-{number}{suffix}") for number in itertools.count(1))
    return next(path for path in names if not path.exists())
