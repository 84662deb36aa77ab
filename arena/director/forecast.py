"""Predicts how long a tournament takes, from how long its matches have taken so far: one forecast for the
terminal, pages, plans and deadlines.

Pure: times are passed in, in seconds of a monotonic clock.
"""

from collections.abc import Sequence
from math import inf
from typing import Final, NamedTuple

import msgspec

from arena.director.entries import (
    Created,
    Deadline,
    Extended,
    JournalEntry,
    MatchAnnulled,
    MatchPlayed,
    RoundPaired,
    Skipped,
    TimeUp,
)
from arena.director.journal import Journal
from arena.director.state import Record, matches_of_a_pod
from arena.log.entries import MatchClosed, parse_line
from arena.system.errors import UserError

RECENT_ROUNDS: Final = 3
"""Only the last rounds count, since bots are replaced, and machines get other work."""
LEAST_SPREAD: Final = 0.1
SPREAD_OF_ONE: Final = 0.25
"""The most spread after a single round, of which only the difference between its halves is known."""
SPREAD_ELSEWHERE: Final = 0.5
"""The spread of a pace measured in another run, or in a part of a round."""
MOST_LOGS: Final = 200
"""Logs of a run that are read for their times."""


class Expected(NamedTuple):
    """An expected duration. It may be longer or shorter by `spread`, as a share of it."""

    seconds: float
    spread: float

    @property
    def at_most(self) -> float:
        """The duration that is rarely exceeded. The worst case is far longer."""
        return self.seconds * (1 + self.spread)


class Stretch(NamedTuple):
    """Matches played one after another or in parallel, and the seconds that passed."""

    matches: int
    seconds: float
    first_half: float | None = None
    """The seconds of the first half of the matches, without the middle one; None if unknown."""

    @property
    def unevenness(self) -> float:
        """The difference between the paces of both halves, as a share of the pace; infinite if unknown."""
        half = self.matches // 2
        if self.first_half is None or not half or not self.seconds:
            return inf
        rest = (self.seconds - self.first_half) / (self.matches - half)
        return abs(self.first_half / half - rest) * self.matches / self.seconds


