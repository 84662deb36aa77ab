"""A match log as the page on which it is replayed.

The scenes are worked out here and stand on the page one as the difference from the one before, so the page
knows how to draw and no rules. The page of a seat holds that seat's scenes only: nothing in it is hidden,
since nothing else is there.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from arena.log.entries import Closed, Faulted, Greeted
from arena.log.retrace import Log
from arena.log.scenes import Decided, Due, Scene, scenes
from arena.report.pages import embedded, page
from protocol.cards import Seat
from protocol.faults import MEANING
from protocol.outcome import totals

STYLES = ("base.css", "cards.css", "replay.css")
SCRIPTS = ("knowledge.js", "drawing.js", "viewer.js")


class ShownFault(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fault as it is told to people. `stderr` only where it may be published."""

    seat: Seat
    kind: str
    meaning: str
    detail: str
    forfeits: bool
    us: int = 0
    reply: str = ""
    stderr: str = ""


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a scene changes of the one before: `put` are new values, `add` what lists grew by, both of what
    all know; `own` by seat new values of what it alone knows. The rest belongs to this scene only."""

    deal: int
    trick: int
    put: dict[str, Any] = {}
    add: dict[str, Any] = {}
    own: dict[str, Mapping[str, Any]] = {}
    due: tuple[Due, ...] = ()
    decided: tuple[Decided, ...] = ()
    told: tuple[str, ...] = ()
    faults: tuple[ShownFault, ...] = ()


class Caption(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a bot says of itself."""

    name: str = ""
    version: str = ""
    author: str = ""
    language: str = ""


class Replay(msgspec.Struct, frozen=True):
    """All that a replay page holds. `seat` is the one whose knowledge it is, None if it is everybody's;
    `suits` are letters and names; `stderr` by seat, empty where it is unknown or kept back."""

    match: str
    game: str
    seat: Seat | None
    deals: int
    names: tuple[str, ...]
    captions: tuple[Caption, ...]
    suits: Mapping[str, str]
    counts: str
    points: tuple[int, ...]
    placings: tuple[int, ...]
    changes: list[Change]
    stderr: tuple[str, ...] = ()


def replay_page(
    log: Log, seat: Seat | None = None, *, stderr: Iterable[str] | None = None, home: str = ""
) -> str:
    """The page of a match, or of what `seat` knew of it. `stderr` by seat, where what the bots wrote there
    may be shown; `home` is the address of the report. Raises Mismatch where the log is not true."""
    data = replay_data(log, seat, stderr)
    return page("replay.html", styles=STYLES, scripts=SCRIPTS, replay=data, data=embedded(data), home=home)


def replay_data(log: Log, seat: Seat | None = None, stderr: Iterable[str] | None = None) -> Replay:
    opened, closed = log.opened, log.entries[-1]
    assert isinstance(closed, Closed)
    # First of all, since it finds out whether the log is true at all.
    changes = list(_changes(scenes(log, seat), with_stderr=stderr is not None))
    captions = [Caption()] * log.seats
    for entry in log.entries:
        if isinstance(entry, Greeted) and seat in (None, entry.seat):
            captions[entry.seat] = Caption(entry.name, entry.version, entry.author, entry.language)
    texts = [""] * log.seats if stderr is None else list(stderr)
    return Replay(
        match=opened.match_id,
        game=log.game.title,
        seat=seat,
        deals=len(closed.points),
        names=tuple(entrant.called for entrant in opened.entrants),
        captions=tuple(captions),
        suits=log.game.suits(log.seats),
        counts=log.game.counts,
        points=totals(closed.points, log.seats),
        placings=closed.placings,
        changes=changes,
        stderr=tuple(text if seat in (None, at) else "" for at, text in enumerate(texts)),
    )


def _changes(scenes: Iterable[Scene], *, with_stderr: bool) -> Iterator[Change]:
    known: Mapping[str, Any] = {}
    own: tuple[Mapping[str, Any], ...] = ()
    for scene in scenes:
        before, known = known, _common(scene)
        own_before, own = own, tuple(what or {} for what in scene.own)
        changed = {
            name: value for name, value in known.items() if name not in before or before[name] != value
        }
        added = {name: tail for name, value in changed.items() if (tail := _grown(before.get(name), value))}
        yield Change(
            deal=scene.deal_no,
            trick=scene.trick_no,
            put={name: value for name, value in changed.items() if name not in added},
            add=added,
            own={
                str(seat): what
                for seat, what in enumerate(own)
                if what and (not own_before or what != own_before[seat])
            },
            due=scene.due,
            decided=scene.decided,
            told=scene.told,
            faults=tuple(_shown(fault, with_stderr) for fault in scene.faults),
        )


def _common(scene: Scene) -> dict[str, Any]:
    extra = {"sizes": scene.sizes, "ranked": scene.ranked, "shown": scene.shown}
    return {**scene.shared, **extra}


def _grown(before: Any, now: Any) -> Any:
    """What was added to a list; nothing if it is another one."""
    if isinstance(before, tuple) and isinstance(now, tuple) and before and now[: len(before)] == before:
        return now[len(before) :]
    return ()


def _shown(fault: Faulted, with_stderr: bool) -> ShownFault:
    return ShownFault(
        seat=fault.seat,
        kind=fault.kind,
        meaning=MEANING[fault.kind],
        detail=fault.detail,
        forfeits=fault.forfeits,
        us=fault.us,
        reply=fault.reply,
        stderr=fault.stderr if with_stderr else "",
    )
