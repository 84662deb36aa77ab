"""Checks many bots, some of them in parallel. Each check runs in a separate process on its own core, as
matches do in a tournament, so that no bot slows another's replies.

Knows processes and their output; knows neither steps nor how findings are shown.
"""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec
import trio

from arena.checking.alone import Said, StepStarted, Task
from arena.checking.findings import Checked, NotChecked
from arena.process.child import AwaitedProcess
from arena.system.text import caption

_output: Final[msgspec.json.Decoder[Said]] = msgspec.json.Decoder(Said)


class Examiner(AwaitedProcess):
    """A process of arena/checking/alone.py, pinned to `core` if possible. Must be ended by `stop`."""

    def __init__(self, core: int | None) -> None:
        super().__init__("arena.checking.alone", core)

    async def examine(self, task: Task, on_step: Callable[[str], None]) -> Checked | NotChecked:
        """The result of the check; if the process died, NotChecked with the last line of its standard error.
        `on_step` is called with each step as it begins."""
        await self.tell(msgspec.json.encode(task))
        while (line := await self.next_line()) is not None:
            match _output.decode(line):
                case StepStarted(step):
                    on_step(step)
                case Checked() | NotChecked() as result:
                    return result
        return NotChecked(task.name, caption(self.death().last_line))


async def check_all(
    tasks: Sequence[Task],
    jobs: int,
    cores: Sequence[int],
    on_step: Callable[[int, str], None],
    on_done: Callable[[int, Checked | NotChecked], None],
) -> None:
    """Check the bots, `jobs` at a time: the first `jobs` on one of `cores` each, the rest on any. `on_step`
    is called with the number of a task and the step that begins; `on_done` with its number and result, in the
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
