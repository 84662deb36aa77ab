"""Copies a league, also while it is being played: a public copy, with which others can verify it, or a
backup, from which it can be resumed.

The journal is copied first, so that the copy holds every file that it names. Knows files, not their contents.
"""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from arena.journal.chained import copy_first
from arena.journal.database import connected
from arena.league import logs
from arena.league.days import SECRET
from arena.league.entries import DrawPlayed, Pruned
from arena.league.inbox import MOST_LOOKED_AT, opened, sender
from arena.league.journal import INBOX, LOGS, PRIVATE, VERSIONS, LeagueJournal, last_segment, segment_file
from arena.league.shown import Segment, last_shown, segment, state_of
from arena.league.store import COPIED
from arena.system import trees
from arena.system.errors import UserError
from arena.system.files import UNFINISHED, sync
from arena.system.trees import NotCopiedError, remove_folder

HELD_BACK: Final = "frozen.json"
"""In a copy of a frozen league, the file with the digests of everything after the freeze."""
PUBLIC: Final = (LOGS,)
ALL: Final = (LOGS, PRIVATE, VERSIONS)
"""The folders of a backup, besides the inbox. Builds are left out, since they can be made again."""


def copy(league: Path, target: Path, *, everything: bool) -> Segment:
    """Copy what others need to verify the league or, for a backup, `everything` that is needed to resume it.

    Returns the last segment as far as it was copied. A copy that was interrupted has no journal. If the
    league is frozen, a public copy holds only digests of what came after the freeze. Raises UserError.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError(f"{target}: it already exists; choose a different folder")
    last = last_shown(league, hidden=everything)
    if target.resolve().is_relative_to(league.resolve()):
        raise UserError(f"{target}: it is inside the league; choose a folder elsewhere")
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        pruned = None
        while pruned != (pruned := _prunings(league, last.number)):
            # If logs were deleted meanwhile, copy again: the copy needs the entry that says so.
            _copy_journal(league, target, last)
            for name in ALL if everything else PUBLIC:
                _copy_folder(league / name, target / name, _left_out(league / name, last))
            if everything:
                _copy_inbox(league, target)
        if everything:
            shutil.copy2(league / SECRET, target / SECRET)
        if not last.whole:
            (target / HELD_BACK).write_bytes(_held_back(league, last))
        # The first file comes last: without it there is no league.
        for unfinished in sorted(target.glob("*.new"), reverse=True):
            sync(unfinished)
            unfinished.rename(unfinished.with_suffix(""))
        sync(target)
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"{target}: cannot be written ({error})") from None
    return last


def _prunings(league: Path, since: int) -> int:
    """The number of `Pruned` entries in the segments from `since` on."""
    numbers = range(since, last_segment(league) + 1)
    return sum(isinstance(entry, Pruned) for number in numbers for entry in segment(league, number).entries)


def _copy_journal(league: Path, target: Path, last: Segment) -> None:
    """Copy all segments, the last one as far as it is shown, as `*.new`, which is not yet a journal."""
    for number in range(1, last.number + (1 if last.whole else 0)):
        _copy_segment(league, target, number)
    if not last.whole:
        file = segment_file(last.number)
        (target / f"{file}.new").unlink(missing_ok=True)
        copy_first(league / file, target / f"{file}.new", len(last.entries))


def _copy_segment(league: Path, target: Path, number: int) -> None:
    LeagueJournal(league, number=number).close()
    with (
        connected(league / segment_file(number), write=False) as db,
        contextlib.closing(sqlite3.connect(target / f"{segment_file(number)}.new")) as made,
    ):
        db.backup(made)


def _copy_folder(source: Path, target: Path, left_out: Callable[[str, list[str]], set[str]]) -> None:
    """Copy a folder, ignoring what disappears meanwhile, as logs do when they are pruned."""
    try:
        shutil.copytree(source, target, symlinks=True, ignore=left_out, dirs_exist_ok=True)
    except shutil.Error as error:
        if any(os.path.lexists(path) for path, *_ in error.args[0]):
            raise


def _copy_inbox(league: Path, target: Path) -> None:
    """Copy the programs in the inbox that the intake would accept. Authors may change them meanwhile, or link
    to files that only we may read. Raises OSError."""
    (target / INBOX).mkdir(exist_ok=True)
    for author in sorted(os.listdir(league / INBOX)):
        with contextlib.ExitStack() as stack:
            try:
                inside = stack.enter_context(opened(league, author))
                entries = stack.enter_context(os.scandir(inside))
                names = [entry.name for entry in islice(entries, MOST_LOOKED_AT)]
            except OSError:
                continue  # It is not the folder of an author.
            (target / INBOX / author).mkdir(mode=0o700, exist_ok=True)
            for name in sorted(names):
                made = target / INBOX / author / name
                remove_folder(made)  # From an earlier pass, if logs were deleted meanwhile.
                try:
                    owner = sender(name, inside)
                    trees.copy(name, made, COPIED, inside=inside, linked=False, owner=owner)
                except NotCopiedError:
                    remove_folder(made)


def _held_back(league: Path, last: Segment) -> bytes:
    """The digests of what came after the freeze, as JSON: that of the journal's last entry, and that of each
    draw's public log. They prove later that nothing was changed meanwhile."""
    now = segment(league)
    numbers = range(last.number, now.number + 1)
    entries = [entry for number in numbers for entry in segment(league, number).entries][len(last.entries) :]
    logs = {str(entry.no): entry.public for entry in entries if isinstance(entry, DrawPlayed)}
    return msgspec.json.format(msgspec.json.encode({"digest": now.digests[-1], "logs": logs})) + b"\n"


def _left_out(source: Path, last: Segment) -> Callable[[str, list[str]], set[str]]:
    """For shutil.copytree: ignore unfinished files and the logs of draws that are not shown. The files of a
    program may have any name, so none of them is ignored."""
    state = None if last.whole else state_of(source.parent, last.entries)

    def is_late(name: str) -> bool:
        no = logs.draw_of(name)
        return state is not None and no is not None and no >= state.first_draw and no not in state.played

    def left_out(folder: str, names: list[str]) -> set[str]:
        if source.name == VERSIONS and Path(folder) != source:
            return set()
        return {name for name in names if name.startswith(UNFINISHED) or is_late(name)}

    return left_out
