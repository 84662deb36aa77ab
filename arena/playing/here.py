"""Plays matches in this process, one at a time, when seats are functions of the calling program. Knows jobs.

After each match all children of this process are killed, so it must have no others.
"""

from collections.abc import Callable, Iterable

from arena.playing.functions import Functions
from arena.playing.job import Job, Report
from arena.playing.pool import ignore_line, never_stop
from arena.playing.reused import BotPool
from arena.playing.worker import report


class InProcessPool:
    """Plays matches, with the interface of Pool. Must be ended by `end`."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._bot_pool = BotPool()

    async def play_all(
        self,
        jobs: Iterable[Job],
        workers: int,
        done: Callable[[Report], None],
        stopping: Callable[[], bool] = never_stop,
    ) -> None:
        """Play every job and call `done` with each report, until `stopping()`. `workers` is ignored."""
        for job in list(jobs):
            if stopping():
                break
            done(await report(job, self._bot_pool, ignore_line, self._functions))

    async def end(self) -> None:
        """End the bots that wait for another match."""
        await self._bot_pool.end_all()
