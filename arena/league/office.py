"""A league open for writing. Writes each entry, and the entries that are due after it."""

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from arena.league.days import make_secret, read_secret, seed_of
from arena.league.due import due
from arena.league.entries import Continued, DrawVoided, Entry, Received, Started
from arena.league.hand import Prune, Request, answer
from arena.league.ids import HOUSE, author_of
from arena.league.inbox import tell
from arena.league.journal import LeagueJournal
from arena.league.logs import delete
from arena.league.shown import state_of
from arena.league.tables import turn


def clock() -> int:
    """Seconds since 1970. If the clock is set back, time stands still for the league (`LeagueState.at`)."""
    return int(time.time())


class Seeds(Mapping[int, str]):
    """The seeds by day, derived on demand."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def __getitem__(self, day: int) -> str:
        return seed_of(self._secret, day)

    def __iter__(self) -> Iterator[int]:
        raise TypeError("days have no end")

    def __len__(self) -> int:
        raise TypeError("days have no end")


class Office:
    """A league that this process writes. `on_entry` is called with every new entry."""

    def __init__(self, folder: Path, on_entry: Callable[[Entry], None] = lambda entry: None) -> None:
        """Raises UserError if there is no league, it is damaged, or another process is writing it."""
        self.folder = folder
        self.journal = LeagueJournal(folder, write=True)
        try:
            self.state = state_of(folder, self.journal.entries)
            if not self.state.committed:
                make_secret(folder)
            self.seeds = Seeds(read_secret(folder))
        except BaseException:
            self.journal.close()
            raise
        self.on_entry = on_entry

    def write(self, *entries: Entry) -> None:
        """Add entries to the journal and the state, then the entries that are due. Raises UserError."""
        if entries:
            self._add(entries)
            self.settle()

    def settle(self) -> int:
        """Write the entries that are due; return the clock reading when none was left. Raises UserError."""
        while entries := tuple(due(self.state, at := clock(), self.seeds)):
            self._add(entries)
        return at

    def _add(self, entries: tuple[Entry, ...]) -> None:
        self.journal.add(*entries)
        for entry in entries:
            self.state.add(entry)
            self._tell(entry)
            self.on_entry(entry)

    def _tell(self, entry: Entry) -> None:
        """Write what happened to a version into its author's answers."""
        version = getattr(entry, "version", None)
        if version is not None and (line := entry.sentence()):
            if isinstance(entry, Received) and author_of(version) != HOUSE:
                line += f"; {turn(self.state, version)}"
            tell(self.folder, author_of(version), line)

    def start(self, started: Started) -> None:
        """Register that a process begins to play. If its arena, Python or machine differs from the previous
        one, void the draws in flight and begin a segment, so that the journal shows which results each has
        produced. Raises UserError."""
        before = self.state.started
        why = started.unlike(before) if before else ""
        if not why:
            self.write(started)
            return
        self.write(*(DrawVoided(no, f"begun before an upgrade: {why}") for no in self.state.in_flight))
        if self.state.sealed is None:  # Voiding the last draws may have sealed it.
            self.next_segment(why, started)

    def next_segment(self, why: str = "", *further: Entry) -> None:
        """Continue in a new segment of the journal; no draw may be in flight. Raises UserError."""
        first = Continued.after(self.state, self.journal.number + 1, self.journal.digest, why)
        self.journal.next_segment(first, *further)
        for entry in (first, *further):
            self.state.add(entry)
            self.on_entry(entry)

    def asked(self, request: Request) -> tuple[Entry, ...]:
        """Carry out a request; return the entries that did so. Raises UserError."""
        self.settle()  # The deadline may have passed while nobody played.
        entries = tuple(entry.cleaned for entry in answer(self.state, request, clock()))
        self.write(*entries)
        if isinstance(request, Prune):
            # Delete even if the entry is not new: a kill may have left some of the logs.
            delete(self.folder, request.last, private_only=request.private_only)
        return entries

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.journal.close()
