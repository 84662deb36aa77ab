"""How far a tournament is."""

import time

from arena.calls.wording import duration
from arena.running.journal import Created, Drawn, JournalEntry, MatchPlayed, Skipped
from arena.running.state import planned_matches


class Progress:
    """As text: the round, the matches done, and the time left at the present pace. Any number may be read."""

    def __init__(self, created: Created, entries: list[JournalEntry]) -> None:
        self._entries = entries
        self._rounds = created.rounds
        self._planned = sum(planned_matches(created))
        self._begun = time.monotonic()
        self._before = self._done()

    def __str__(self) -> str:
        done = self._done()
        round_no = sum(isinstance(entry, Drawn) for entry in self._entries)
        text = f"round {round_no} of {self._rounds} · {done} of {self._planned} matches"
        if done == self._before:
            return text
        each = (time.monotonic() - self._begun) / (done - self._before)
        return f"{text} · {duration(each * (self._planned - done))} left"

    def _done(self) -> int:
        return sum(isinstance(entry, MatchPlayed | Skipped) for entry in self._entries)
