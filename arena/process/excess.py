"""Measures the CPU time that a bot takes while it is frozen: of all its processes, ended ones included.

    at each freeze and thaw   the clocks of the processes that were found at the last look are read
    at each look (watchdog)   new and ended processes are counted too, by the kernel's sum for the bot's
                              cgroup; without a cgroup, ended ones only if somebody has waited for them

Knows clocks; neither how a bot is frozen nor what follows from an excess.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from arena.process.tree import clock, read_clocks

TAIL_SECONDS: Final = 0.02
"""CPU time per freeze that does not count, since a stop is not immediate: threads enter or leave the kernel,
or exit, which takes long if much memory is freed. Measured: docs/organiser.md."""
PIECE_SECONDS: Final = 0.1
"""The most that counts between two readings, which are normally 50 ms apart. Without this bound a pause of
the virtual machine could be counted against a bot."""
GROUP: Final = 0
"""The key that stands for all processes in the cgroup, in place of a pid."""


class CpuSpent(NamedTuple):
    """Seconds of CPU time: by living process, and of the ended ones for which these have waited."""

    living: Mapping[int, float]
    waited: float

    def since(self, before: "CpuSpent") -> float:
        """The seconds that were certainly taken since `before`. `waited` grows by all the time of a process
        that was waited for, so what was already counted of ended processes is subtracted."""
        grown = sum(max(0.0, seconds - before.living.get(pid, 0.0)) for pid, seconds in self.living.items())
        ended = sum(seconds for pid, seconds in before.living.items() if pid not in self.living)
        return grown + max(0.0, self.waited - before.waited - ended)


class ExcessMeter:
    """Adds up a bot's excess: `seconds` so far."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._clocks: list[int] = []
        """The clocks of the processes that were found at the last look."""
        self._read = 0.0
        """The sum of their readings at the freeze or the last look."""
        self._seen: CpuSpent | None = None
        """What was found at the last look since the freeze; None before the first."""
        self._tail = 0.0
        """What is left of this freeze's TAIL_SECONDS."""

    def freeze(self) -> None:
        """To be called when the bot has just been stopped."""
        self._tail, self._seen = TAIL_SECONDS, None
        self._read = read_clocks(self._clocks)

    def thaw(self) -> None:
        """To be called when the bot is about to go on."""
        if (seconds := read_clocks(self._clocks) - self._read) > 0.0:
            self._add(seconds)

    def look(self, pids: Iterable[int], waited: float, frozen: bool, group: float | None = None) -> None:
        """Count what was taken since the last reading. `pids`: the processes whose clocks are read from now
        on. `waited`: seconds of the ended processes for which they have waited. `group`: the CPU time of the
        bot's cgroup, which need not hold `pids`; None without a cgroup."""
        clocks = {pid: clock(pid) for pid in pids}
        living = {pid: read_clocks([number]) for pid, number in clocks.items()}
        spent = CpuSpent(living, waited) if group is None else CpuSpent({GROUP: group}, 0.0)
        if frozen:
            # At the first look of a freeze only known clocks count: a process found now may have existed
            # before the freeze, and have computed during the bot's own turn.
            known = read_clocks(self._clocks) - self._read
            self._add(max(known, spent.since(self._seen)) if self._seen else known)
            self._seen = spent
        self._clocks = list(clocks.values())
        self._read = sum(living.values())

    def _add(self, seconds: float) -> None:
        if seconds > 0.0:
            tolerated = min(seconds, self._tail)
            self._tail -= tolerated
            self.seconds += min(seconds - tolerated, PIECE_SECONDS)
