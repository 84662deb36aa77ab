"""A season as tables: programs by strength, names by points, who met whom."""

from typing import Final

import click
from rich.console import Console

from arena.cli.figures import print_rows, print_superiority
from arena.cli.output import Column, print_hanging, print_table
from arena.director.points import Scale
from arena.director.season import SeasonRecord
from arena.director.season_data import points_rows, scale_of
from arena.director.wording import meeting_cells, season_cells, season_headline
from arena.system.wording import gain_text

SPARE: Final = {"program": 5, "matches": 4, "score": 3, "could be": 2, "from": 1, "to": 1}
"""The columns that are left out if the terminal is too narrow, the largest number first."""


class ScaleType(click.ParamType[Scale]):
    """The points for the first places: `10,8,6,5,4`."""

    name = "points"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Scale:
        if not isinstance(value, str):
            return value  # type: ignore[return-value]
        try:
            return scale_of(value.split(","))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def print_season(season: SeasonRecord, scale: Scale | None, console: Console, *, full: bool) -> None:
    """Print the table of programs, unless only points can be counted; the points; and with `full`, who is
    better than whom and who met whom. Raises UserError if nothing is left to print."""
    if scale is None or not season.differences:
        _print_table(season, console)
    else:
        console.print(season_headline(season), soft_wrap=True)
        for difference in season.differences:
            print_hanging(f"only points are shown, since {difference}", console, 2)
    if scale is not None:
        _print_points(season, scale, console)
    if full and not season.differences:
        print_superiority(season.superiority, season.called, console)
        _print_meetings(season, console)


def _print_table(season: SeasonRecord, console: Console) -> None:
    rows = [season_cells(row, season) for row in (*season.table.entrants, *season.table.house)]
    print_rows(season_headline(season), rows, console, SPARE)
    for sentence in (season.ahead, *season.caveats):
        print_hanging(sentence, console, 2)
    console.print()


def _print_points(season: SeasonRecord, scale: Scale, console: Console) -> None:
    events = [Column(event.label, right=True) for event in season.events]
    columns = [Column("place", right=True), Column("name"), *events, Column("points", right=True), Column("")]
    rows = [
        (
            str(row.place),
            row.title,
            *("–" if points is None else f"{points:g}" for points in row.points),
            f"{row.total:g}",
            f"{len(row.programs)} programs" if len(row.programs) > 1 else "",
        )
        for row in points_rows(season, scale)
    ]
    print_table(f"Points by place: {', '.join(map(str, scale))}", columns, rows, console)
    for event in season.events:
        if not event.record.over:
            print_hanging(f"{event.label} is not over, so it gives no points yet", console, 2)


def _print_meetings(season: SeasonRecord, console: Console) -> None:
    columns = [Column("bot"), Column("met"), Column("pods", right=True), Column("gained more", right=True)]
    columns += [Column("95 % interval", right=True)]
    columns += [Column(event.label, right=True) for event in season.events]
    rows = [
        (
            *meeting_cells(pair.all, season.called).values(),
            *(gain_text(met.difference if met else None) for met in pair.events),
        )
        for pair in season.head_to_head
    ]
    print_table("Who met whom, and how much more they gained per deal there", columns, rows, console)
