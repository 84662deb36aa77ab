"""Plays matches in this process, one at a time, since seats are functions of the program that calls the
arena.

Everything that a match leaves behind in this process is ended, so it must have no other children.
"""

from collections.abc import Callable, Iterable

from arena.playing.functions import Functions
from arena.playing.job import Job, Report
from arena.playing.pool import ignore_line, never_stop
from arena.playing.reused import BotPool
from arena.playing.worker import report


class InProcessPool:
    """Has matches played as Pool does. Must be ended by `end`."""

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
        """Plays every job, and calls `done` with each report; `workers` does not matter. Once `stopping`
        returns true no further job is begun."""
        for job in list(jobs):
            if stopping():
                break
            done(await report(job, self._bot_pool, ignore_line, self._functions))

    async def end(self) -> None:
        """Ends the bots that wait for a further match."""
        await self._bot_pool.end_all()
