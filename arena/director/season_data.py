"""`arena standings`, `report` and `export` over several runs: read as one season, and as data."""

import functools
import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from arena.director.export import ROWS, ExportRow
from arena.director.journal import Journal
from arena.director.points import MOST_POINTS, Points, Scale, season_points
from arena.director.season import SeasonRecord
from arena.director.state import Record
from arena.log.entries import LogError
from arena.system.errors import UserError
from arena.system.text import caption, in_utf8, shell_word
from tournaments.results import is_house
from tournaments.standings import Standing


class SeasonRow(Standing, frozen=True, kw_only=True):
    """A program of a season: its standing, in which `joined` is the first round of the season in which it
    could be drawn, None for one that took part in all of every tournament. title: what people read for the
    name. digest: the SHA-256 of its files. names: all that it entered under. first, last: the tournaments of
    its first and last entry. replaced: another program has its name now. A house bot has no digest and no
    tournaments."""

    title: str
    digest: str
    names: tuple[str, ...]
    first: str
    last: str
    replaced: bool


class PointsRow(msgspec.Struct, frozen=True):
    """A name in the table of points. place: by total; equal totals share. points, places: by tournament; None
    where it did not enter, where that is not over, or, of the places, where it had no rank. programs: those
    that had the name, as the standings call them."""

    place: int
    name: str
    title: str
    total: float
    points: tuple[float | None, ...]
    places: tuple[int | None, ...]
    programs: tuple[str, ...]


class MeetingRow(msgspec.Struct, frozen=True):
    """Two names that met. event: a tournament, "" for all of them. pods: the number in which both played.
    difference: how much more `one` gained per deal than `other` in these; low, high: its 95 % interval, None
    below three pods."""

    one: str
    other: str
    event: str
    pods: int
    difference: float | None
    low: float | None
    high: float | None


def read_season(folders: Sequence[Path], say: Callable[[str], None]) -> SeasonRecord:
    """The season of these run directories, in their order; each is called as its folder. Raises UserError
    where one is damaged, named twice, or of another game."""
    records: dict[str, Record] = {}
    digests: dict[str, Path] = {}
    for folder in folders:
        with Journal(folder) as journal:
            if (same := digests.setdefault(journal.digests[0], folder)) is not folder:
                raise UserError(f"{folder}: the same tournament as {same}; name each once")
            try:
                records[label := _label(folder, records)] = Record(journal.entries)
            except UserError as error:
                raise UserError(f"{folder}: {error}") from None
            if not journal.made_here:
                say(f"{label}: {journal.stranger}; which programs played is what it says")
    return SeasonRecord(records)


def _label(folder: Path, taken: Container[str]) -> str:
    """What a run is called in a season: the name of its folder, numbered where that is taken."""
    name = caption(in_utf8(os.path.basename(os.path.abspath(folder)))) or "run"
    labels = (name if number == 1 else f"{name}-{number}" for number in range(1, 1 << 30))
    return next(label for label in labels if label not in taken)


def scale_of(points: Iterable[object]) -> Scale:
    """The points of the first places, from numbers or words. Raises ValueError with what is wrong."""
    given = tuple(points)
    try:
        scale = msgspec.convert(given, Scale, strict=False)
    except msgspec.ValidationError:
        raise ValueError(
            f"{','.join(map(str, given))!r}: whole numbers from 0 to {MOST_POINTS}, as in 10,8,6,5,4"
        ) from None
    if list(scale) != sorted(scale, reverse=True):
        raise ValueError(f"{','.join(map(str, scale))}: no place can give more than the one before it")
    return scale


def season_rows(season: SeasonRecord) -> tuple[SeasonRow, ...]:
    """The table of programs, then the house bots. Raises UserError where gains cannot be compared."""
    return tuple(_row(season, row) for row in (*season.table.entrants, *season.table.house))


