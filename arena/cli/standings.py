"""`arena standings`: the standings of a tournament, computed from its journal. Also the table that
`arena tournament` prints at its end.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console

from arena.cli.faults import print_faults
from arena.cli.figures import print_figures, print_rows
from arena.cli.options import FiniteRange, folders_argument, json_option
from arena.cli.output import Column, print_hanging, print_json, print_table, say, stdout
from arena.cli.season import ScaleType, print_season
from arena.director import season_data as seasons
from arena.director.ahead import who_is_ahead
from arena.director.caveats import caveats
from arena.director.entries import MatchPlayed
from arena.director.groups import groups_of
from arena.director.journal import Journal
from arena.director.points import Scale
from arena.director.standings import as_data, figures_as_data
from arena.director.state import Record
from arena.director.wording import came_to_texts, cells, headline, time_up_text
from arena.log.fault_report import fault_rows
from arena.system.errors import UserError

if TYPE_CHECKING:
    from tournaments.standings import Standings

SPARE: Final = {"Buchholz": 4, "matches": 3, "score": 2, "could be": 1}
"""The columns that are left out if the terminal is too narrow, the largest number first."""


@click.command("standings")
@folders_argument
@click.option(
    "--full", is_flag=True, help="Also show who is better than whom, who met whom, gains by seat, and more."
)
@click.option(
    "--margin",
    type=FiniteRange(0, min_open=True),
    help="Like --full, and also show how many rounds this margin takes.",
)
@click.option(
    "--points",
    "scale",
    type=ScaleType(),
    help="Also show a table of points by place in each tournament: 10,8,6,5,4.",
)
@json_option
def command(
    folders: tuple[Path, ...], full: bool, margin: float | None, scale: Scale | None, as_json: bool
) -> None:
    """Show the standings of the tournament in DIR, finished or not. With several DIR, show those of a season.

    In a season, a program is identified by its digest: a new version gets its own row, and a program entered
    under two names gets one row. Runs under different conditions (rules, options, seats, limits) cannot share
    a table; with --points, only their points are shown. Points, and who met whom (--full), go by name.

    \b
    arena standings spring --margin 0.5
    arena standings spring summer autumn --points 10,8,6,5,4
    """
    if len(folders) > 1 or scale is not None:
        if margin is not None:
            raise UserError("--margin is about the rounds of a single tournament: name one, without --points")
        season = seasons.read_season(folders, say)
        if as_json:
            print_json(seasons.as_data(season, scale, full=full))
        else:
            print_season(season, scale, stdout(), full=full)
        return
    full = full or margin is not None
    with Journal(folders[0]) as journal:
        record = Record(journal.entries)
        if as_json:
            print_json(as_data(record) | (figures_as_data(record, margin) if full else {}))
            return
        print_standings(record, journal.read_written_log, stdout())
        if full:
            print_figures(record, margin, stdout())


def print_standings(record: Record, read_log: Callable[[MatchPlayed], str], console: Console) -> None:
    """Print the table, who is ahead, the caveats, the entries of the organiser and the faults of all matches.
    `read_log` returns the log of a match."""
    table = record.standings()
    came_to = came_to_texts(record.course)
    rows = [cells(row, record, came_to) for row in (*table.entrants, *table.house)]
    print_rows(headline(record), rows, console, SPARE)
    told = (*map(time_up_text, record.times_up), *caveats(table, record.entrants.values(), record.called))
    for sentence in (who_is_ahead(record, table), *told):
        print_hanging(sentence, console, 2)
    console.print()
    _print_groups(record, table, console)
    _print_remarks(record, console)
    forfeited = (played for played in record.in_order if played.forfeits)
    print_faults([row for played in forfeited for row in fault_rows(read_log(played))], console)


def _print_groups(record: Record, table: "Standings", console: Console) -> None:
    columns = [Column(heading, right=heading != "bot") for heading in ("rank", "bot", "gain/deal", "of all")]
    for group, rows in groups_of(record, table).items():
        shown = [(one.rank, cells(one.row, record, {})) for one in rows]
        texts = [
            ("–" if rank is None else str(rank), row["bot"], row["gain/deal"], row["rank"])
            for rank, row in shown
        ]
        print_table(f"Group {group}", columns, texts, console)


def _print_remarks(record: Record, console: Console) -> None:
    """Tables of the bots left out, the matches skipped, and the entries of the organiser."""
    created = record.created
    if created.left_out:
        left_out = [(out.name, out.reason) for out in created.left_out]
        print_table("Left out", [Column("bot"), Column("why", folds=True)], left_out, console)
    if record.skipped:
        skipped = [
            (entry.match_id, entry.reason.strip().rpartition("\n")[2]) for entry in record.skipped.values()
        ]
        print_table(
            "Skipped because of an arena error",
            [Column("match"), Column("error", folds=True)],
            skipped,
            console,
        )
    if record.by_organiser:
        columns = [Column("entry"), Column("of"), Column("reason", folds=True)]
        deeds = [
            (what, record.called(of), why) for what, of, why in (entry.row() for entry in record.by_organiser)
        ]
        print_table("By the organiser", columns, deeds, console)
