"""`arena report`: a tournament as a page to publish, with a replay of every match."""

from pathlib import Path

import click

from arena.cli.options import folder_argument
from arena.cli.output import say
from arena.running.journal import Journal


@click.command("report")
@folder_argument
@click.option("--title", default="", help="Its heading.  [default: the name of DIR]")
@click.option("--subtitle", default="", help="A line below the title.")
@click.option("--date", default="", help="When it was played, in any words.")
@click.option("--organiser", default="", help="Who held it.")
@click.option("--with-stderr", is_flag=True, help="Include what the bots wrote to standard error.")
@click.option("--replays/--no-replays", default=True, show_default=True, help="Also a page for every match.")
def command(
    folder: Path,
    title: str,
    subtitle: str,
    date: str,
    organiser: str,
    with_stderr: bool,
    replays: bool,
) -> None:
    """Write the tournament in DIR, finished or not, as pages for a browser. DIR/report.html says who is ahead
    and how surely, and has standings, progress, pairings, who gains more than whom, faults and time use.
    DIR/replays has a page for every match, which replays it step by step as each seat saw it.

    Every page is one file that needs no network: put them on any web server, or send them by mail. They
    reveal no cards that are still being played: the seed is included after the last match, a replay when all
    seatings of its deals are played. What bots wrote to their standard error may hold anything, so it is left
    out unless you ask for it.

    \b
    arena report spring                                 # spring/report.html and spring/replays/
    arena report spring --title "Spring Cup" --organiser "Card Club" --date "7 May 2026"
    arena report spring --no-replays                    # one page only
    arena tournament bots/* --out spring --report       # written again after every round
    arena replay match.jsonl --html match.html          # one match
    """
    # Imported here because numpy and scipy are slow to load.
    from arena.report.files import write_report
    from arena.report.tournament import Heading

    heading = Heading(title, subtitle, date, organiser)
    with Journal(folder) as journal:
        written = write_report(journal, heading, with_stderr=with_stderr, replays=replays)
    if replays:
        say(f"{written.replays} replays beside it")
    click.echo(written.report)
