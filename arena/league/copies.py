"""Copies of a league, while it is played or not: one for others, by which they can verify it, or a backup,
which goes on where it was made.

The journal is copied first, so that whatever it names is there. Knows files; not what is in them.
"""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from arena.journal.chained import copy_first
from arena.league.days import SECRET
from arena.league.entries import (
    INBOX,
    LOGS,
    PRIVATE,
    VERSIONS,
    LeagueJournal,
    Played,
    segment_file,
)
from arena.league.shown import Segment, last_shown, segment
from arena.league.state import State
from arena.system.errors import UserError
from arena.system.files import sync

HELD_BACK: Final = "frozen.json"
"""The file of a copy that holds the digests of what is not shown."""
PUBLIC: Final = (LOGS,)
ALL: Final = (LOGS, PRIVATE, VERSIONS, INBOX)
"""The folders of a backup; builds can be made again."""


def copy(league: Path, target: Path, *, everything: bool) -> Segment:
    """Copies what others need to verify the league; or, for a backup, `everything` that it needs to go on. An
    interrupted copy has no journal. Of a league that is frozen what came after that is held back but for its
    digests. The last segment, as far as it was copied. Raises UserError."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError(f"{target}: it is there already; choose another folder")
    last = last_shown(league, hidden=everything)
    if target.resolve().is_relative_to(league.resolve()):
        raise UserError(f"{target}: it is in the league itself; choose a folder elsewhere")
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in range(1, last.number + (1 if last.whole else 0)):
            _copy_segment(league, target, number)
        if not last.whole:
            file = segment_file(last.number)
            copy_first(league / file, target / f"{file}.new", len(last.entries))
        left_out = _unfinished if last.whole else _but_logs(State(last.entries))
        for name in ALL if everything else PUBLIC:
            _copy_folder(league / name, target / name, left_out)
        if everything:
            shutil.copy2(league / SECRET, target / SECRET)
        if not last.whole:
            (target / HELD_BACK).write_bytes(_held_back(league, last))
        for unfinished in sorted(target.glob("*.new")):
            sync(unfinished)
            unfinished.rename(unfinished.with_suffix(""))
        sync(target)
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"{target}: cannot be written ({error})") from None
    return last


def _copy_segment(league: Path, target: Path, number: int) -> None:
    LeagueJournal(league, number=number).close()
    source = f"{(league / segment_file(number)).absolute().as_uri()}?mode=ro"
    with (
        contextlib.closing(sqlite3.connect(source, uri=True)) as db,
        contextlib.closing(sqlite3.connect(target / f"{segment_file(number)}.new")) as made,
    ):
        db.backup(made)


def _copy_folder(source: Path, target: Path, left_out: Callable[[str, list[str]], set[str]]) -> None:
    """Copies a folder, but for what is taken away meanwhile, as programs are from the inbox."""
    try:
        shutil.copytree(source, target, symlinks=True, ignore=left_out)
    except shutil.Error as error:
        if any(os.path.lexists(path) for path, *_ in error.args[0]):
            raise


def _held_back(league: Path, last: Segment) -> bytes:
    """What is told of all that came after a freeze: the digest of the true journal's last entry, and that of
    the log of each draw. Whoever has them can see later that nothing was changed meanwhile."""
    now = segment(league)
    numbers = range(last.number, now.number + 1)
    entries = [entry for number in numbers for entry in segment(league, number).entries][len(last.entries) :]
    logs = {str(one.no): one.public for one in entries if isinstance(one, Played)}
    return msgspec.json.format(msgspec.json.encode({"digest": now.digests[-1], "logs": logs})) + b"\n"


def _but_logs(state: State) -> Callable[[str, list[str]], set[str]]:
    """Leaves out the logs of draws that had no result at a state."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        numbers = {name: int(name.partition(".")[0]) for name in names if name.endswith(".jsonl.gz")}
        late = {name for name, no in numbers.items() if no >= state.first_draw and no not in state.played}
        return late | _unfinished(folder, names)

    return left_out


def _unfinished(folder: str, names: list[str]) -> set[str]:
    """What is only being written."""
    return {name for name in names if name.startswith("unfinished-")}
