"""Keeps an eye on the bots of a match: kills one whose processes use more memory than allowed, and adds up
the CPU time that one takes while it is frozen, as only processes outside its group can.

It looks every 50 ms, which costs some 30 µs a process, and nothing in between. Knows neither games nor what
follows from a kill.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final

import trio

from arena.botprocess import BotProcess
from arena.descendants import usage

INTERVAL_SECONDS: Final = 0.05


class Watchdog:
    """`bots` gives those that are there at the moment, by seat; `memory` is in bytes, `excess` in seconds."""

    def __init__(self, bots: Callable[[], Mapping[int, BotProcess]], memory: int) -> None:
        self.excess: defaultdict[int, float] = defaultdict(float)
        self._bots = bots
        self._memory = memory
        self._at_rest: dict[int, tuple[int, float]] = {}

    async def watch(self) -> None:
        while True:
            await trio.sleep(INTERVAL_SECONDS)
            for seat, bot in self._bots().items():
                self._look(seat, bot)

    def _look(self, seat: int, bot: BotProcess) -> None:
        used = usage(bot.pid)
        memory = used.memory + bot.scratch()
        if memory > self._memory:
            bot.condemn(memory)
        if bot.frozen:
            turns, cpu = self._at_rest.get(seat, (0, 0.0))
            if turns == bot.turns:
                self.excess[seat] += max(0.0, used.cpu - cpu)
            self._at_rest[seat] = bot.turns, used.cpu
