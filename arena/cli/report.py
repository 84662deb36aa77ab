"""`arena report`: a tournament as a page to publish, with a replay of every match."""

from pathlib import Path

import click

from arena.cli.options import folder_argument
from arena.cli.output import say
from arena.running.journal import Journal


@click.command("report")
@folder_argument
@click.option("--with-stderr", is_flag=True, help="Also what the bots wrote to their standard error.")
@click.option("--replays/--no-replays", default=True, show_default=True, help="A page for every match, too.")
def command(folder: Path, with_stderr: bool, replays: bool) -> None:
    """Write the tournament in DIR, finished or not, as pages for a browser: DIR/report.html with standings,
    progress, pairings, who gains more than whom, faults and time use; and in DIR/replays a page for
    every match on which it is replayed step by step, as each seat saw it.

    Every page is one file that needs no network: put them on any web server, or send them by mail. Nothing
    that gives cards away is in them while it matters: the seed comes with the last match, a replay when all
    seatings of its deals are played. What bots wrote to their standard error may hold anything, and is left
    out unless you ask for it.

    \b
    arena report spring                                 # spring/report.html and spring/replays/
    arena report spring --no-replays                    # one page only
    arena tournament bots/* --out spring --report       # written anew after every round
    arena replay match.jsonl --html match.html          # one match
    """
    # Loaded when wanted: it takes numpy and scipy.
    from arena.report.files import write_report

    with Journal(folder) as journal:
        written = write_report(journal, with_stderr=with_stderr, replays=replays)
    if replays:
        say(f"{written.replays} replays beside it")
    click.echo(written.report)
