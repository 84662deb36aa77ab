"""`arena resume`: continues a tournament after an interruption, after an entry of the organiser, or after
its end with further rounds.
"""

import re
from pathlib import Path

import click

from arena.cli.live import shown
from arena.cli.options import dask_option, folder_argument, jobs_option, json_option
from arena.cli.output import say
from arena.cli.tournament import minutes_option, quiet_option, report_option, show_ended, until_option
from arena.cli.trust import level_option, trust_option
from arena.commands.resume import ROUNDS, Resume
from arena.commands.tournament import MOST_ROUNDS
from arena.process.sandbox import Level


@click.command("resume")
@folder_argument
@click.option(
    "--rounds",
    metavar="N|+N",
    help="More rounds than were planned: N in all, or after the end +N.",
)
@until_option
@minutes_option
@jobs_option
@quiet_option
@report_option
@trust_option
@level_option
@json_option
@dask_option
def command(
    folder: Path,
    rounds: str | None,
    until: str | None,
    minutes: float | None,
    jobs: int | None,
    quiet: bool,
    report: bool,
    trust: bool,
    level: Level | None,
    as_json: bool,
    dask: str | None,
) -> int:
    """Continue the tournament in DIR after any interruption. Matches that had not ended are played again.
    With --rounds a tournament that is over goes on; with --until or --minutes as long as rounds fit. It is
    refused if a bot is no longer the program that entered.

    A run that was not made here by you names programs that somebody else chose: they are shown, and started
    only with --trust.

    Example: arena resume spring --rounds +2
    """
    if rounds is not None and not re.fullmatch(ROUNDS, rounds):
        raise click.BadParameter(
            f"{rounds!r} is not a number of rounds like 8 or +2, {MOST_ROUNDS} in all at most",
            param_hint="--rounds",
        )
    call = Resume(
        folder=str(folder),
        rounds=rounds,
        jobs=jobs,
        report=report,
        dask=dask,
        trust=trust,
        level=level,
        quiet=quiet,
        until=until,
        minutes=minutes,
    )
    return show_ended(call.carry_out(say, shown(quiet=quiet)), as_json=as_json)
