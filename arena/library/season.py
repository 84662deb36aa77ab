"""Reads several runs as one season: `arena.season("spring", "summer")`. Knows tables; plays nothing.

Like a run it is a snapshot of the journals at the time when it was opened.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from arena.director import season_data as seasons
from arena.director.export import ROWS
from arena.director.points import Scale
from arena.director.row_lines import csv_lines, json_lines
from arena.director.season import SeasonRecord
from arena.director.season_data import MeetingRow, PointsRow, SeasonRow
from arena.director.wording import WORDS, season_cells, season_headline
from arena.library.display import LOGGER
from arena.library.rows import Rows, Wording
from arena.playing.spellings import AnyPath, path_of
from arena.system.errors import UserError, did_you_mean
from arena.system.files import written_whole
from arena.system.outputs import write_file
from tournaments.superiority import Superiority


class Season(msgspec.Struct, frozen=True, dict=True, eq=False):
    """Several tournaments of one game, finished or not, as their journals were when they were opened.
    Standings are by program, which its digest identifies; points and meetings are by name."""

    folders: tuple[Path, ...]
    _season: SeasonRecord

    @property
    def events(self) -> tuple[str, ...]:
        """The labels of the tournaments: the names of their folders, numbered if two are equal."""
        return tuple(event.label for event in self._season.events)

    @property
    def differences(self) -> tuple[str, ...]:
        """Differences that make gains incomparable. If there are any, there are only points, no standings."""
        return self._season.differences

    @property
    def standings(self) -> Rows[SeasonRow]:
        """The table: programs by rank, then house bots. Its notes are the caveats. Takes seconds for large
        runs. Raises UserError if there are `differences`."""
        season = self._season
        rows = seasons.season_rows(season)
        wording = Wording(lambda row: season_cells(row, season), WORDS)
        return Rows(season_headline(season), SeasonRow, rows, season.caveats, wording)

    @property
    def superiority(self) -> Rows[Superiority]:
        """Which program is better than which, by how much per deal, and how certain that is."""
        return Rows("Who gains more than whom, per deal", Superiority, self._season.superiority)

    @property
    def meetings(self) -> Rows[MeetingRow]:
        """Which bots met, and the difference of their gains there, in all tournaments and in each."""
        if self.differences:
            raise UserError(f"{self.differences[0]}: gains cannot be compared")
        return Rows("Who met whom", MeetingRow, seasons.meeting_rows(self._season))

    def points(self, scale: Iterable[int] = (10, 8, 6, 5, 4)) -> Rows[PointsRow]:
        """The table of points. `scale`: the points for the first places of each tournament. Bots that share a
        place share the points of the places that they occupy."""
        return Rows("Points", PointsRow, seasons.points_rows(self._season, _scale(scale)))

    def standings_data(self, points: Iterable[int] | None = None, *, full: bool = False) -> dict[str, Any]:
        """What `arena standings --json` prints for a season. `points`: those for the first places."""
        scale = None if points is None else _scale(points)
        data = seasons.as_data(self._season, scale, full=full)
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(data))
        return plain

    def export(self, file: str | Path, rows: str = "deals", *, as_json: bool = False) -> Path:
        """Write `matches`, `deals` or `decisions` of all tournaments to a file as `arena export` does, with
        the columns `event` and `program`."""
        if rows not in ROWS:
            raise UserError(f"rows {rows!r}: there are no rows of this kind{did_you_mean(rows, ROWS)}")
        found = seasons.exported(self._season, self.folders, rows)
        place = Path(path_of(file))
        try:
            with written_whole(place) as written:
                written.writelines((json_lines if as_json else csv_lines)(found))
        except OSError as error:
            raise UserError(f"{place}: {error.strerror}") from None
        return place

    def report(
        self,
        out: str | Path = "season.html",
        *,
        points: Iterable[int] | None = None,
        title: str = "",
        subtitle: str = "",
        date: str = "",
        organiser: str = "",
    ) -> Path:
        """Write the season as one page, and return its path. `points`: those for the first places, if a table
        of points is wanted."""
        # Imported here since templates load slowly.
        from arena.report.season import season_page  # noqa: PLC0415
        from arena.report.tournament import Heading  # noqa: PLC0415

        scale = None if points is None else _scale(points)
        html = season_page(self._season, Heading(title, subtitle, date, organiser), scale)
        place = Path(path_of(out))
        write_file("out", place, html.encode())
        return place

    def __reduce__(self) -> tuple[Any, ...]:
        """Copying and unpickling read the folders again."""
        return season, self.folders

    def __repr__(self) -> str:
        return f"<Season {season_headline(self._season)}>"


def _scale(points: Iterable[int]) -> Scale:
    try:
        return seasons.scale_of(points)
    except ValueError as error:
        raise UserError(f"points {error}") from None


def season(*folders: AnyPath) -> Season:
    """Read several tournaments of one game, named in the order in which they were played, as one table.
    Raises UserError if a folder contains none, is named twice, or has another game."""
    if not folders:
        raise UserError("a season needs tournaments: name their folders")
    places = tuple(Path(path_of(folder)).absolute() for folder in folders)
    return Season(places, seasons.read_season(places, LOGGER.warning))
