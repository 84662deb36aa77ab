"""`arena resume`: continues a tournament after an interruption, after a change by the organiser, or after its
end with further rounds.
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
    With --rounds, --until or --minutes, even a finished tournament continues. A bot that has changed since it
    entered is refused.

    A run that you did not make here names programs that somebody else chose. They are shown, but started only
    with --trust.

    Example: arena resume spring --rounds +2
    """
    if call.rounds is not None and not re.fullmatch(ROUNDS, str(call.rounds)):
        raise click.BadParameter(
            f"{call.rounds!r} is not a number of rounds such as 8 or +2, with at most {MOST_ROUNDS} in all",
            param_hint="--rounds",
        )
    return show_ended(call.carry_out(say, shown(quiet=quiet), quiet=quiet), as_json=as_json)