class Forecast:
    """The pace of a tournament since the creation of this object."""

    def __init__(self, entries: Sequence[JournalEntry], now: float, before: Expected | None = None) -> None:
        """`entries` is the journal's own list, which grows; `look` reads what is new. `before`: the expected
        time of one match before any was observed, None if unknown."""
        created = entries[0]
        assert isinstance(created, Created)
        self._created = created
        self._entries = entries
        self._seen = 0
        self._before = before
        self._finished: list[Stretch] = []
        self._since: float = now
        self._ends: list[float] = []
        """When each match since then ended."""
        self._matches: dict[int, int] = {}
        """The matches that were drawn, by round."""
        self._ended: dict[int, int] = {}
        self._closed = False
        self.deadline: Deadline | None = None
        """The deadline in force."""
        self.look(now)
        # The times of earlier entries are unknown.
        self._finished.clear()
        self._since = now
        self._ends.clear()

    @property
    def _done(self) -> int:
        return len(self._ends)

    def look(self, now: float) -> None:
        """Read new entries. Call it with each entry, since each is taken to have happened `now`."""
        for entry in self._entries[self._seen :]:
            match entry:
                case RoundPaired(round_no=round_no, pods=pods):
                    if self._ends:
                        self._finished.append(self._stretch(now))
                    self._since, self._ends = now, []
                    self._matches[round_no] = self.matches_of(pods)
                    self._closed = False
                case MatchPlayed(round_no=round_no) | Skipped(round_no=round_no):
                    self._ended[round_no] = self._ended.get(round_no, 0) + 1
                    self._ends.append(now)
                case MatchAnnulled(match_id=match_id):
                    round_no = int(match_id[1:].partition("-")[0])
                    self._ended[round_no] = self._ended.get(round_no, 0) - 1
                case Deadline():
                    self.deadline = entry
                case Extended():
                    self.deadline = None
                case TimeUp():
                    self._closed, self.deadline = True, None
        self._seen = len(self._entries)

    def _stretch(self, now: float) -> Stretch:
        """The matches since the last round was drawn."""
        half = len(self._ends) // 2
        return Stretch(self._done, now - self._since, self._ends[half - 1] - self._since if half else None)

    @property
    def drawn(self) -> list[int]:
        """The number of matches of each round that was drawn."""
        return list(self._matches.values())

    def matches_of(self, pods: Sequence[Sequence[str]]) -> int:
        """The number of matches of a round with these pods."""
        return sum(matches_of_a_pod(self._created, len(pod)) for pod in pods)

    @property
    def round_no(self) -> int:
        """The round that was drawn last; 0 before the first."""
        return len(self._matches)

    @property
    def matches_of_round(self) -> int:
        """The number of matches of the round that was drawn last."""
        return self._matches.get(self.round_no, 0)

    @property
    def done_of_round(self) -> int:
        """How many of them have ended."""
        return self._ended.get(self.round_no, 0)

    @property
    def done(self) -> int:
        """How many matches have ended in all."""
        return sum(self._ended.values())

    @property
    def due(self) -> int:
        """How many matches are drawn and still to be played, annulled ones of earlier rounds included."""
        return 0 if self._closed else max(0, sum(self._matches.values()) - self.done)

    def round_of(self, matches: int, now: float) -> Expected | None:
        """The expected time of a further round with this many matches; None if the pace is unknown."""
        over = [self._stretch(now)] if self._done and not self.due else []
        recent = [*self._finished, *over][-RECENT_ROUNDS:]
        if recent:
            pace = sum(stretch.seconds for stretch in recent) / sum(stretch.matches for stretch in recent)
            spread = max(abs(stretch.seconds / stretch.matches / pace - 1) for stretch in recent)
            if len(recent) == 1:
                spread = min(SPREAD_OF_ONE, recent[0].unevenness)
            return Expected(pace * matches, max(LEAST_SPREAD, spread))
        if self._done:
            return Expected((now - self._since) / self._done * matches, SPREAD_ELSEWHERE)
        if self._before is not None:
            return Expected(self._before.seconds * matches, self._before.spread)
        return None

    def left_of_round(self, now: float) -> float | None:
        """The expected seconds until all due matches have ended; None if the pace is unknown. It is the pace
        of this and the last rounds together, so that a stalled round shows."""
        if not self.due:
            return 0.0
        recent = [*self._finished[-RECENT_ROUNDS:], Stretch(self._done, now - self._since)]
        if ended := sum(stretch.matches for stretch in recent):
            return sum(stretch.seconds for stretch in recent) / ended * self.due
        return None if self._before is None else self._before.seconds * self.due


def fits(left: float, expected: Expected | None, grace: float = 0.0) -> bool:
    """Whether a round may begin with `left` seconds until the deadline, plus `grace` for its last match. A
    round of unknown length may begin, since that is the only way to learn its pace."""
    if expected is None or left <= 0:
        return left > 0
    return expected.seconds <= left and expected.at_most <= left + grace


def rounds_that_fit(left: float, expected: Expected, most: int) -> int:
    """How many rounds end within `left` seconds, at most `most`."""
    if left <= 0:
        return 0
    return most if not expected.seconds else max(0, min(most, int(left / expected.seconds - expected.spread)))


def measured(journal: Journal, workers: int, deals: int | None = None) -> Expected | None:
    """The expected time of a match of `deals` with this many workers, from the logs of the run's latest
    matches; None if they do not say. Unreadable logs are skipped."""
    record = Record(journal.entries)
    seconds = []
    for match_id in list(record.played)[-MOST_LOGS:]:
        try:
            last = parse_line(journal.read_log(match_id).removesuffix("\n").rpartition("\n")[2].encode())
        except (UserError, msgspec.MsgspecError, ValueError, RecursionError):
            continue
        if isinstance(last, MatchClosed) and last.us:
            seconds.append(last.us / 1e6)
    if not seconds:
        return None
    scale = 1.0 if deals is None else deals / record.created.deals
    return Expected(sum(seconds) / len(seconds) / workers * scale, SPREAD_ELSEWHERE)
