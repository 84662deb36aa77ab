"""From what stands on the command line to bots under a name: which paths are bots, what they are called,
what makes each of them the same program tomorrow.

    a bot         an executable file, or one whose suffix says how it is run
    passed over   what cannot be a bot: notes, data, hidden files, folders such as __pycache__
    left out      what looks like a bot and cannot be executed; it is named with the reason

Starts nothing. Knows no game and no tournament.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.errors import UserError
from arena.job import Entrant
from arena.launch import SUFFIXES, Launch, base_interpreter, launch_file

NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,32}")
HOUSE: Final = "house-"
"""How the names of house bots begin; an entrant may not be called so."""


class LeftOut(msgspec.Struct, frozen=True):
    """Something that looks like a bot and cannot play, and why."""

    name: str
    reason: str


class Found(NamedTuple):
    entrants: tuple[Entrant, ...]
    left_out: tuple[LeftOut, ...]
    passed_over: tuple[str, ...]


def find(paths: Iterable[str]) -> Found:
    """The bots among `paths`, in their order. Raises UserError for a path that is not there, a name that
    cannot be one, and two bots of one name."""
    entrants: list[Entrant] = []
    left_out: list[LeftOut] = []
    passed_over: list[str] = []
    for text in paths:
        path = Path(text)
        if not path.exists():
            raise UserError(f"{text}: there is no such file")
        if not _may_be_bot(path):
            passed_over.append(text)
            continue
        name = path.stem
        if not NAME.fullmatch(name):
            raise UserError(
                f"{text}: {name!r} cannot be a name; rename the file to letters, digits and . _ -"
            )
        launch = launch_file(path)
        if isinstance(launch, Launch):
            entrants.append(Entrant(name, launch, digest(path)))
        else:
            left_out.append(LeftOut(name, launch))
    return Found(tuple(entrants), tuple(left_out), tuple(passed_over))


def require_unique(entrants: Sequence[Entrant]) -> None:
    """Raises UserError where two entrants share a name, or one has a house bot's."""
    seen: set[str] = set()
    for entrant in entrants:
        if entrant.name in seen:
            raise UserError(f"two bots are called {entrant.name!r}: rename one of the files")
        if entrant.name.startswith(HOUSE):
            raise UserError(f"{entrant.name!r}: names that begin with {HOUSE!r} belong to house bots")
        seen.add(entrant.name)


def numbered(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """The same entrants with the second, third … of one name called name-2, name-3 …"""
    counts: dict[str, int] = {}
    unique = []
    for entrant in entrants:
        count = counts[entrant.name] = counts.get(entrant.name, 0) + 1
        name = entrant.name if count == 1 else f"{entrant.name}-{count}"
        unique.append(msgspec.structs.replace(entrant, name=name))
    return tuple(unique)


def house_bot(name: str) -> Entrant:
    """The unranked bot of ours that fills a pod."""
    path = Path(__file__).parent / "house" / "filler.py"
    return Entrant(name, Launch((base_interpreter(), "-P", str(path)), str(path.parent)), digest(path))


def digest(path: Path) -> str:
    """SHA-256 over the name, the executable bit and the content of a single file."""
    content = path.read_bytes()
    mode = "x" if os.access(path, os.X_OK) else "-"
    return hashlib.sha256(f"{path.name}\0{mode}\0{len(content)}\0".encode() + content).hexdigest()


def _may_be_bot(path: Path) -> bool:
    hidden = path.name.startswith((".", "__"))
    return path.is_file() and not hidden and (path.suffix in SUFFIXES or os.access(path, os.X_OK))
