"""A season as one page: programs by strength, names by points, head-to-heads.

Everything is computed in arena/director/ and arranged here. Knows no files.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from arena.director.ahead import bands
from arena.director.points import Points, Scale, season_points
from arena.director.season import HeadToHead, SeasonRecord
from arena.director.wording import season_cells
from arena.games import registry
from arena.report.axes import Axis, axis
from arena.report.pages import page
from arena.report.tournament import Heading
from arena.system.text import caption
from tournaments.standings import Standing

STYLES: Final = ("base.css", "report.css")
SCRIPTS: Final = ("tables.js",)


class EventShown(msgspec.Struct, frozen=True):
    """A tournament of the season, by its label."""

    label: str
    format: str
    matches: int
    over: bool


class SeasonShown(msgspec.Struct, frozen=True):
    """All data of the page."""

    heading: Heading
    game: str
    events: tuple[EventShown, ...]
    differences: tuple[str, ...]
    ahead: str
    caveats: tuple[str, ...]
    rows: tuple[tuple[Standing, Mapping[str, str]], ...]
    """The rows of programs, with their texts; empty if `differences` prevent a comparison of gains."""
    bands: tuple[int, ...]
    gains: Axis
    scale: Scale | None
    points: tuple[Points, ...]
    """Empty without a `scale`."""
    leaders: tuple[str, ...]
    pairs: tuple[HeadToHead, ...]
    called: Mapping[str, str]
    """Titles of the names in points and pairs."""


def season_page(season: SeasonRecord, heading: Heading, scale: Scale | None) -> str:
    """The page as HTML. Raises UserError if gains cannot be compared and no `scale` of points is given."""
    shown = season_data(season, heading, scale)
    return page("season.html", styles=STYLES, scripts=SCRIPTS, page=shown)


def season_data(season: SeasonRecord, heading: Heading, scale: Scale | None) -> SeasonShown:
    """The data of the page."""
    compared = scale is None or not season.differences
    table: tuple[Standing, ...] = (*season.table.entrants, *season.table.house) if compared else ()
    ranked = [row for row in table if row.rank is not None]
    points = season_points(season.records, scale) if scale is not None else ()
    names = {name for record in season.records for name in record.names}
    given = {field: caption(getattr(heading, field)) for field in Heading.__struct_fields__}
    return SeasonShown(
        heading=Heading(**given | {"title": given["title"] or ", ".join(e.label for e in season.events)}),
        game=registry.game(season.records[0].created.game).title,
        events=tuple(
            EventShown(label, record.created.format, len(record.results), record.over)
            for label, record, _ in season.events
        ),
        differences=season.differences,
        ahead=season.ahead if compared else "",
        caveats=season.caveats if compared else (),
        rows=tuple((row, season_cells(row, season)) for row in table),
        bands=bands(ranked),
        gains=axis(
            end for row in ranked or table for end in (row.low, row.gain, row.high) if end is not None
        ),
        scale=scale,
        points=points,
        leaders=tuple(season.called(row.name) for row in points if row.place == 1 and row.total),
        pairs=season.head_to_head if compared else (),
        called={name: season.called(name) for name in sorted(names)},
    )
