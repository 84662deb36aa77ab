"""Decides which matches' hands may be seen, and removes pages that show others.

All matches of a pod have the same deals, so their hands stay secret until the last of them has ended, and
again after one of them was annulled. Knows where pages are, but not what is in them.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.director.entries import JournalEntry, MatchAnnulled
from arena.director.journal import Journal
from arena.director.state import Record
from arena.report import REPLAYS, REPORT, ROW_FILES
from arena.system import foreign
from arena.system.errors import UserError

OURS: Final = re.compile(r"r\d+-p\d+-s\d+\.(html|json)|[0-9a-f]{16}-(matches|round|bot)-[0-9-]+\.json")
"""The names of files in the two folders."""


def over(record: Record) -> list[str]:
    """The matches of pods that have finished, the latest first: their hands may be seen."""
    open_pods = set(record.unfinished)
    latest_first = reversed(record.in_order)
    return [one.match_id for one in latest_first if (one.round_no, one.pod_no) not in open_pods]


def remove_open_replays(journal: Journal, *further: JournalEntry) -> dict[Path, str]:
    """Remove the replays of pods that have not finished: after a match was annulled, their deals will be
    played again. `further`: entries that are about to be added to the journal. Returns what stays, and why;
    the folder itself stands for everything in it."""
    shown = set(over(Record([*journal.entries, *further])))
    return _removed(journal, REPLAYS, lambda name: name.partition(".")[0] not in shown)


def remove_report(journal: Journal) -> dict[Path, str]:
    """Remove the report after a match was annulled: it may quote what a bot was sent, including a hand.
    Returns what stays, and why, like `remove_open_replays`."""
    path, stays = journal.folder / REPORT, dict[Path, str]()
    try:
        path.unlink(missing_ok=True)
    except IsADirectoryError:
        pass  # Not one of our pages.
    except OSError as error:
        stays[path] = error.strerror or str(error)
    return stays | _removed(journal, ROW_FILES, lambda name: True)


def _removed(journal: Journal, where: str, unwanted: Callable[[str], bool]) -> dict[Path, str]:
    """Remove unwanted pages in a folder of the run. Returns, by path, why some stay."""
    folder = journal.folder / where
    if folder.is_file() and not folder.is_symlink():
        return {}  # It contains no page.
    try:
        return remove_ours(folder, journal.folder, unwanted)
    except FileNotFoundError:
        return {}
    except OSError as error:
        # A link in its place is not followed: its target may be somebody else's.
        return {folder: (error.strerror or str(error)).partition(";")[0]}


def remove_ours(folder: Path, run: Path, unwanted: Callable[[str], bool]) -> dict[Path, str]:
    """Remove our `unwanted` pages in a folder of the run. Returns those that stay, and why. Raises OSError if
    it is not a folder."""
    stays = {}
    # By a descriptor, since a stranger's link might lead to a folder of the user's.
    with foreign.folder(folder, run) as inside:
        for name in sorted(os.listdir(inside)):
            if OURS.fullmatch(name) and unwanted(name):
                try:
                    os.unlink(name, dir_fd=inside)
                except OSError as error:
                    stays[folder / name] = error.strerror or str(error)
    return stays


def retract_if_annulled(journal: Journal) -> None:
    """If a match was annulled since the journal was read, remove what was just written and raise UserError.
    The command that annuls removes the pages after its entry, so one of the two always removes them."""
    if not any(isinstance(entry, MatchAnnulled) for entry in journal.later()):
        return
    with Journal(journal.folder) as there:
        remove_report(there)
        remove_open_replays(there)
    raise UserError(
        f"{journal.folder}: a match was annulled in the meantime; run the command again for a report "
        "without it"
    )
