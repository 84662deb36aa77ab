"""How long a tournament takes, from what its matches have taken so far: one forecast for the terminal, pages,
plans and deadlines.

Pure: times come in, in seconds of a clock that nobody sets.
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
"""Rounds that count: bots are replaced, and machines get other work."""
LEAST_SPREAD: Final = 0.1
SPREAD_OF_ONE: Final = 0.25
"""After one round nothing is known yet of how much rounds differ, except by how much its halves did."""
SPREAD_ELSEWHERE: Final = 0.5
"""What was measured in another run, or in a part of a round."""
MOST_LOGS: Final = 200
"""The logs of a run that are read for their times."""


class Expected(NamedTuple):
    """A duration that is expected. It may be longer or shorter by this `spread`, a share of it."""

    seconds: float
    spread: float

    @property
    def at_most(self) -> float:
        """The duration that is hardly exceeded; the worst case is far longer."""
        return self.seconds * (1 + self.spread)


class Stretch(NamedTuple):
    """Matches that were played one after another or side by side, and the seconds that passed."""

    matches: int
    seconds: float
    first_half: float | None = None
    """The seconds of the first half of the matches, without the one in the middle; None if unknown."""

    @property
    def unevenness(self) -> float:
        """By how much the pace of its halves differs, as a share of its own."""
        half = self.matches // 2
        if self.first_half is None or not half or not self.seconds:
            return inf
        rest = (self.seconds - self.first_half) / (self.matches - half)
        return abs(self.first_half / half - rest) * self.matches / self.seconds


class Forecast:
    """The pace of a tournament since this was made. `entries` is the journal's own list, which grows; `look`
    takes in what is new. `before`: what one match was expected to take before any was seen, None if that is
    unknown."""

    def __init__(self, entries: Sequence[JournalEntry], now: float, before: Expected | None = None) -> None:
        created = entries[0]
        assert isinstance(created, Created)
        self._created = created
        self._entries = entries
        self._seen = 0
        self._before = before
        self._finished: list[Stretch] = []
        self._since: float = now
        self._ends: list[float] = []
        """When the matches ended that did since then."""
        self._matches: dict[int, int] = {}  # drawn, by round
        self._ended: dict[int, int] = {}
        self._closed = False
        self.deadline: Deadline | None = None
        """The one that holds."""
        self.look(now)
        # When the entries before were made is not known.
        self._finished.clear()
        self._since = now
        self._ends.clear()

    @property
    def _done(self) -> int:
        return len(self._ends)

    def look(self, now: float) -> None:
        """Takes in the entries that are new. To be called with each entry, since only then its time is
        right."""
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
        """Of the matches since the last draw."""
        half = len(self._ends) // 2
        return Stretch(self._done, now - self._since, self._ends[half - 1] - self._since if half else None)

    @property
    def drawn(self) -> list[int]:
        """The matches of each round that was drawn."""
        return list(self._matches.values())

    def matches_of(self, pods: Sequence[Sequence[str]]) -> int:
        """The matches of a round with these pods."""
        return sum(matches_of_a_pod(self._created, len(pod)) for pod in pods)

    @property
    def round_no(self) -> int:
        """The round that was drawn last; 0 before the first."""
        return len(self._matches)

    @property
    def matches_of_round(self) -> int:
        """All matches of the round that was drawn last."""
        return self._matches.get(self.round_no, 0)

    @property
    def done_of_round(self) -> int:
        """Those of them that have ended."""
        return self._ended.get(self.round_no, 0)

    @property
    def done(self) -> int:
        """All matches that have ended."""
        return sum(self._ended.values())

    @property
    def due(self) -> int:
        """The matches that are drawn and still to be played, annulled ones of earlier rounds included."""
        return 0 if self._closed else max(0, sum(self._matches.values()) - self.done)

    def round_of(self, matches: int, now: float) -> Expected | None:
        """What a further round of so many matches takes; None if nothing is known."""
        over = [self._stretch(now)] if self._done and not self.due else []
        recent = [*self._finished, *over][-RECENT_ROUNDS:]
        if recent:
            pace = sum(one.seconds for one in recent) / sum(one.matches for one in recent)
            spread = max(abs(one.seconds / one.matches / pace - 1) for one in recent)
            if len(recent) == 1:
                spread = min(SPREAD_OF_ONE, recent[0].unevenness)
            return Expected(pace * matches, max(LEAST_SPREAD, spread))
        if self._done:
            return Expected((now - self._since) / self._done * matches, SPREAD_ELSEWHERE)
        if self._before is not None:
            return Expected(self._before.seconds * matches, self._before.spread)
        return None

    def left_of_round(self, now: float) -> float | None:
        """The seconds that the matches take which are due; None if nothing is known. The pace is that of this
        round and of those before it together, so that one that comes to a halt is noticed."""
        if not self.due:
            return 0.0
        recent = [*self._finished[-RECENT_ROUNDS:], Stretch(self._done, now - self._since)]
        if ended := sum(one.matches for one in recent):
            return sum(one.seconds for one in recent) / ended * self.due
        return None if self._before is None else self._before.seconds * self.due


def fits(left: float, expected: Expected | None, grace: float = 0.0) -> bool:
    """Whether a round may be begun when so many seconds are `left`, and its last match has so many more to
    end. One of which nothing is known may be: there is no other way to learn of it."""
    if expected is None or left <= 0:
        return left > 0
    return expected.seconds <= left and expected.at_most <= left + grace


def rounds_that_fit(left: float, expected: Expected, most: int) -> int:
    """How many rounds end in the seconds that are left, at `most` so many."""
    if left <= 0:
        return 0
    return most if not expected.seconds else max(0, min(most, int(left / expected.seconds - expected.spread)))


def measured(journal: Journal, workers: int, deals: int | None = None) -> Expected | None:
    """What a match takes of the time of so many workers, by the logs of this run, for matches of `deals`;
    None where they do not say. The latest matches count. Logs that cannot be read are left out."""
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
