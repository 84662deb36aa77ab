"""Many bots checked, some of them at a time, each by a process of its own that has a core to itself as a bot
in a tournament has: what one takes is not taken from the times of another.

Knows processes and what they say; neither steps nor how findings are shown.
"""

import contextlib
import os
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import trio

from arena.check.alone import Begun, Found, NotChecked, Task
from arena.check.findings import Checked
from arena.system.text import caption
from arena.workers.child import WorkerProcess
from arena.workers.worker import Lines

_said: Final = msgspec.json.Decoder(Begun | Found | NotChecked)


class Examiner(WorkerProcess):
    """Must be ended by `stop`."""

    def __init__(self, core: int | None) -> None:
        super().__init__("arena.check.alone")
        if core is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(self.pid, {core})
        self._task = trio.lowlevel.FdStream(os.dup(self._stdin.fileno()))
        self._lines = Lines(os.dup(self._stdout.fileno()))
        self._stdin.close()

    async def examine(self, task: Task, begun: Callable[[str], None]) -> Checked | NotChecked:
        with contextlib.suppress(trio.BrokenResourceError):
            await self._task.send_all(msgspec.json.encode(task) + b"\n")
        while (line := await self._lines.next()) is not None:
            match _said.decode(line):
                case Begun(step):
                    begun(step)
                case Found(checked):
                    return checked
                case NotChecked() as not_checked:
                    return not_checked
        return NotChecked(caption(self.death().reason.strip().rpartition("\n")[2]))

    async def stop(self) -> None:
        # A stream that is closed under a cancellation is closed all the same.
        with trio.CancelScope(shield=True):
            await self._task.aclose()
            await self._lines.aclose()
        self.kill()


async def check_all(
    tasks: Sequence[Task],
    jobs: int,
    cores: Sequence[int],
    begun: Callable[[int, str], None],
    done: Callable[[int, Checked | NotChecked], None],
) -> None:
    """Check the bots, `jobs` at a time, of which the first have `cores`. `begun` hears the number of a task
    and the step that it has come to, `done` what came of it, in the order in which they are done."""
    waiting = deque(enumerate(tasks))

    async def work(core: int | None) -> None:
        while waiting:
            number, task = waiting.popleft()
            examiner = Examiner(core)
            try:
                result = await examiner.examine(task, lambda step, number=number: begun(number, step))  # type: ignore[misc]
            finally:
                await examiner.stop()
            done(number, result)

    async with trio.open_nursery() as nursery:
        for place in range(min(jobs, len(tasks))):
            nursery.start_soon(work, cores[place] if place < len(cores) else None)
