"""A report's folder, copied, and its parts."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from arena.director.entries import Created, JournalEntry, MatchPlayed
from arena.director.journal import Journal
from arena.games import GAMES


def copied(run: Path, folder: Path, entries: int, logs: Mapping[str, str] | None = None) -> Path:
    """The tournament as it was after so many entries, with other `logs` for some of its matches."""
    with Journal(run) as journal:
        first, *others = journal.entries[:entries]
        assert isinstance(first, Created)
        with Journal.create(folder, first) as copy:
            for entry in others:
                if isinstance(entry, MatchPlayed):
                    log = (logs or {}).get(entry.match_id) or journal.read_log(entry.match_id)
                    digest = copy.save_logs({entry.match_id: log})[entry.match_id]
                    entry = msgspec.structs.replace(entry, log=digest)
                copy.add(entry)
    return folder


def entries_of(run: Path) -> list[JournalEntry]:
    with Journal(run) as journal:
        return journal.entries


EXTREMES = [(game, seats) for game, rules in GAMES.items() for seats in (rules.seats[0], rules.seats[-1])]
