"""`arena report`: a tournament as a page to publish, with a replay of every match."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli.onward import how_to_serve
from arena.cli.options import file_option, folders_argument
from arena.cli.output import Status, clear_status, say
from arena.cli.season import ScaleType
from arena.director.journal import Journal
from arena.director.points import Scale
from arena.system.errors import UserError
from arena.system.outputs import require_place, write_file

if TYPE_CHECKING:
    from arena.report.tournament import Heading

REPORTING: Final = "computing the intervals; after many hundreds of rounds this takes minutes …"


@click.command("report")
@folders_argument
@click.option("--title", default="", help="Title of the report.  [default: the name of DIR]")
@click.option("--subtitle", default="", help="A line below the title.")
@click.option("--date", default="", help="The date of the tournament, in any form.")
@click.option("--organiser", default="", help="The organiser of the tournament.")
@click.option(
    "--address",
    default="",
    metavar="URL",
    help="The address where it will be published, so that links to it show a picture.",
)
@click.option("--with-stderr", is_flag=True, help="Include what the bots wrote to standard error.")
@click.option(
    "--replays/--no-replays", default=True, show_default=True, help="Write a page for every match, too."
)
@file_option("--out", "With several DIR: write the page here.  [default: season.html]")
@click.option(
    "--points", "scale", type=ScaleType(), help="With several DIR: points for the places in each: 10,8,6,5,4."
)
def command(
    folders: tuple[Path, ...],
    title: str,
    subtitle: str,
    date: str,
    organiser: str,
    address: str,
    with_stderr: bool,
    replays: bool,
    out: Path | None,
    scale: Scale | None,
) -> None:
    """Write the pages of the tournament in DIR, finished or not. DIR/report.html shows who is ahead and how
    certain that is, along with standings, progress, pairings, pairwise differences, faults and times.
    DIR/replays has a page for every match, which shows it step by step as each seat saw it.

    Every page is one file that needs no network: publish them on any web server, or send them by email. They
    reveal no cards that are still being played: the seed is included after the last match, and a replay once
    all seatings of its deals have been played. What bots wrote to standard error may contain anything, so it
    is included only with --with-stderr.

    Beyond 2,500 matches, the pages load additional files and need a web server; the command says how to start
    one.

    With --address, messengers and forums show a picture of the standings next to a link to the report. Pillow
    writes it to DIR/preview.png (`pip install Pillow`).

    \b
    arena report spring                             # report.html, replays/
    arena report spring --title "Spring Cup" --date "7 May 2026"
    arena report spring --address https://club.example/spring/
    arena report spring --no-replays                # one page only
    arena tournament bots/* --out spring --report   # up to date while it plays
    arena replay match.jsonl --html match.html      # one match
    arena report spring summer --points 10,8,6,5,4  # a season, without replays
    """
    # Imported here because numpy and scipy are slow to load.
    from arena.report.files import write_report
    from arena.report.tournament import Heading

    heading = Heading(title, subtitle, date, organiser, address)
    if len(folders) > 1:
        if with_stderr:
            raise click.UsageError("--with-stderr needs a single tournament")
        if address:
            raise click.UsageError("--address needs a single tournament")
        _write_season(folders, heading, scale, out or Path("season.html"))
        return
    if out is not None or scale is not None:
        raise click.UsageError("--out and --points need several tournaments; name them all")
    status = Status()

    def show(done: int, total: int) -> None:
        if done < total:
            status.show_count("replay", done, total)
        else:
            status.show(REPORTING)

    status.show(REPORTING)
    with Journal(folders[0]) as journal:
        written = write_report(journal, heading, with_stderr=with_stderr, replays=replays, progress=show)
    clear_status()
    if replays:
        say(f"{written.replays} replays written")
    if written.served:
        for line in how_to_serve(written.report.parent):
            say(line)
    click.echo(written.report)
    if written.complaint:
        raise UserError(written.complaint)


def _write_season(folders: Sequence[Path], heading: "Heading", scale: Scale | None, out: Path) -> None:
    from arena.director.season_data import read_season
    from arena.report.season import season_page

    require_place("--out", out)
    html = season_page(read_season(folders, say), heading, scale)
    write_file("--out", out, html.encode())
    click.echo(out)
