"""`arena resume`: continues a tournament after an interruption, after an entry of the organiser, or after
its end with further rounds.
"""

import re

import click

from arena.cli.derived import takes
from arena.cli.live import shown
from arena.cli.options import json_option
from arena.cli.output import say
from arena.cli.tournament import quiet_option, show_ended
from arena.commands.resume import ROUNDS, Resume
from arena.commands.tournament import MOST_ROUNDS


@click.command("resume")
@takes(Resume, report=quiet_option, dask=json_option)
def command(call: Resume, quiet: bool, as_json: bool) -> int:
    """Continue the tournament in DIR after any interruption. Matches that had not ended are played again.
    With --rounds a tournament that is over goes on; with --until or --minutes as long as rounds fit. It is
    refused if a bot is no longer the program that entered.

    A run that was not made here by you names programs that somebody else chose: they are shown, and started
    only with --trust.

    Example: arena resume spring --rounds +2
    """
    if call.rounds is not None and not re.fullmatch(ROUNDS, str(call.rounds)):
        raise click.BadParameter(
            f"{call.rounds!r} is not a number of rounds like 8 or +2, {MOST_ROUNDS} in all at most",
            param_hint="--rounds",
        )
    return show_ended(call.carry_out(say, shown(quiet=quiet), quiet=quiet), as_json=as_json)
