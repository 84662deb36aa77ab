"""Points of a season: each tournament gives points for the first place, the second, and so on. They go to
names, whatever programs played under them: a club's member may send a better bot and keep the points.

Knows records, and no statistics over several of them.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, TypeAlias

import msgspec

from arena.director.state import Record

MOST_POINTS: Final = 1_000_000
Scale: TypeAlias = Annotated[
    tuple[Annotated[int, msgspec.Meta(ge=0, le=MOST_POINTS)], ...], msgspec.Meta(min_length=1)
]
"""The points for the first place, the second, and so on; later places get none."""


class EventPoints(msgspec.Struct, frozen=True):
    """An entrant's place in one tournament, None without a rank, and its points."""

    place: int | None
    points: float


class Points(msgspec.Struct, frozen=True):
    """A row of the table of points. place: by total; equal totals share one. events: by tournament; None if
    the name did not enter, or the tournament is not over."""

    place: int
    name: str
    total: float
    events: tuple[EventPoints | None, ...]


def places(record: Record) -> Mapping[str, int]:
    """The place of each entrant that has one: in a knockout by how far it came, otherwise its rank."""
    course = record.course
    if course is not None and course.winner is not None:
        came_to = {name: (name == course.winner, course.came_to.get(name, 0)) for name in record.names}
        there = {name: far for name, far in came_to.items() if name not in record.withdrawn}
        return dict(zip(there, _best_first(list(there.values())), strict=True))
    # Ranks do not depend on the width of intervals.
    rows = record.standings(exact=False).entrants
    return {row.name: row.rank for row in rows if row.rank is not None and row.gain is not None}


def points_for(places: Mapping[str, int], scale: Sequence[int]) -> dict[str, float]:
    """The points of each entrant. Those that share a place share the points of the places that they fill."""
    sharing = Counter(places.values())
    return {
        name: round(sum(scale[place - 1 : place - 1 + sharing[place]]) / sharing[place], 6)
        for name, place in places.items()
    }


def season_points(records: Sequence[Record], scale: Sequence[int]) -> tuple[Points, ...]:
    """The table of points, by total, then by name. Unfinished tournaments give no points yet."""
    by_event = []
    for record in records:
        placed = places(record) if record.over else {}
        points = points_for(placed, scale)
        entered = record.names if record.over else ()
        by_event.append({name: EventPoints(placed.get(name), points.get(name, 0.0)) for name in entered})
    names = sorted({name for record in records for name in record.names})
    events = {name: tuple(of_event.get(name) for of_event in by_event) for name in names}
    totals = {name: round(sum(event.points for event in events[name] if event), 6) for name in names}
    names.sort(key=lambda name: -totals[name])
    ordered = _best_first([totals[name] for name in names])
    return tuple(
        Points(place, name, totals[name], events[name]) for place, name in zip(ordered, names, strict=True)
    )


def _best_first(values: "Sequence[float | tuple[bool, int]]") -> list[int]:
    """The place of each value: the greatest is 1, equal values share."""
    ordered = sorted(values)
    return [1 + len(ordered) - bisect_right(ordered, value) for value in values]
