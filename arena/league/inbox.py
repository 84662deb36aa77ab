"""The inbox: a folder for each author, in which programs can be put while the league is played, and in which
its author finds what became of them.

Whatever is put there is a stranger's. Knows files and names; no journal.
"""

import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from arena.entrants.names import plain
from arena.entrants.unpack import is_archive, stem_of
from arena.league.entries import INBOX
from arena.system.text import caption

ANSWERS: Final = "answers.txt"
REST_SECONDS: Final = 2.0
"""A program is taken once nothing of it has changed for so long: it may still be on its way."""
WORD: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,15}")
"""What an author or a bot can be called."""


class Sent(NamedTuple):
    """Something that an author has put into the inbox."""

    author: str
    path: Path


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


def arrived(league: Path, authors: Iterable[str]) -> Iterator[Sent]:
    """What lies there and is whole, the oldest first."""
    for author in authors:
        found = []
        try:
            with os.scandir(folder_of(league, author)) as entries:
                for entry in entries:
                    if not entry.name.startswith(".") and entry.name != ANSWERS:
                        found.append((_changed(entry.path), entry.path))
        except OSError:
            continue  # It is being changed, or its author has closed it: looked at again later.
        for changed, path in sorted(found):
            # One that comes from the future was written before the clock was set back, or on another machine.
            if abs(time.time() - changed) > REST_SECONDS:
                yield Sent(author, Path(path))


def remove(sent: Sent) -> None:
    """Deletes a program that was taken, or that nobody can take."""
    if sent.path.is_dir() and not sent.path.is_symlink():
        shutil.rmtree(sent.path, ignore_errors=True)
    else:
        sent.path.unlink(missing_ok=True)


def tell(league: Path, author: str, line: str) -> None:
    """Adds a line to what an author can read; does nothing without a folder of the author."""
    path = folder_of(league, author) / ANSWERS
    if not path.parent.is_dir():
        return
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with open(os.open(path, flags, 0o644), "a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    except OSError:
        return  # An author who makes the file unwritable is told nothing.


def _changed(path: str) -> float:
    """When a file, or anything in a folder, was changed last."""
    latest = os.lstat(path).st_mtime
    for folder, _, files in os.walk(path):
        for name in (".", *files):
            latest = max(latest, os.lstat(os.path.join(folder, name)).st_mtime)
    return latest
