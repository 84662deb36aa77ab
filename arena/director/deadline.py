"""A tournament that has to end in time: how long it still has, whether a further round fits, and what ends a
round that does not.

The clock is read here and nowhere else in this room; what was decided by it is an entry of the journal.
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
"""The clock is looked at this often, since it may be set, and the machine may have slept."""
GRACE_SECONDS: Final = 5.0
"""At the deadline no match is begun any more; those that run have so long to end."""


def since_boot() -> float:
    """Seconds of a clock that nobody sets and that goes on while the machine sleeps, where there is one."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class Countdown:
    """The seconds that are left until a deadline. One by the clock holds by whatever the clock shows; a
    duration is counted from when this is made, and does not mind a clock that is set."""

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
        """Negative when it is over."""
        return self.deadline.at - self._wall() if self.deadline.by_clock else self._ends - self._steady()


class Timekeeper:
    """Tells the director when to stop. `entries` is the journal's own list, which grows. `before`: as for a
    Forecast."""

    def __init__(self, entries: Sequence[JournalEntry], before: Expected | None = None) -> None:
        self._countdown: Countdown | None = None
        self._forecast = Forecast(entries, time.monotonic(), before)

    def look(self) -> None:
        """To be called with each entry."""
        self._forecast.look(time.monotonic())

    @property
    def seconds_left(self) -> float:
        """Until the deadline; infinite without one."""
        deadline = self._forecast.deadline
        if deadline is None:
            return inf
        if self._countdown is None or self._countdown.deadline is not deadline:
            self._countdown = Countdown(deadline)
        return self._countdown.seconds_left

    def is_over(self) -> bool:
        """Whether no match may be begun any more."""
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
        """Cancels what is inside GRACE_SECONDS after the deadline."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch, nursery.cancel_scope)
            yield
            nursery.cancel_scope.cancel()

    async def _watch(self, inside: trio.CancelScope) -> None:
        while self.seconds_left > -GRACE_SECONDS:
            await trio.sleep(LOOK_SECONDS)
        inside.cancel()


def time_up(record: Record) -> TimeUp:
    """The entry by which the tournament ends now."""
    return TimeUp(len(record.drawn), record.unfinished)


def rounds_expected(
    deadline: Deadline, left: float, forecast: Forecast, matches: int, now: float
) -> int | None:
    """How many rounds there will be until a deadline to which so many seconds are left, if each further one
    has so many matches. None if nothing is known."""
    this, further = forecast.left_of_round(now), forecast.round_of(matches, now)
    if this is None or further is None:
        return None
    most = max(0, deadline.most_rounds - forecast.round_no)
    return forecast.round_no + rounds_that_fit(left - this, further, most)
