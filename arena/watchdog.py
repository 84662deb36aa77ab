"""Keeps an eye on the bots of a match: kills one whose processes use more memory than allowed, adds up the
CPU time that one takes while it is frozen, as only processes outside its group can, and sees how much of the
machine a bot gets while it is asked.

It looks every 50 ms, which costs some 50 µs a process, and nothing in between. Knows neither games nor what
follows from a kill.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import trio

from arena.botprocess import BotProcess
from arena.cores import allowed
from arena.descendants import Load, load, tree, usage

INTERVAL_SECONDS: Final = 0.05
TOLERATED_SECONDS: Final = 0.1
"""A look that is later than this shows that the machine, or we, stood still."""
SPAN_SECONDS: Final = 1.0
"""CPU time is counted in steps of 10 ms, so that only over many turns it can be told from that of a turn."""
DOUBT_SECONDS: Final = 0.05
"""So much of a span is those steps, and the walls of a sandbox, which take a moment now and then."""


class Spent(NamedTuple):
    """At one moment: seconds by the clock, seconds for which the bot was not frozen, and its CPU time."""

    clock: float
    awake: float
    cpu: float


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
        self._cores = len(allowed())
        self._since: dict[int, Spent] = {}
        self._excess: defaultdict[int, float] = defaultdict(float)
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
        """By seat, the seconds of CPU time that were surely taken while the bot was frozen."""
        bots = self._bots()
        for seat in self._since.keys() & bots.keys():
            self._count(seat, _spent(bots[seat], usage(tree(bots[seat].pid)).cpu))
        return self._excess

    def _look(self, seat: int, bot: BotProcess) -> None:
        used = usage(tree(bot.pid))
        memory = used.memory + bot.scratch()
        if memory > self._memory:
            bot.condemn(memory)
        spent = _spent(bot, used.cpu)
        if spent.clock - self._since.setdefault(seat, spent).clock >= SPAN_SECONDS:
            self._count(seat, spent)

    def _count(self, seat: int, now: Spent) -> None:
        """What went beyond all cores in all of its own time, since it was last counted."""
        since, self._since[seat] = self._since[seat], now
        excess = now.cpu - since.cpu - self._cores * (now.awake - since.awake)
        if excess > DOUBT_SECONDS:
            self._excess[seat] += excess


def _computed(bots: Mapping[int, BotProcess]) -> float:
    return sum(usage(tree(bot.pid)).cpu for bot in bots.values())


def _spent(bot: BotProcess, cpu: float) -> Spent:
    return Spent(trio.current_time(), bot.awake, cpu)
