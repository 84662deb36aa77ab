"""`python -m arena.playing.worker` plays matches, one at a time. It reads jobs from standard input and writes
reports to standard output, one line of JSON each.

At the end of its input it kills its bots and exits, so that nothing is left when its parent is killed. Knows
no tournaments. An error of ours becomes a Void report and never ends the worker.
"""

import math
from collections.abc import Callable
from typing import Final

import msgspec
import trio

from arena.playing.functions import Functions
from arena.playing.job import Job, LogLine, Report, void_by
from arena.playing.referee import play_match
from arena.playing.reused import BotPool
from arena.playing.spent import SpentMeter
from arena.process.child import Lines
from arena.process.tree import adopt_orphans, end_children
from arena.system.errors import leaves
from arena.system.lines import take_streams

INTERRUPTIONS: Final = (KeyboardInterrupt, GeneratorExit, trio.Cancelled)

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Job)


async def report(
    job: Job, bot_pool: BotPool, on_line: Callable[[bytes], None], functions: Functions | None = None
) -> Report:
    """Play a match, and then end every process that its bots have started, even without their mark: except
    for the pool this process has no other children."""
    meter = SpentMeter()
    try:
        finished = await play_match(job, bot_pool, on_line if job.watched else None, functions, meter)
    except BaseException as error:  # The code of a game from a package can raise anything.
        if any(isinstance(leaf, INTERRUPTIONS) for leaf in leaves(error)):
            raise
        return void_by(job, error)
    finally:
        end_children(lambda pid: not bot_pool.owns(pid))
    return msgspec.structs.replace(finished, spent=meter.spent())


async def serve(jobs: Lines, reports: trio.lowlevel.FdStream) -> None:
    """Play incoming jobs and write their reports."""
    send, receive = trio.open_memory_channel[Job](1)
    # Output is queued here, so that a slow reader does not delay the match.
    tell, lines = trio.open_memory_channel[Report | LogLine](math.inf)

    async def read_jobs(all_of_us: trio.CancelScope) -> None:
        while (line := await jobs.next()) is not None:
            await send.send(_decoder.decode(line))
        all_of_us.cancel()

    async def write_reports() -> None:
        async for line in lines:
            await reports.send_all(_encoder.encode(line) + b"\n")

    bot_pool = BotPool()
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read_jobs, nursery.cancel_scope)
            nursery.start_soon(write_reports)
            async for job in receive:
                tell.send_nowait(
                    await report(job, bot_pool, lambda line: tell.send_nowait(LogLine(line.decode())))
                )
    finally:
        await bot_pool.end_all()


async def main() -> None:
    """Serve jobs from standard input until its end."""
    jobs, reports = take_streams()
    adopt_orphans()
    await serve(Lines(jobs), trio.lowlevel.FdStream(reports))


if __name__ == "__main__":
    trio.run(main)
