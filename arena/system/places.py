"""What a path is by its looks, of what the arena makes: the folder of a tournament or of a league, the log of
a match, a page for a browser. For those who were given one where something else is due.

Knows names and first bytes; reads nothing else of it.
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
PAGE_BEGINS: Final = b"<!doctype html>"


class PlaceKind(enum.StrEnum):
    """What it is; the value stands behind “is” in a sentence."""

    TOURNAMENT = "a tournament"
    LEAGUE = "a league"
    LOG = "the log of a match"
    PAGE = "a page for a browser"


class Place(NamedTuple):
    """What was found, and the path by which commands take it."""

    kind: PlaceKind
    path: Path


def place_of(path: Path) -> Place | None:
    """What there is; None for anything else, and where nothing can be read."""
    for folder in (path, path.parent):  # Who names the file means its folder.
        for file, kind in ((TOURNAMENT_FILE, PlaceKind.TOURNAMENT), (LEAGUE_FILE, PlaceKind.LEAGUE)):
            if folder / file in (path, path / file) and os.path.isfile(folder / file):
                return Place(kind, folder)
    if begins := _first_bytes(path):
        for first, kind in ((LOG_BEGINS, PlaceKind.LOG), (PAGE_BEGINS, PlaceKind.PAGE)):
            if begins.startswith(first):
                return Place(kind, path)
    return None


def _first_bytes(path: Path) -> bytes:
    """Of a regular file; none of anything else."""
    with contextlib.suppress(OSError, ValueError):
        if path.is_file():
            with open(os.open(path, os.O_RDONLY | NO_WAITING & ~os.O_NOFOLLOW), "rb") as file:
                return file.read(max(len(LOG_BEGINS), len(PAGE_BEGINS))) or b""
    return b""
