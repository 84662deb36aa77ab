"""Data of `arena standings`, `report` and `export` over several runs, read as one season."""

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
    """A program of a season with its standing. `joined` counts the rounds of the season; None if the
    program took part in every tournament from beginning to end."""

    title: str
    """The text shown for the name."""
    digest: str
    """The SHA-256 of its files; "" for house bots."""
    names: tuple[str, ...]
    """All names under which it entered."""
    first: str
    """The tournament that it entered first, as `last` is the last one; "" for house bots."""
    last: str
    replaced: bool
    """Whether another program has its name now."""


class PointsRow(msgspec.Struct, frozen=True):
    """A name in the table of points."""

    place: int
    """By total; equal totals share a place."""
    name: str
    title: str
    total: float
    points: tuple[float | None, ...]
    """By tournament; None if the name did not enter, or the tournament is not over."""
    places: tuple[int | None, ...]
    """By tournament; None as in `points`, or if the name had no rank there."""
    programs: tuple[str, ...]
    """The programs that had the name, as in the standings."""


class MeetingRow(msgspec.Struct, frozen=True):
    """The meetings of two names."""

    one: str
    other: str
    event: str
    """The tournament; "" for all of them."""
    pods: int
    """The number of pods in which both played."""
    difference: float | None
    """How much more `one` gained per deal in these pods; None without a finished deal."""
    low: float | None
    high: float | None
    """`low` to `high`: the 95 % interval of the difference; None below three pods, or if nothing varies."""


def read_season(folders: Sequence[Path], say: Callable[[str], None]) -> SeasonRecord:
    """Read run directories as one season, in this order, each labelled by its folder. Raises UserError if one
    is damaged, named twice, or of another game."""
    records: dict[str, Record] = {}
    digests: dict[str, Path] = {}
    for folder in folders:
        with Journal(folder) as journal:
            if (same := digests.setdefault(journal.digests[0], folder)) is not folder:
                raise UserError(f"{folder}: the same tournament as {same}; name each only once")
            try:
                records[label := _label(folder, records)] = Record(journal.entries)
            except UserError as error:
                raise UserError(f"{folder}: {error}") from None
            if not journal.made_here:
                say(f"{label}: {journal.stranger}; which programs played is only what it says")
    return SeasonRecord(records)


def _label(folder: Path, taken: Container[str]) -> str:
    """The label of a run: the name of its folder, numbered if that is taken."""
    name = caption(in_utf8(os.path.basename(os.path.abspath(folder)))) or "run"
    labels = (name if number == 1 else f"{name}-{number}" for number in range(1, 1 << 30))
    return next(label for label in labels if label not in taken)


def scale_of(points: Iterable[object]) -> Scale:
    """Parse the points of the first places, numbers or texts. Raises ValueError with what is wrong."""
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
    """The rows of the programs, then of the house bots. Raises UserError if gains cannot be compared."""
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
    """The table of points. The tournaments may differ in everything except the game."""
    return tuple(_points_row(season, row) for row in season_points(season.records, scale))


def _points_row(season: SeasonRecord, row: Points) -> PointsRow:
    programs = [program.name for program in season.programs.values() if row.name in program.names]
    return PointsRow(
        place=row.place,
        name=row.name,
        title=season.called(row.name),
        total=row.total,
        points=tuple(None if event is None else event.points for event in row.events),
        places=tuple(None if event is None else event.place for event in row.events),
        programs=tuple(programs),
    )


def meeting_rows(season: SeasonRecord) -> tuple[MeetingRow, ...]:
    """For every two names that met, a row for all tournaments, then one for each in which they met."""
    labels = ("", *(event.label for event in season.events))
    return tuple(
        MeetingRow(met.one, met.other, label, met.pods, met.difference, met.low, met.high)
        for pair in season.head_to_head
        for label, met in zip(labels, (pair.all, *pair.events), strict=True)
        if met is not None
    )


def as_data(season: SeasonRecord, scale: Scale | None, *, full: bool) -> dict[str, Any]:
    """A season for --json, without times and paths. If gains cannot be compared it holds only the points, and
    `differences` says why; without a `scale` that raises UserError."""
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
    """The rows of all runs, run by run, with two more columns: `event`, the tournament, and `program`, the
    digest of the bot's program. Raises UserError if a log is damaged."""
    for at, (event, folder) in enumerate(zip(season.events, folders, strict=True)):
        with Journal(folder) as journal:
            try:
                for row in ROWS[rows](journal):
                    program = season.program_of(at, row.round, row.bot)
                    digest = caption(program.digest) if program else ""
                    made = _with_event(type(row))
                    yield made(**msgspec.structs.asdict(row), event=event.label, program=digest)
            except LogError as error:
                raise UserError(f"{folder}: {error}; arena verify {shell_word(folder)} shows more") from None


@functools.cache
def _with_event(kind: type[ExportRow]) -> Callable[..., ExportRow]:
    """A subclass of this kind of row with the columns of a season."""
    columns = [("event", str), ("program", str)]
    made: Any = msgspec.defstruct(f"Season{kind.__name__}", columns, bases=(kind,), frozen=True)
    return made  # type: ignore[no-any-return]
