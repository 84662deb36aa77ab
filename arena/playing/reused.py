"""A pool of bot processes that play several matches, so that a bot is not started for every match.

Between matches a process waits, frozen, for the next match in its role: the same entrant, seating and
settings. A pod has each of its seatings once, so a process never meets a deal twice. No match's watchdog sees
waiting processes, so they are checked here: one that computes, or uses too much memory, is ended.

Knows processes and their dialogues; neither games nor what a match is.
"""

import math
from typing import Final, NamedTuple

import trio

from arena.entrants.entrant import Entrant
from arena.playing.running_bot import RunningBot
from arena.process.botprocess import shut_down
from arena.process.sandbox import Sandbox
from arena.process.tree import mark_of
from arena.process.watchdog import EXCESS_SECONDS
from arena.system.machine import MIB, open_files
from protocol.messages import Limits

MOST: Final = 64
"""The maximum number of processes in a worker's pool; beyond it the longest waiting end. A Python bot uses 10
MB."""
DESCRIPTORS_OF_A_BOT: Final = 10
OUR_DESCRIPTORS: Final = 64


LOOK_SECONDS: Final = 0.05
"""The interval between two checks of one process each; a check takes about 50 µs."""


class Role(NamedTuple):
    """The conditions under which a process was started, and may be reused."""

    entrant: Entrant
    seating_no: int
    limits: Limits
    ponder: bool
    sandbox: Sandbox


class BotPool:
    """The processes that wait for their next match in one worker. Must be ended by `end_all`."""

    def __init__(self, most: int = MOST) -> None:
        """Keep at most `most` processes, and fewer if the limit on open files is low."""
        self._most = min(most, (open_files() - OUR_DESCRIPTORS) // DESCRIPTORS_OF_A_BOT)
        self._waiting: dict[Role, RunningBot] = {}  # the longest waiting first
        self._never_reused: set[Entrant] = set()
        self._checked_at = -math.inf
        self._to_check: list[Role] = []

    @property
    def pids(self) -> set[int]:
        """The pids of the first process of each bot in the pool."""
        return {waiting.process.pid for waiting in self._waiting.values()}

    def owns(self, pid: int) -> bool:
        """Whether a child of ours is in the pool, or was started by a process in it."""
        if pid in self.pids:
            return True
        mark = mark_of(pid)
        return mark != "" and any(mark == waiting.process.mark for waiting in self._waiting.values())

    def has(self, role: Role) -> bool:
        """Whether a process waits in this role."""
        return role in self._waiting

    def take(self, role: Role) -> RunningBot | None:
        """Remove and return the process that waits in this role; None if there is none."""
        return self._waiting.pop(role, None)

    async def put(self, role: Role, running: RunningBot) -> None:
        """Add a process that has completed a match, or end it if its bot is never reused."""
        if role.entrant in self._never_reused:
            await _end([running])
            return
        if not running.process.frozen:
            running.process.freeze()
        self._waiting[role] = running
        if len(self._waiting) > self._most:
            await _end([self._waiting.pop(next(iter(self._waiting)))])
        if trio.current_time() - self._checked_at >= LOOK_SECONDS:
            await self._check_next()
            self._checked_at = trio.current_time()

    def never_reuse(self, entrant: Entrant) -> None:
        """Start this bot for every match from now on."""
        self._never_reused.add(entrant)

    async def _check_next(self) -> None:
        """Check the next process in the pool, and end it if it violates its limits."""
        self._to_check = self._to_check or list(self._waiting)
        role = self._to_check.pop()
        if role in self._waiting:
            process = self._waiting[role].process
            if (
                process.look() > role.sandbox.memory_mb * MIB
                or any(process.escaped())
                or process.excess > EXCESS_SECONDS
            ):
                self.never_reuse(role.entrant)
                await _end([self._waiting.pop(role)])

    async def end_all(self) -> None:
        """End every process in the pool."""
        waiting, self._waiting = list(self._waiting.values()), {}
        await _end(waiting)


async def _end(ending: list[RunningBot]) -> None:
    processes = [running.process for running in ending]
    try:
        await shut_down(processes)
    finally:
        for process in processes:
            process.kill()
