"""Copies of a league, while it is played or not: one for others, by which they can verify it, or a backup,
which goes on where it was made.

The journal is copied first, so that whatever it names is there. Knows files; not what is in them.
"""

import contextlib
import shutil
import sqlite3
from pathlib import Path
from typing import Final

from arena.league.days import SECRET
from arena.league.entries import (
    INBOX,
    LOGS,
    PRIVATE,
    VERSIONS,
    LeagueJournal,
    last_segment,
    segment_file,
)
from arena.system.errors import UserError
from arena.system.files import sync

PUBLIC: Final = (LOGS,)
ALL: Final = (LOGS, PRIVATE, VERSIONS, INBOX)
"""The folders of a backup; builds can be made again."""


def copy(league: Path, target: Path, *, everything: bool) -> None:
    """Copies what others need to verify the league; or, for a backup, `everything` that it needs to go on. An
    interrupted copy has no journal. Raises UserError."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError(f"{target}: it is there already; choose another folder")
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in range(1, last_segment(league) + 1):
            LeagueJournal(league, number=number).close()
            source = f"{(league / segment_file(number)).absolute().as_uri()}?mode=ro"
            with (
                contextlib.closing(sqlite3.connect(source, uri=True)) as db,
                contextlib.closing(sqlite3.connect(target / f"{segment_file(number)}.new")) as made,
            ):
                db.backup(made)
        for name in ALL if everything else PUBLIC:
            shutil.copytree(league / name, target / name, symlinks=True, ignore=_unfinished)
        if everything:
            shutil.copy2(league / SECRET, target / SECRET)
        for unfinished in sorted(target.glob("*.new")):
            sync(unfinished)
            unfinished.rename(unfinished.with_suffix(""))
        sync(target)
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"{target}: cannot be written ({error})") from None


def _unfinished(folder: str, names: list[str]) -> set[str]:
    """What is only being written."""
    return {name for name in names if name.startswith("unfinished-")}
