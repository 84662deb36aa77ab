"""Keeps an eye on the bots of a match: kills one whose processes use more memory than allowed, and adds up
the CPU time that one takes while it is frozen, as only processes outside its group can.

It looks every 50 ms, which costs some 50 µs a process, and nothing in between. Knows neither games nor what
follows from a kill.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import trio

from arena.botprocess import BotProcess
from arena.cores import allowed
from arena.descendants import tree, usage

INTERVAL_SECONDS: Final = 0.05
SPAN_SECONDS: Final = 1.0
"""CPU time is counted in steps of 10 ms, so that only over many turns it can be told from that of a turn."""
DOUBT_SECONDS: Final = 0.05
"""So much of a span is those steps, and the walls of a sandbox, which take a moment now and then."""


class Spent(NamedTuple):
    """At one moment: seconds by the clock, seconds for which the bot was not frozen, and its CPU time."""

    clock: float
    awake: float
    cpu: float


class Watchdog:
    """`bots` gives those that are there at the moment, by seat; `memory` is in bytes."""

    def __init__(self, bots: Callable[[], Mapping[int, BotProcess]], memory: int) -> None:
        self._bots = bots
        self._memory = memory
        self._cores = len(allowed())
        self._since: dict[int, Spent] = {}
        self._excess: defaultdict[int, float] = defaultdict(float)

    async def watch(self) -> None:
        while True:
            await trio.sleep(INTERVAL_SECONDS)
            for seat, bot in self._bots().items():
                self._look(seat, bot)

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


def _spent(bot: BotProcess, cpu: float) -> Spent:
    return Spent(trio.current_time(), bot.awake, cpu)
