"""Plays matches in this process, one at a time, since seats are functions of the program that calls the
arena.

Everything that a match leaves behind in this process is ended, so it must have no other children.
"""

from collections.abc import Callable, Iterable

import msgspec

from arena.playing.functions import Functions
from arena.playing.job import Job, Report
from arena.playing.reused import BotPool
from arena.workers.pool import ignored, never
from arena.workers.worker import report


class Here:
    """Has matches played as Pool does."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions

    async def play_all(
        self,
        jobs: Iterable[Job],
        workers: int,
        done: Callable[[Report], None],
        stopping: Callable[[], bool] = never,
    ) -> None:
        """Plays every job, and calls `done` with each report; `workers` does not matter. Once `stopping`
        returns true no further job is begun."""
        bot_pool = BotPool()
        try:
            for job in list(jobs):
                if stopping():
                    break
                alone = msgspec.structs.replace(job, own_core=True)
                done(await report(alone, bot_pool, ignored, self._functions))
        finally:
            await bot_pool.end_all()
