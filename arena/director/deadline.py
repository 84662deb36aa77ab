"""Keeps a tournament to its deadline: how much time is left, whether another round fits, and how a round that
overruns is ended.

Every decision that rests on the clock is made here and becomes an entry of the journal.
"""

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from math import inf
from typing import Final

import trio

from arena.director.entries import Deadline, JournalEntry, TimeUp
from arena.director.forecast import Expected, Forecast, fits, rounds_that_fit
from arena.director.state import Record

LOOK_SECONDS: Final = 0.5
"""How often the clock is checked, since it may be set, and the machine may have slept."""
GRACE_SECONDS: Final = 5.0
"""At the deadline no further match begins; running matches have this long to end."""


def since_boot() -> float:
    """Seconds of a clock that nobody sets and that, where available, continues while the machine sleeps."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class Countdown:
    """The seconds left until a deadline. A deadline at a time of day follows the wall clock. A duration
    counts from the creation of this object, and ignores changes of the clock."""

    def __init__(
        self,
        deadline: Deadline,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = since_boot,
    ) -> None:
        self.deadline = deadline
        self._wall, self._steady = wall, steady
        self._ends = steady() + deadline.at - wall()

    @property
    def seconds_left(self) -> float:
        """Negative after the deadline."""
        return self.deadline.at - self._wall() if self.deadline.by_clock else self._ends - self._steady()


class Timekeeper:
    """Tells the director when to stop. `entries` is the journal's list, which grows; `before`: see
    Forecast."""

    def __init__(self, entries: Sequence[JournalEntry], before: Expected | None = None) -> None:
        self._countdown: Countdown | None = None
        self._forecast = Forecast(entries, time.monotonic(), before)

    def look(self) -> None:
        """Register new entries. Call it with each entry."""
        self._forecast.look(time.monotonic())

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline; infinite without one."""
        deadline = self._forecast.deadline
        if deadline is None:
            return inf
        if self._countdown is None or self._countdown.deadline is not deadline:
            self._countdown = Countdown(deadline)
        return self._countdown.seconds_left

    def is_over(self) -> bool:
        """Whether no further match may begin."""
        return self.seconds_left <= 0

    def allows(self, pods: Sequence[Sequence[str]]) -> bool:
        """Whether a round of these pods is expected to end in time."""
        matches, now = self._forecast.matches_of(pods), time.monotonic()
        one = self._forecast.round_of(1, now)
        # What was begun before the deadline may still end; a match takes at least this long.
        grace = 0.0 if one is None else min(GRACE_SECONDS, one.seconds)
        return fits(self.seconds_left, self._forecast.round_of(matches, now), grace)

    @contextlib.asynccontextmanager
    async def cutting_off(self) -> AsyncIterator[None]:
        """Cancel the body of this context GRACE_SECONDS after the deadline."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch, nursery.cancel_scope)
            yield
            nursery.cancel_scope.cancel()

    async def _watch(self, inside: trio.CancelScope) -> None:
        while self.seconds_left > -GRACE_SECONDS:
            await trio.sleep(LOOK_SECONDS)
        inside.cancel()


def time_up(record: Record) -> TimeUp:
    """The entry that ends the tournament now."""
    return TimeUp(len(record.drawn), record.unfinished)


def rounds_expected(
    deadline: Deadline, left: float, forecast: Forecast, matches: int, now: float
) -> int | None:
    """The number of rounds expected by a deadline, `left` seconds away, if each further round has `matches`
    matches. None if the pace is unknown."""
    this, further = forecast.left_of_round(now), forecast.round_of(matches, now)
    if this is None or further is None:
        return None
    most = max(0, deadline.most_rounds - forecast.round_no)
    return forecast.round_no + rounds_that_fit(left - this, further, most)
