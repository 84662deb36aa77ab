"""Checks many bots, some of them in parallel. Each is checked by a process of its own on its own core, as a
bot in a tournament is, so one bot's work does not slow another's replies.

Knows processes and their output; knows neither steps nor how findings are shown.
"""

import contextlib
import os
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec
import trio

from arena.checking.alone import Begun, Task
from arena.checking.findings import Checked, NotChecked
from arena.playing.child import WorkerProcess
from arena.playing.worker import Lines
from arena.system.text import caption

_output: Final = msgspec.json.Decoder(Begun | Checked | NotChecked)


class Examiner(WorkerProcess):
    """A process of arena/checking/alone.py, pinned to `core` where that is possible. Must be ended by
    `stop`."""

    def __init__(self, core: int | None) -> None:
        super().__init__("arena.checking.alone")
        if core is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(self.pid, {core})
        self._task = trio.lowlevel.FdStream(os.dup(self._stdin.fileno()))
        self._lines = Lines(os.dup(self._stdout.fileno()))
        self._stdin.close()

    async def examine(self, task: Task, on_step: Callable[[str], None]) -> Checked | NotChecked:
        """The result of the check. `on_step` is called with each step as it begins. NotChecked, with the last
        line of its standard error, if the process died."""
        with contextlib.suppress(trio.BrokenResourceError):
            await self._task.send_all(msgspec.json.encode(task) + b"\n")
        while (line := await self._lines.next()) is not None:
            match _output.decode(line):
                case Begun(step):
                    on_step(step)
                case Checked() | NotChecked() as result:
                    return result
        return NotChecked(task.name, caption(self.death().reason.strip().rpartition("\n")[2]))

    async def stop(self) -> None:
        """Kill the process and close its pipes, also while being cancelled."""
        with trio.CancelScope(shield=True):
            await self._task.aclose()
            await self._lines.aclose()
        self.kill()


async def check_all(
    tasks: Sequence[Task],
    jobs: int,
    cores: Sequence[int],
    on_step: Callable[[int, str], None],
    on_done: Callable[[int, Checked | NotChecked], None],
) -> None:
    """Check the bots, `jobs` at a time; the first of these run on `cores`, the others on any. `on_step` is
    called with the number of a task and the step that it begins, `on_done` with its number and result, in the
    order in which they finish."""
    waiting = deque(enumerate(tasks))

    async def work(core: int | None) -> None:
        while waiting:
            number, task = waiting.popleft()
            examiner = Examiner(core)
            try:
                result = await examiner.examine(task, partial(on_step, number))
            finally:
                await examiner.stop()
            on_done(number, result)

    async with trio.open_nursery() as nursery:
        for place in range(min(jobs, len(tasks))):
            nursery.start_soon(work, cores[place] if place < len(cores) else None)
