"""`python -m arena.checking.alone`: checks one bot in a separate process, isolated from other checks.

Reads a Task from standard input; writes a line of JSON for each step as it begins, and one for the result. At
the end of its input it kills its bot and exits, so that nothing is left when its parent is killed.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import msgspec
import trio

from arena.checking.findings import Checked, NotChecked
from arena.checking.steps import check
from arena.entrants.entrant import Entrant
from arena.games import registry
from arena.process.child import Lines
from arena.process.obstacle import Obstacle
from arena.process.sandbox import Sandbox
from arena.process.tree import adopt_orphans, end_children
from arena.system.errors import machine_trouble
from arena.system.lines import take_streams, write_line
from protocol.messages import Limits


class Task(msgspec.Struct, frozen=True):
    """What to check. `bot`: an Obstacle if it cannot be started. `budget`: in seconds, None for unlimited."""

    bot: Entrant | Obstacle
    name: str
    games: tuple[str, ...]
    limits: Limits
    sandbox: Sandbox
    budget: float | None = None


class StepStarted(msgspec.Struct, frozen=True, tag_field="type", tag="begun"):
    """A step has begun."""

    step: str


Said: TypeAlias = StepStarted | Checked | NotChecked


async def _checked(task: Task, say: Callable[[Said], None]) -> None:
    budget = math.inf if task.budget is None else task.budget
    games = [registry.game(game) for game in task.games]
    try:
        found = await check(
            task.bot, task.name, games, task.limits, task.sandbox, lambda step: say(StepStarted(step)), budget
        )
    except Exception as error:
        if trouble := machine_trouble(error):
            say(NotChecked(task.name, trouble))
        else:
            raise
    else:
        say(found)


async def main() -> None:
    """Check the bot of the Task on standard input. Stops early at the end of that input."""
    tasks, answers = take_streams()
    lines = Lines(tasks)
    if (line := await lines.next()) is None:
        return
    task = msgspec.json.decode(line, type=Task)
    adopt_orphans()
    try:
        async with trio.open_nursery() as nursery:

            async def cancel_at_end_of_input() -> None:
                await lines.next()
                nursery.cancel_scope.cancel()

            nursery.start_soon(cancel_at_end_of_input)
            await _checked(task, lambda said: write_line(answers, msgspec.json.encode(said)))
            nursery.cancel_scope.cancel()
    finally:
        end_children(lambda pid: True)  # This process has no others.


if __name__ == "__main__":
    trio.run(main)
