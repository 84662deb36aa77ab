"""How far a tournament is, and how long it will take at its present pace."""

import time

from arena.calls.wording import duration
from arena.running.journal import Annulled, Created, Drawn, Extended, JournalEntry, MatchPlayed, Skipped
from arena.running.state import planned_matches


class Pace:
    """The pace of a tournament since this was made. `entries` is the journal's own list, which grows. As
    text: the round, the matches done, and the time left."""

    def __init__(self, created: Created, entries: list[JournalEntry]) -> None:
        self._created = created
        self._entries = entries
        self._begun = time.monotonic()
        self._before = self.done

    def __str__(self) -> str:
        round_no = sum(isinstance(entry, Drawn) for entry in self._entries)
        text = f"round {round_no} of {self.rounds} · {self.done} of {self.total} matches"
        return text if self.seconds_left is None else f"{text} · {duration(self.seconds_left)} left"

    @property
    def rounds(self) -> int:
        """Rounds that are planned, later ones included."""
        extended = [entry.rounds for entry in self._entries if isinstance(entry, Extended)]
        return extended[-1] if extended else self._created.rounds

    @property
    def total(self) -> int:
        """Matches that will be played as far as one knows."""
        return sum(planned_matches(self._created, self.rounds))

    @property
    def done(self) -> int:
        """Matches that have ended, those before this was made included."""
        ended = sum(isinstance(entry, MatchPlayed | Skipped) for entry in self._entries)
        return ended - sum(isinstance(entry, Annulled) for entry in self._entries)

    @property
    def seconds_left(self) -> float | None:
        """None until a match has ended."""
        done = self.done
        if done == self._before:
            return None
        return (time.monotonic() - self._begun) / (done - self._before) * (self.total - done)
