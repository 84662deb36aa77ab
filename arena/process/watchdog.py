"""Keeps an eye on the bots of a match: kills one whose processes use more memory than allowed, or compute
while it is frozen, and sees how much of the machine a bot gets while it is asked.

It looks every 50 ms, which costs some 50 µs a process, and nothing in between. Knows neither games nor what
follows from a kill.
"""

import math
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import trio

from arena.process.botprocess import BotProcess
from arena.process.tree import Load, load, tree, usage

INTERVAL_SECONDS: Final = 0.05
TOLERATED_SECONDS: Final = 0.1
"""A look that is later than this shows that the machine, or we, stood still."""
EXCESS_SECONDS: Final = 0.5
"""So much CPU time while it is frozen is tolerated of a bot in one match, beyond what is not to be avoided:
ten looks at a helper that has a core."""


class Watched(NamedTuple):
    """How a request went on after it was first looked at, in seconds: how long that is, the CPU time that the
    bot's processes took in it and the longest that one of their threads was queued for a core, both at least,
    and how late we were woken at most."""

    seconds: float = 0.0
    cpu: float = 0.0
    queued: float = 0.0
    lag: float = 0.0


class Watchdog:
    """`bots` gives those that are there at the moment, by seat; `memory` is in bytes."""

    def __init__(self, bots: Callable[[], Mapping[int, BotProcess]], memory: int) -> None:
        self._bots = bots
        self._memory = memory
        self._excess_before: dict[int, float] = {}
        """By seat, what a bot had taken before this match."""
        self._excess: dict[int, float] = {}
        self._asked: int | None = None
        self._first: tuple[float, Load] | None = None
        """When a look was first taken into the open request, and what had been computed by then."""
        self._due = math.inf
        self._lag = 0.0
        self._next = math.inf
        """When we were to run again, as far as `_losses` are counted."""
        self._computed = 0.0
        """CPU time of all bots at the last look, in seconds."""
        self._losses: list[tuple[float, float]] = []

    async def watch(self) -> None:
        while True:
            self._due = self._next = trio.current_time() + INTERVAL_SECONDS
            await trio.sleep_until(self._due)
            bots = self._bots()
            self._count_loss(bots)
            self._computed = _computed(bots)
            self._look_into_the_request(bots)
            for seat, bot in bots.items():
                self._look(seat, bot)

    def asked(self, seat: int) -> None:
        """A request to this seat is opened. Nothing is measured before the next look: most are answered by
        then, and must not pay."""
        self._asked, self._first = seat, None

    def watched(self) -> Watched:
        """What has been seen of the request that was opened last, up to now."""
        now = trio.current_time()
        lag = max(self._lag if self._first else 0.0, now - self._due)
        bot = self._bots().get(self._asked) if self._asked is not None else None
        if bot is None or self._first is None:
            return Watched(lag=lag)
        since, before = self._first
        return Watched(now - since, *load(tree(bot.pid)).since(before), lag)

    def lost_since(self, begun: float) -> float:
        """Seconds after `begun` in which we could not run, and no bot's computing was why: the machine was
        asleep or stopped, or had no core for us. They are nobody's time."""
        self._count_loss(self._bots())
        return sum(min(seconds, ended - begun) for ended, seconds in self._losses if ended > begun)

    def _count_loss(self, bots: Mapping[int, BotProcess]) -> None:
        now = trio.current_time()
        late = now - self._next
        if late > TOLERATED_SECONDS:
            # Else a bot could keep us from running, and gain time by it.
            own_doing = max(0.0, _computed(bots) - self._computed)
            if (seconds := late - own_doing) > 0:
                self._losses.append((now, seconds))
            self._next = now

    def _look_into_the_request(self, bots: Mapping[int, BotProcess]) -> None:
        if self._first is not None:
            self._lag = max(self._lag, trio.current_time() - self._due)
        elif self._asked is not None and self._asked in bots:
            self._first, self._lag = (trio.current_time(), load(tree(bots[self._asked].pid))), 0.0

    def excess(self) -> Mapping[int, float]:
        """By seat, the seconds of CPU time that a bot took while it was frozen, where there were any."""
        bots = self._bots()
        for seat in self._excess.keys() & bots.keys():
            self._count(seat, bots[seat])
        return {seat: seconds for seat, seconds in self._excess.items() if seconds > 0.0}

    def _look(self, seat: int, bot: BotProcess) -> None:
        if (memory := bot.look()) > self._memory:
            bot.condemn(memory=memory)
        elif (excess := self._count(seat, bot)) > EXCESS_SECONDS:
            bot.condemn(excess=excess)

    def _count(self, seat: int, bot: BotProcess) -> float:
        self._excess[seat] = bot.excess - self._excess_before.setdefault(seat, bot.excess)
        return self._excess[seat]


def _computed(bots: Mapping[int, BotProcess]) -> float:
    return sum(usage(tree(bot.pid)).cpu for bot in bots.values())
