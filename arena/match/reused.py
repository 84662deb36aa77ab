"""Bots that rest between two matches, so that a start is paid once and not for every match.

A process rests in its role: who it is, in which seating and in which surroundings it plays. A pod has each of
its seatings once, so a process never meets a deal twice. While it rests it is frozen. One that does not keep
still, or takes more memory than it may, is ended: no match's watchdog sees it.

Knows processes and their dialogues; neither games nor what a match is.
"""

import math
from typing import Final, NamedTuple

import trio

from arena.entrants.entrant import Entrant
from arena.match.conversation import Conversation
from arena.process.botprocess import BotProcess, shut_down
from arena.process.sandbox import Sandbox
from arena.process.tree import mark_of
from arena.process.watchdog import EXCESS_SECONDS
from arena.system.machine import MIB, open_files
from protocol.messages import Limits

MOST: Final = 64
"""Processes at rest in one worker; beyond that those that have rested longest end. A Python bot is 10 MB."""
DESCRIPTORS_OF_A_BOT: Final = 10
OUR_DESCRIPTORS: Final = 64


LOOK_SECONDS: Final = 0.05
"""Between two looks, each at one process, which costs some 50 µs."""


class Role(NamedTuple):
    """What a process was started for."""

    entrant: Entrant
    seating_no: int
    limits: Limits
    ponder: bool
    sandbox: Sandbox


class Running(NamedTuple):
    """A process and the dialogue with it."""

    process: BotProcess
    conversation: Conversation


class Kept:
    """The processes at rest in one worker. Must be ended by `end_all`."""

    def __init__(self, most: int = MOST) -> None:
        """At most so many rest, and fewer where this process may not open as many files."""
        self._most = min(most, (open_files() - OUR_DESCRIPTORS) // DESCRIPTORS_OF_A_BOT)
        self._resting: dict[Role, Running] = {}  # those that have rested longest come first
        self._passing: set[Entrant] = set()
        self._looked_at = -math.inf
        self._to_look_at: list[Role] = []

    @property
    def pids(self) -> set[int]:
        return {resting.process.pid for resting in self._resting.values()}

    def owns(self, pid: int) -> bool:
        """Whether a child of ours is a process at rest, or one that such a process has started."""
        if pid in self.pids:
            return True
        mark = mark_of(pid)
        return mark != "" and any(mark == resting.process.mark for resting in self._resting.values())

    def take(self, role: Role) -> Running | None:
        """The process that rests in this role, if there is one; it is the caller's from now on."""
        return self._resting.pop(role, None)

    async def put(self, role: Role, resting: Running) -> None:
        """Let a process rest that has played a match to its end."""
        if role.entrant in self._passing:
            await _end([resting])
            return
        if not resting.process.frozen:
            resting.process.freeze()
        self._resting[role] = resting
        if len(self._resting) > self._most:
            await _end([self._resting.pop(next(iter(self._resting)))])
        if trio.current_time() - self._looked_at >= LOOK_SECONDS:
            await self._look()
            self._looked_at = trio.current_time()

    def pass_by(self, entrant: Entrant) -> None:
        """This bot does not take part in a second match. It is started for every one from now on."""
        self._passing.add(entrant)

    async def _look(self) -> None:
        """At the next of those at rest, one after the other."""
        self._to_look_at = self._to_look_at or list(self._resting)
        role = self._to_look_at.pop()
        if role in self._resting:
            process = self._resting[role].process
            if (
                process.look() > role.sandbox.memory_mb * MIB
                or any(process.escaped())
                or process.excess > EXCESS_SECONDS
            ):
                self.pass_by(role.entrant)
                await _end([self._resting.pop(role)])

    async def end_all(self) -> None:
        resting, self._resting = list(self._resting.values()), {}
        await _end(resting)


async def _end(all_resting: list[Running]) -> None:
    processes = [resting.process for resting in all_resting]
    try:
        await shut_down(processes)
    finally:
        for process in processes:
            process.kill()
