"""The CPU time that a bot takes while it is frozen, of all its processes, those included that have ended.

    at each turn      the clocks of the processes that were found at the last look
    from look to look also those that have come since, and the dead: by the kernel's sum for the bot's cgroup,
                      without one as far as somebody has waited for them

Knows clocks; neither how a bot is frozen nor what follows.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from arena.descendants import clock, read_clocks

TAIL_SECONDS: Final = 0.02
"""Of every freeze, for what cannot be stopped: threads on their way into the kernel, out of it, and to their
end, which takes long where much memory is given back. Measured: docs/organiser.md."""
PIECE_SECONDS: Final = 0.1
"""No more counts between two readings, which are 50 ms apart where the machine is in order. A host that takes
the machine's time away just then would else be counted too."""
GROUP: Final = 0
"""Stands for all processes in the cgroup."""


class Spent(NamedTuple):
    """Seconds of CPU time: by living process, and of the dead ones for which these have waited."""

    living: Mapping[int, float]
    waited: float

    def since(self, before: "Spent") -> float:
        """What was surely taken since then. Who has ended may have been waited for, which tells all of its
        time."""
        grown = sum(max(0.0, seconds - before.living.get(pid, 0.0)) for pid, seconds in self.living.items())
        ended = sum(seconds for pid, seconds in before.living.items() if pid not in self.living)
        return grown + max(0.0, self.waited - before.waited - ended)


class Excess:
    """Adds it up: `seconds` so far."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._clocks: list[int] = []
        """Of the processes that were found at the last look."""
        self._read = 0.0
        """By them."""
        self._seen: Spent | None = None
        """At the last look since the freeze."""
        self._tail = 0.0

    def freeze(self) -> None:
        """The bot has just been stopped."""
        self._tail, self._seen = TAIL_SECONDS, None
        self._read = read_clocks(self._clocks)

    def thaw(self) -> None:
        """The bot is about to go on."""
        self._add(read_clocks(self._clocks) - self._read)

    def look(self, pids: Iterable[int], waited: float, frozen: bool, group: float | None = None) -> None:
        """`pids`: the processes to be reckoned with from now on, and the seconds of those for which they have
        waited. `group`: what the kernel counts for the bot's cgroup, in which those may be or not."""
        clocks = {pid: clock(pid) for pid in pids}
        living = {pid: read_clocks([number]) for pid, number in clocks.items()}
        spent = Spent(living, waited) if group is None else Spent({GROUP: group}, 0.0)
        if frozen:
            # What is new since the freeze may have been there before it, and computed when it was asked.
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