def _row(season: SeasonRecord, row: Standing) -> SeasonRow:
    program = season.programs.get(row.name)
    return SeasonRow(
        **msgspec.structs.asdict(row),
        title=program.called if program else row.name,
        digest=caption(program.digest) if program else "",
        names=program.names if program else (),
        first=program.events[0] if program else "",
        last=program.events[-1] if program else "",
        replaced=program.replaced if program else False,
    )


def points_rows(season: SeasonRecord, scale: Scale) -> tuple[PointsRow, ...]:
    """The table of points. Tournaments may differ in anything but the game."""
    return tuple(_points_row(season, row) for row in season_points(season.records, scale))


def _points_row(season: SeasonRecord, row: Points) -> PointsRow:
    programs = [one.name for one in season.programs.values() if row.name in one.names]
    return PointsRow(
        place=row.place,
        name=row.name,
        title=season.called(row.name),
        total=row.total,
        points=tuple(None if one is None else one.points for one in row.events),
        places=tuple(None if one is None else one.place for one in row.events),
        programs=tuple(programs),
    )


def meeting_rows(season: SeasonRecord) -> tuple[MeetingRow, ...]:
    """For every two names that met a row for all tournaments, then one for each in which they met."""
    labels = ("", *(event.label for event in season.events))
    return tuple(
        MeetingRow(one.one, one.other, label, one.pods, one.difference, one.low, one.high)
        for pair in season.head_to_head
        for label, one in zip(labels, (pair.all, *pair.events), strict=True)
        if one is not None
    )


def as_data(season: SeasonRecord, scale: Scale | None, *, full: bool) -> dict[str, Any]:
    """A season for --json, without times and paths. Without gains that can be compared there are the points
    alone, and `differences` says why. Raises UserError where points are not asked for either."""
    first = season.records[0].created
    data: dict[str, Any] = {
        "game": first.game,
        "rules": first.rules,
        "events": [
            {
                "event": event.label,
                "format": event.record.created.format,
                "rounds_drawn": len(event.record.drawn),
                "rounds_before": event.before,
                "matches": len(event.record.results),
                "over": event.record.over,
                "seed_sha256": event.record.created.seed_sha256,
            }
            for event in season.events
        ],
        "differences": list(season.differences),
    }
    if scale is None or not season.differences:
        rows = season_rows(season)
        widening = season.table.widening
        data |= {
            "options": first.options,
            "pod_size": first.pod_size,
            "interval_widening": widening if isfinite(widening) else None,
            "entrants": [msgspec.to_builtins(row) for row in rows if not is_house(row.name)],
            "house": [msgspec.to_builtins(row) for row in rows if is_house(row.name)],
            "ahead": season.ahead,
            "caveats": list(season.caveats),
        }
    if scale is not None:
        data["points"] = {"scale": list(scale), "names": msgspec.to_builtins(points_rows(season, scale))}
    if full and not season.differences:
        data["superiority"] = msgspec.to_builtins(season.superiority)
        data["meetings"] = msgspec.to_builtins(meeting_rows(season))
    return data


def exported(season: SeasonRecord, folders: Sequence[Path], rows: str) -> Iterator[ExportRow]:
    """The rows of all runs, one run after the other, each with two more columns: `event`, the tournament, and
    `program`, the digest of the bot's program. Raises UserError where a log is damaged."""
    for at, (event, folder) in enumerate(zip(season.events, folders, strict=True)):
        with Journal(folder) as journal:
            try:
                for row in ROWS[rows](journal):
                    program = season.program_of(at, row.round, row.bot)
                    digest = caption(program.digest) if program else ""
                    made = _with_event(type(row))
                    yield made(**msgspec.structs.asdict(row), event=event.label, program=digest)
            except LogError as error:
                raise UserError(f"{folder}: {error}; arena verify {shell_word(folder)} says more") from None


@functools.cache
def _with_event(kind: type[ExportRow]) -> Callable[..., ExportRow]:
    """Makes rows of this kind that have the columns of a season too."""
    columns = [("event", str), ("program", str)]
    made: Any = msgspec.defstruct(f"Season{kind.__name__}", columns, bases=(kind,), frozen=True)
    return made  # type: ignore[no-any-return]
