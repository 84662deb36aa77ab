"""Measures the CPU time that the processes of a bot use while it is frozen.

    at each freeze and thaw   reads the clocks of the processes that were found at the last look
    at each look (watchdog)   counts new and ended processes too, by the kernel's total for the bot's cgroup;
                              without a cgroup, an ended process counts only once its parent has waited for it

Knows clocks; neither how a bot is frozen nor what follows from an excess.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from arena.process.tree import clock, read_clocks

TAIL_SECONDS: Final = 0.02
"""CPU time that is not counted in each freeze, since a stop is not immediate: threads enter or leave the
kernel, or exit, which takes long if much memory is freed. Measurements: docs/organiser.md."""
PIECE_SECONDS: Final = 0.1
"""The maximum that is counted between two readings, which are normally 50 ms apart. Without it a pause of the
virtual machine could be counted against a bot."""
GROUP: Final = 0
"""Used in place of a pid, for all processes in the cgroup."""


class CpuSpent(NamedTuple):
    """Seconds of CPU time. `living`: by pid. `waited`: of ended children that the living have reaped."""

    living: Mapping[int, float]
    waited: float

    def since(self, before: "CpuSpent") -> float:
        """A lower bound of the seconds used since `before`. `waited` grows by the whole CPU time of a process
        that was waited for, so what was already counted for ended processes is subtracted."""
        grown = sum(max(0.0, seconds - before.living.get(pid, 0.0)) for pid, seconds in self.living.items())
        ended = sum(seconds for pid, seconds in before.living.items() if pid not in self.living)
        return grown + max(0.0, self.waited - before.waited - ended)


class ExcessMeter:
    """Adds up the excess of a bot in `seconds`."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._clocks: list[int] = []
        """The clocks of the processes that were found at the last look."""
        self._read = 0.0
        """The sum of their readings at the freeze or the last look."""
        self._seen: CpuSpent | None = None
        """The measurement of the last look in this freeze; None before the first."""
        self._tail = 0.0
        """What is left of this freeze's TAIL_SECONDS."""

    def freeze(self) -> None:
        """Call this right after the bot has been stopped."""
        self._tail, self._seen = TAIL_SECONDS, None
        self._read = read_clocks(self._clocks)

    def thaw(self) -> None:
        """Call this right before the bot is resumed."""
        if (seconds := read_clocks(self._clocks) - self._read) > 0.0:
            self._add(seconds)

    def look(self, pids: Iterable[int], waited: float, frozen: bool, group: float | None = None) -> None:
        """Count the CPU time since the last reading. `pids`: the processes whose clocks are read from now on.
        `waited`: seconds of ended processes that they have waited for. `group`: seconds of the bot's cgroup,
        which need not contain `pids`; None without a cgroup."""
        clocks = {pid: clock(pid) for pid in pids}
        living = {pid: read_clocks([number]) for pid, number in clocks.items()}
        spent = CpuSpent(living, waited) if group is None else CpuSpent({GROUP: group}, 0.0)
        if frozen:
            # The first look of a freeze counts only clocks that are known: a process found now may have
            # existed before the freeze, and have computed during the bot's own turn.
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
