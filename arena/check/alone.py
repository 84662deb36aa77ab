"""`python -m arena.check.alone`: one bot's check as a process of its own, so that nothing that it does or
meets touches the checks beside it. A Task in on standard input; out come the steps as they begin, then what
was found, one line of JSON each.

At the end of its input it kills its bot and goes, so that whoever started it may die without a word.
"""

import math
import os
from typing import Final

import msgspec
import trio

from arena.check.findings import Checked
from arena.check.steps import check
from arena.entrants.entrant import Entrant
from arena.games import GAMES
from arena.process.sandbox import Sandbox
from arena.process.tree import adopt_orphans, end_children
from arena.system.errors import machine_trouble
from arena.workers.worker import Lines
from protocol.messages import Limits

OUTPUT: Final = 1


class Task(msgspec.Struct, frozen=True):
    """A bot, or what stands in its way, under its name; `budget` in seconds, None without an end."""

    bot: Entrant | str
    name: str
    games: tuple[str, ...]
    limits: Limits
    sandbox: Sandbox
    budget: float | None = None


class Begun(msgspec.Struct, frozen=True, tag_field="type", tag="begun"):
    step: str


class Found(msgspec.Struct, frozen=True, tag_field="type", tag="found"):
    checked: Checked


class NotChecked(msgspec.Struct, frozen=True, tag_field="type", tag="not checked"):
    """Nothing is known of the bot, and why: the machine's fault, or ours."""

    why: str


def _say(message: Begun | Found | NotChecked) -> None:
    line = msgspec.json.encode(message) + b"\n"
    while line:
        line = line[os.write(OUTPUT, line) :]


async def _checked(task: Task) -> None:
    budget = math.inf if task.budget is None else task.budget
    games = [GAMES[game] for game in task.games]
    try:
        found = await check(
            task.bot, task.name, games, task.limits, task.sandbox, lambda step: _say(Begun(step)), budget
        )
    except Exception as error:
        if trouble := machine_trouble(error):
            _say(NotChecked(trouble))
        else:
            raise
    else:
        _say(Found(found))


async def main() -> None:
    lines = Lines(os.dup(0))
    if (line := await lines.next()) is None:
        return
    task = msgspec.json.decode(line, type=Task)
    adopt_orphans()
    try:
        async with trio.open_nursery() as nursery:

            async def go_with_whoever_asked() -> None:
                await lines.next()
                nursery.cancel_scope.cancel()

            nursery.start_soon(go_with_whoever_asked)
            await _checked(task)
            nursery.cancel_scope.cancel()
    finally:
        end_children(lambda pid: True)  # This process has no others.


if __name__ == "__main__":
    trio.run(main)
