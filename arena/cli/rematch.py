"""`arena rematch`: plays a logged match again, with another bot at one seat."""

from pathlib import Path

import click

from arena.cli.derived import takes
from arena.cli.options import json_option
from arena.cli.output import say
from arena.cli.single import show
from arena.commands.rematch import Rematch
from arena.games import registry


@click.command("rematch")
@takes(Rematch)
@json_option
def command(call: Rematch, as_json: bool) -> None:
    """Play the match in LOG again with the same deals and limits, but with BOT in SEAT.

    The log identifies the programs of the other seats by their digests. They are looked for among OTHERS,
    then at the paths given in the tournament's journal next to the log. A program that has changed since then
    is refused: it would be a different opponent. A bot that entered as a command line has to be among OTHERS.
    Paths from a run that you did not make here are used only with --trust. Nothing in a log is executed.

    Example: arena rematch match.jsonl --seat 0 mybot2.py bots/*
    """
    done = call.carry_out(say)
    show(done.played, log=None if call.out is None else Path(call.out), as_json=as_json)
    if not as_json:
        points = f"{done.points} {registry.game(done.played.job.settings.game).counts}"
        say(f"in {call.log}, seat {call.seat} was {done.before.called}, {points} and place {done.placing}")
