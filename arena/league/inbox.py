"""The inbox: a folder for each author, in which programs can be put while the league is played, and in which
its author finds what became of them.

Whatever is put there is a stranger's. Knows files and names; no journal.
"""

import contextlib
import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Container, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from arena.entrants.names import plain
from arena.entrants.unpack import is_archive, stem_of
from arena.league.entries import BUILT, INBOX
from arena.league.store import BOUNDS
from arena.system.files import UNFINISHED
from arena.system.foreign import below
from arena.system.text import caption, in_utf8
from arena.system.trees import remove_folder

ANSWERS: Final = "answers.txt"
MOST_LOOKED_AT: Final = 10_000
"""Files of an author, those in folders too, that are looked at in a turn."""
LINE_LIMIT: Final = 2000
"""Characters of a line that an author is told."""
REST_SECONDS: Final = 2.0
"""A program is taken once nothing of it has changed for so long: it may still be on its way."""
WORD: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,15}")
"""What an author or a bot can be called."""


class Sent(NamedTuple):
    """Something that an author has put into the inbox, and when that was changed last."""

    author: str
    path: Path
    changed: float


def bot_name(path: Path) -> str:
    """What the bot in a file, a folder or an archive is called. Raises ValueError where nothing of its name
    is left."""
    stem = stem_of(path) if is_archive(path) else path.stem
    name = re.sub("[^a-z0-9]+", "-", plain(stem).lower())[:16].strip("-")
    if not WORD.fullmatch(name):
        raise ValueError(f"{caption(path.name)}: no name can be made of that; call it by letters and digits")
    return name


def folder_of(league: Path, author: str) -> Path:
    """Where an author's programs are put."""
    return league / INBOX / author


def arrived(league: Path, author: str, left: Mapping[Path, float] = MappingProxyType({})) -> Sent | None:
    """The program of an author that has lain there the longest and is whole; None where there is none. A
    program in `left` counts only once it was changed after that time. Raises OSError where the folder cannot
    be read."""
    looked_at, found = 0, []
    folder = folder_of(league, author)
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "a link is there, and no folder", str(folder))
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name == ANSWERS:
                continue
            if looked_at >= MOST_LOOKED_AT:
                break  # The others are looked at when these are gone.
            changed, files = _changed(entry)
            looked_at += files
            path = Path(entry.path)
            # One that comes from the future was written before the clock was set back, or on another machine.
            if abs(time.time() - changed) > REST_SECONDS and left.get(path) != changed:
                found.append(Sent(author, path, changed))
    return min(found, key=lambda sent: (sent.changed, sent.path), default=None)


def strangers(league: Path, authors: Container[str]) -> list[Path]:
    """What lies in the inbox and belongs to no author; of very many the first ones. None where it cannot be
    read."""
    try:
        with os.scandir(league / INBOX) as entries:
            first = islice(entries, MOST_LOOKED_AT)
            found = [one.path for one in first if one.name not in authors and one.name[0] != "."]
    except OSError:
        return []
    return [Path(path) for path in sorted(found)]


def shown(path: Path | str) -> str:
    """A path as a line that can be printed and written, whatever bytes it is of."""
    return caption(in_utf8(str(path)))


def remove(league: Path, sent: Sent) -> bool:
    """Deletes a program that was taken, or that nobody can take; whether it is gone. A folder is moved away
    first, so that it is gone at once or not at all."""
    if sent.path.is_dir() and not sent.path.is_symlink():
        aside = league / BUILT / f"{UNFINISHED}{secrets.token_hex(8)}"
        with contextlib.suppress(OSError):
            sent.path.rename(aside)
        remove_folder(aside if aside.exists() else sent.path)
    else:
        with contextlib.suppress(OSError):
            sent.path.unlink()
    return not os.path.lexists(sent.path)


def has_other_names(path: Path) -> bool:
    """Whether a file, or one in a folder, is known by another name too. Such a hard link may be one to a file
    that its author cannot read. Of a folder that is too large to be taken only a part is looked at."""
    with contextlib.suppress(OSError):
        if stat.S_ISREG(path.lstat().st_mode):
            return path.lstat().st_nlink > 1
        for _, entry in islice(below(path), BOUNDS.files + 1):
            if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_nlink > 1:
                return True
    return False


def can_be_told(league: Path, author: str) -> bool:
    """Whether there is a file for the answers to an author, or can be one."""
    folder = folder_of(league, author)
    path = folder / ANSWERS
    return folder.is_dir() and not folder.is_symlink() and (_is_file(path) or not os.path.lexists(path))


def tell(league: Path, author: str, line: str) -> None:
    """Adds a line to what an author can read; does nothing without a folder of the author."""
    path = folder_of(league, author) / ANSWERS
    if not can_be_told(league, author):
        return
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with open(os.open(path, flags, 0o644), "a", encoding="utf-8") as file:
            file.write(f"{caption(in_utf8(line), LINE_LIMIT)}\n")
    except OSError:
        return  # An author who makes the file unwritable is told nothing.


def _is_file(path: Path) -> bool:
    """Whether a regular file is there, and no link to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _changed(program: "os.DirEntry[str]") -> tuple[float, int]:
    """When a file, or anything in a folder, was changed last, and how many files were looked at. Of a folder
    that is too large or too deep to be taken only a part is looked at."""
    latest, files = 0.0, 1
    try:
        latest = program.stat(follow_symlinks=False).st_mtime
        if program.is_dir(follow_symlinks=False):
            for depth, entry in below(Path(program.path)):
                files += 1
                latest = max(latest, entry.stat(follow_symlinks=False).st_mtime)
                if files > BOUNDS.files or depth > BOUNDS.depth:
                    break
    except FileNotFoundError:
        return time.time(), files
    except OSError:
        pass  # What is wrong with it is said when it is taken.
    return latest, files
