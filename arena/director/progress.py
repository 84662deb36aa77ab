"""The progress of a tournament and the time left, as text."""

import time

from arena.director.deadline import Countdown, rounds_expected
from arena.director.entries import Created, Extended, JournalEntry
from arena.director.forecast import Forecast
from arena.director.state import expected_matches, planned_matches
from arena.system.wording import duration


class TournamentPace:
    """The pace of a tournament since the creation of this object. `entries` is the journal's own list, which
    grows. `str()` gives the round, its finished matches, and the time left."""

    def __init__(self, created: Created, entries: list[JournalEntry]) -> None:
        self._created = created
        self._entries = entries
        self._forecast = Forecast(entries, time.monotonic())
        self._countdown: Countdown | None = None

    def look(self) -> None:
        """Read new entries. The forecast is best if this is called with each of them."""
        self._forecast.look(time.monotonic())

    def __str__(self) -> str:
        self.look()
        forecast, now = self._forecast, time.monotonic()
        text = f"round {forecast.round_no}{self._of_rounds()}"
        text += f" · {forecast.done_of_round} of {forecast.matches_of_round} matches"
        this, whole = forecast.left_of_round(now), self.seconds_left
        if this and this != whole:
            text += f", {duration(this)} left"
        if whole is not None:
            text += f" · {duration(whole)} left in all"
        return text

    def _of_rounds(self) -> str:
        """The number of planned rounds, or of those expected before the deadline; "" if unknown."""
        if self._forecast.deadline is None:
            return f" of {self._planned}"
        expected = self._expected_rounds()
        return "" if expected is None else f" of about {expected}"

    def _expected_rounds(self) -> int | None:
        deadline = self._forecast.deadline
        if deadline is None:
            return None
        if self._countdown is None or self._countdown.deadline is not deadline:
            self._countdown = Countdown(deadline)
        left, matches = self._countdown.seconds_left, self._matches_of_next
        return rounds_expected(deadline, left, self._forecast, matches, time.monotonic())

    @property
    def _planned(self) -> int:
        extended = [entry.rounds for entry in self._entries if isinstance(entry, Extended)]
        return extended[-1] if extended else self._created.rounds

    @property
    def _matches_of_next(self) -> int:
        """The number of matches of a further round, if as many play as in this one."""
        return self._forecast.matches_of_round or planned_matches(self._created, 1)[0]

    @property
    def rounds(self) -> int:
        """The number of planned rounds or, with a deadline, of expected ones."""
        if self._forecast.deadline is not None:
            return self._expected_rounds() or max(1, self._forecast.round_no)
        return self._planned

    @property
    def total(self) -> int:
        """The expected number of matches in all."""
        if self._forecast.deadline is None:
            return expected_matches(self._created, self._forecast.drawn, self._planned)
        further = max(0, self.rounds - self._forecast.round_no)
        return self._forecast.done + self._forecast.due + further * self._matches_of_next

    @property
    def done(self) -> int:
        """The number of matches that have ended, since the start of the tournament."""
        self.look()
        return self._forecast.done

    @property
    def seconds_left(self) -> float | None:
        """The expected seconds until the end; None until the pace is known."""
        self.look()
        forecast, now = self._forecast, time.monotonic()
        this = forecast.left_of_round(now)
        further = forecast.round_of(max(0, self.total - forecast.done - forecast.due), now)
        return None if this is None or further is None else this + further.seconds
