"""Watches the bots of a match: kills a bot whose processes use too much memory, are too many, or compute
while it is frozen, and measures how much CPU time a bot gets while a request to it is open.

It looks every 50 ms, which costs about 25 µs per process; less often if that would exceed a fiftieth of its
core, which it shares with the bots. Knows neither games nor what follows from a kill.
"""

import math
import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import trio

from arena.process.botprocess import BotProcess
from arena.process.tree import Load, load, tree

INTERVAL_SECONDS: Final = 0.05
SHARE: Final = 0.02
"""The maximum share of a core that looking may take."""
LONGEST_SECONDS: Final = 1.0
"""The maximum time between two looks, whatever they cost."""
MOST_PROCESSES: Final = 64
"""The limit on a bot's processes at a time, including zombies. The kernel's own limit counts threads too, and
a look does not see all memory that the kernel uses for a process."""
TOLERATED_SECONDS: Final = 0.1
"""A look that is later than this means that the machine, or this process, was paused."""
EXCESS_SECONDS: Final = 0.5
"""The CPU time that a bot may use while frozen, per match and beyond what freezing cannot prevent: as much as
a helper that has a core for ten looks."""


class Watched(NamedTuple):
    """Measurements of a request since the first look at it, in seconds."""

    seconds: float = 0.0
    """The time since the first look."""
    cpu: float = 0.0
    """A lower bound of the CPU time of the bot's processes."""
    queued: float = 0.0
    """A lower bound of the longest time that one of their threads was queued for a core."""
    lag: float = 0.0
    """How late we were woken at most."""


class Watchdog:
    """`bots`: returns the bots that are running now, by seat. `memory`: the limit for each in bytes."""

    def __init__(self, bots: Callable[[], Mapping[int, BotProcess]], memory: int) -> None:
        self._bots = bots
        self._memory = memory
        self._excess_before: dict[int, float] = {}
        """By seat, the excess of a reused process before this match."""
        self._excess: dict[int, float] = {}
        self._asked: int | None = None
        self._first: tuple[float, Load] | None = None
        """The time of the first look at the open request, and the load by then."""
        self._due = math.inf
        self._lag = 0.0
        self._next = math.inf
        """When we are due to run next, for `_losses`."""
        self._computed = 0.0
        """CPU time of all bots at the last look, in seconds."""
        self._losses: list[tuple[float, float]] = []
        """The end and the seconds of each loss: see `lost_since`."""

    async def watch(self) -> None:
        """Look at all bots every INTERVAL_SECONDS, or as often as SHARE allows, until it is cancelled."""
        cost = 0.0
        while True:
            pause = max(INTERVAL_SECONDS, min(cost / SHARE, LONGEST_SECONDS))
            self._due = self._next = trio.current_time() + pause
            await trio.sleep_until(self._due)
            begun = time.thread_time()
            bots = self._bots()
            self._count_loss(bots)
            self._measure_request(bots)
            for seat, bot in bots.items():
                self._look(seat, bot)
            self._computed = sum(bot.computed_seen for bot in bots.values())
            cost = time.thread_time() - begun
            self._losses.append((trio.current_time(), cost))

    def asked(self, seat: int) -> None:
        """Call this when a request to this seat is opened. Nothing is measured before the next look: most
        requests are answered by then, and measuring would slow them down."""
        self._asked, self._first = seat, None
        self._losses.clear()

    def watched(self) -> Watched:
        """The measurements of the latest request up to now."""
        now = trio.current_time()
        lag = max(self._lag if self._first else 0.0, now - self._due)
        bot = self._bots().get(self._asked) if self._asked is not None else None
        if bot is None or self._first is None:
            return Watched(lag=lag)
        since, before = self._first
        return Watched(now - since, *load(tree(bot.pid)).since(before), lag)

    def lost_since(self, begun: float) -> float:
        """The seconds since `begun`, within the open request, that are not charged to the bot: our own looks,
        and times in which the machine was suspended or had no core for us, unless bots were computing."""
        self._count_loss(self._bots())
        return sum(min(seconds, ended - begun) for ended, seconds in self._losses if ended > begun)

    def _count_loss(self, bots: Mapping[int, BotProcess]) -> None:
        now = trio.current_time()
        late = now - self._next
        if late > TOLERATED_SECONDS:
            # Subtract the CPU time of bots: otherwise a bot could gain time by keeping us from running.
            own_doing = max(0.0, _computed(bots) - self._computed)
            if (seconds := late - own_doing) > 0:
                self._losses.append((now, seconds))
            self._next = now

    def _measure_request(self, bots: Mapping[int, BotProcess]) -> None:
        if self._first is not None:
            self._lag = max(self._lag, trio.current_time() - self._due)
        elif self._asked is not None and self._asked in bots:
            self._first, self._lag = (trio.current_time(), load(tree(bots[self._asked].pid))), 0.0

    def excess(self) -> Mapping[int, float]:
        """By seat, the CPU seconds that a bot used in this match while frozen, if any."""
        bots = self._bots()
        for seat in self._excess.keys() & bots.keys():
            self._count(seat, bots[seat])
        return {seat: seconds for seat, seconds in self._excess.items() if seconds > 0.0}

    def _look(self, seat: int, bot: BotProcess) -> None:
        if (memory := bot.look()) > self._memory:
            bot.kill_over_limit(memory=memory)
        elif bot.processes > MOST_PROCESSES:
            bot.kill_over_limit(processes=bot.processes)
        elif (excess := self._count(seat, bot)) > EXCESS_SECONDS:
            bot.kill_over_limit(excess=excess)

    def _count(self, seat: int, bot: BotProcess) -> float:
        self._excess[seat] = bot.excess - self._excess_before.setdefault(seat, bot.excess)
        return self._excess[seat]


def _computed(bots: Mapping[int, BotProcess]) -> float:
    return sum(bot.computed() for bot in bots.values())
