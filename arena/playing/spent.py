"""What the processor time of a match went to: the bots, their sandboxes, the referee.

Knows the processes of bots by the CPU time that they have used; no rules and no log.
"""

import resource
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import msgspec

if TYPE_CHECKING:  # Tables of what was spent need no processes.
    from arena.process.botprocess import BotProcess

SpentMs = Annotated[int, msgspec.Meta(ge=0, le=10**10)]
"""Up to some months of a core, so that sums of strangers' journals stay numbers that can be shown."""


class Spent(msgspec.Struct, frozen=True, array_like=True):
    """CPU time in milliseconds, of one match or of several."""

    thinking: SpentMs
    """Of bots, after `ready`; of those kept from an earlier match, from `hello` on."""
    starting: SpentMs
    """Of bots, from their execution to `ready`."""
    sandboxes: SpentMs
    """Before bots are executed: sandboxes are set up, and the processes in which bots begin."""
    ending: SpentMs
    """Of the same processes after the last decision, and what could not be attributed. Bots that are kept for
    later matches do not count."""
    referee: SpentMs
    """Of the process that plays the match: it starts and watches the bots, applies the rules, writes the
    log."""


def total(matches: Iterable[Spent]) -> Spent | None:
    """The sums over some matches; None without matches."""
    columns = zip(*map(msgspec.structs.astuple, matches), strict=True)
    sums = [sum(column) for column in columns]
    return Spent(*sums) if sums else None


class SpentMeter:
    """Measures one match, from its creation to `spent`. Each process is measured before it executes the bot,
    when that is ready, after its last decision in each match, and at its end."""

    def __init__(self) -> None:
        self._keeps = False
        """Whether processes have played before, or are kept: what children have used is then not this match's
        alone."""
        self._own, self._of_children = time.process_time(), _children()
        self._seconds = {"sandboxes": 0.0, "starting": 0.0, "thinking": 0.0, "ending": 0.0}

    def is_kept(self) -> None:
        """A process has been kept from an earlier match, or is kept for a later one."""
        self._keeps = True

    def waits(self, process: "BotProcess") -> None:
        """A process is about to execute its bot."""
        self._add("sandboxes", process)

    def is_ready(self, process: "BotProcess") -> None:
        """A bot that was started has said `ready`, or has failed to."""
        self._add("starting", process)

    def is_done(self, process: "BotProcess") -> None:
        """The bot decides no more in this match."""
        self._add("thinking", process)

    def is_over(self, process: "BotProcess") -> None:
        """A process has exited, or is about to be killed: the kernel does not pass on what processes have
        used that are killed together with a sandbox."""
        self._add("ending", process)

    def spent(self) -> Spent:
        """Call this once all processes of the match have been reaped, except those that are kept."""
        seconds = self._seconds | {"referee": time.process_time() - self._own}
        if not self._keeps:
            unknown = _children() - self._of_children - sum(self._seconds.values())
            seconds["ending"] += max(0.0, unknown)
        return Spent(**{name: round(1000 * spent) for name, spent in seconds.items()})

    def _add(self, kind: str, process: "BotProcess") -> None:
        """Count what a process has used since it was last measured."""
        now = process.computed()
        self._seconds[kind] += max(0.0, now - process.computed_billed)
        process.computed_billed = max(now, process.computed_billed)


def _children() -> float:
    """The CPU time of our children that have ended, with theirs, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
