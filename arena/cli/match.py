"""`arena match`: plays one match between bots."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
import trio

from arena.cli.derived import takes
from arena.cli.options import DURATION, SectionCommand, json_option
from arena.cli.output import say
from arena.cli.single import show
from arena.commands.match import PlayMatch
from arena.log.entries import MatchOpened, parse_line
from arena.playing.job import Job, Report, Void
from arena.playing.pool import play_all
from arena.playing.times import milliseconds
from arena.screens.show.steps import Steps
from arena.screens.terminal.keys import INTERRUPT
from arena.screens.terminal.stepping import Stepping, step_through
from arena.screens.terminal.terminal import terminal, usable
from arena.system.errors import UserError


@click.command("match", cls=SectionCommand)
@takes(PlayMatch, log=json_option)
@click.option("--watch", "watched", is_flag=True, help="Show the match while it is played; ? lists the keys.")
@click.option(
    "--pause",
    type=DURATION,
    default="600ms",
    show_default=True,
    help="With --watch: how long each step is shown.",
)
def command(call: PlayMatch, as_json: bool, watched: bool, pause: str) -> None:
    """Play one match. The first bot gets seat 0, the others sit to its left in the given order. A bot named
    twice plays against a copy of itself.

    Example: arena match mybot bots/greedy.py --seed 7 --log match.jsonl
    """
    if watched and not usable():
        raise UserError("--watch needs a terminal; without one, use --log FILE, then arena replay FILE")
    played = call.carry_out(
        say, partial(watch, milliseconds(pause) / 1000) if watched else None, watched=watched
    )
    show(played, log=None if call.log is None else Path(call.log), as_json=as_json)


async def watch(pause: float, job: Job, on_report: Callable[[Report], None]) -> None:
    """Run a match and step through it in the terminal, `pause` seconds for each step. The match does not wait
    for the screen."""
    opened = trio.Event()
    seen: list[Stepping] = []

    def on_line(line: bytes) -> None:
        entry = parse_line(line)
        if isinstance(entry, MatchOpened):
            seen[:] = [Stepping(Steps(entry), pause=pause, running=True)]
            opened.set()
        else:
            seen[0].steps.take(entry)

    async with trio.open_nursery() as nursery:

        def ended(report: Report) -> None:
            on_report(report)
            if isinstance(report, Void):
                nursery.cancel_scope.cancel()  # No more lines will come, and perhaps none came.

        nursery.start_soon(partial(play_all, [job], 1, ended, on_line=on_line))
        await opened.wait()
        async with terminal() as screen:
            last = await step_through(screen, seen[0])
        if last == INTERRUPT and seen[0].live:
            raise KeyboardInterrupt
