"""Recognises what the arena makes by its path: the folder of a tournament or league, the log of a match, a
page for a browser. For messages to users who passed the wrong one.

Knows file names and first bytes, and reads nothing else.
"""

import contextlib
import enum
import os
from pathlib import Path
from typing import Final, NamedTuple

from arena.system.foreign import NO_WAITING

TOURNAMENT_FILE: Final = "tournament.db"
LEAGUE_FILE: Final = "league-0001.db"
LOG_BEGINS: Final = b'{"type":"match"'
LEAGUE_LOG_ENDS: Final = ".jsonl.gz"
PAGE_BEGINS: Final = b"<!doctype html>"


class PlaceKind(enum.StrEnum):
    """What a path is. The value follows “is” in a sentence."""

    TOURNAMENT = "a tournament"
    LEAGUE = "a league"
    LOG = "the log of a match"
    LEAGUE_LOG = "a part of the log of a draw"
    PAGE = "a page for a browser"


class Place(NamedTuple):
    """What was recognised, and the path that commands accept for it."""

    kind: PlaceKind
    path: Path


def place_of(path: Path) -> Place | None:
    """Recognise a path; None for anything else or if it cannot be read."""
    for folder in (path, path.parent):  # The file stands for its folder.
        for file, kind in ((TOURNAMENT_FILE, PlaceKind.TOURNAMENT), (LEAGUE_FILE, PlaceKind.LEAGUE)):
            if folder / file in (path, path / file) and os.path.isfile(folder / file):
                return Place(kind, folder)
    if (league := _league_of(path)) is not None:
        return Place(PlaceKind.LEAGUE_LOG, league)
    if begins := _first_bytes(path):
        for first, kind in ((LOG_BEGINS, PlaceKind.LOG), (PAGE_BEGINS, PlaceKind.PAGE)):
            if begins.startswith(first):
                return Place(kind, path)
    return None


def _league_of(path: Path) -> Path | None:
    """The league of which this is a log, in LOGS/DAY/ of its folder; None for anything else."""
    if not path.name.endswith(LEAGUE_LOG_ENDS):
        return None
    folder = path.parent / ".." / ".."
    return Path(os.path.normpath(folder)) if os.path.isfile(folder / LEAGUE_FILE) else None


def _first_bytes(path: Path) -> bytes:
    """The first bytes of a regular file; empty for anything else."""
    with contextlib.suppress(OSError, ValueError):
        if os.path.isfile(path):
            with open(os.open(path, os.O_RDONLY | NO_WAITING & ~os.O_NOFOLLOW), "rb") as file:
                return file.read(max(len(LOG_BEGINS), len(PAGE_BEGINS))) or b""
    return b""
