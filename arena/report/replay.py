"""A match log as a page that replays it.

The scenes are computed here, and the page holds each as its difference from the one before. So the page's
script draws, and knows no rules. The page of one seat holds only that seat's scenes: what the seat did not
know is not in the file.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.director.journal import STDERR
from arena.games import registry
from arena.games.extras import Picture
from arena.log.entries import Faulted, Greeted
from arena.log.retrace import Log
from arena.log.scenes import DueDecision, MadeDecision, Scene, scenes
from arena.players.review.judged import JudgedChoice
from arena.report.moments import Moment, moments
from arena.report.pages import embedded, page
from arena.report.rules import rules_html
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.text import visible
from protocol.cards import Seat
from protocol.faults import MEANING
from protocol.outcome import totals
from protocol.units import Us

STDERR_SHOWN: Final = 8 * 1024
"""A replay shows this many bytes of a bot's standard error: the last ones."""

STYLES = ("base.css", "cards.css", "replay.css")
SCRIPTS = ("elements.js", "numbers.js", "knowledge.js", "drawing.js", "viewer.js")
READING_STYLES = ("reading.css",)
READING_SCRIPTS = ("reading.js", "asked.js")

_MATCHES: Final = (
    (re.compile(r"r(\d+)-p(\d+)-s(\d+)"), "Round {}, pod {}, match {}"),
    (re.compile(r"(\d+)-(\d+)-(\d+)"), "Draw {}, version {}, seating {}"),
)


class ShownFault(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fault as the page shows it. `stderr` is empty unless it may be published."""

    seat: Seat
    kind: str
    meaning: str
    detail: str
    forfeits: bool
    us: Us = Us(0)
    reply: str = ""
    stderr: str = ""


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """A scene as its difference from the one before. Of common knowledge, `put` holds new values and `add`
    what was appended to lists; `own` holds, by seat, new values that only this seat knows. The other fields
    are not differences."""

    deal: int
    trick: int
    put: dict[str, Any] = {}
    add: dict[str, Any] = {}
    own: dict[str, Mapping[str, Any]] = {}
    due: tuple[DueDecision, ...] = ()
    decided: tuple[MadeDecision, ...] = ()
    sentences: tuple[str, ...] = ()
    faults: tuple[ShownFault, ...] = ()


class Mark(msgspec.Struct, frozen=True):
    """A decision that a review calls an error, made in this `scene`. `cost`: points, with the standard error
    `error`."""

    scene: int
    seat: Seat
    played: str
    better: str
    cost: float
    error: float


class Caption(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a bot says about itself in `ready`."""

    name: str = ""
    version: str = ""
    author: str = ""
    language: str = ""


class ReplayPage(msgspec.Struct, frozen=True):
    """All data of a replay page."""

    match: str
    """The readable name of the match."""
    game: str
    seat: Seat | None
    """The seat whose knowledge the page contains; None for all seats."""
    deals: int
    names: tuple[str, ...]
    captions: tuple[Caption, ...]
    suits: Mapping[str, str]
    """Names by letter."""
    counts: str
    """The game's word for points."""
    points: tuple[int, ...]
    placings: tuple[int, ...]
    changes: list[Change]
    stderr: tuple[str, ...] = ()
    """By seat; empty if unknown or not published."""
    marks: tuple[Mark, ...] = ()
    """The marks of a review, in order."""
    moments: tuple[Moment, ...] = ()
    """The other marks on the slider."""
    near: Seat | None = None
    """The seat that is at the bottom of the page at first."""


def replay_page(
    log: Log,
    seat: Seat | None = None,
    *,
    stderr: Iterable[str] | None = None,
    home: str = "",
    following: str = "",
    judged: Sequence[JudgedChoice] = (),
) -> str:
    """The HTML of a match as `seat` saw it; None shows all seats. `stderr`: by seat, None if it must not be
    published. `home`: the address of the report; `following`: that of the next match's page. `judged`:
    decisions judged by a review, of which those that certainly cost something are marked. Raises Mismatch if
    the log breaks the rules."""
    data = replay_data(log, seat, stderr, judged)
    return page(
        "replay.html",
        styles=STYLES,
        scripts=SCRIPTS,
        replay=data,
        data=embedded(data),
        home=home,
        following=following,
        rules=rules_html(log.game.id),
    )


def replay_file(log: Log, *, stderr: Iterable[str] | None = None, following: str = "") -> bytes:
    """The data of a match that `reader_page` loads, with the arguments and errors of `replay_page`;
    `following` is the id of the next match."""
    data = replay_data(log, None, stderr)
    return msgspec.json.encode(msgspec.structs.asdict(data) | {"following": following})


def reader_page(game: str, *, home: str) -> str:
    """The HTML of a page that shows any match of a game. It loads the match that its address names from a
    file made by `replay_file`."""
    title = registry.game(game).title
    nothing = ReplayPage("", title, None, 0, (), (), {}, "", (), (), [])
    *before, viewer = SCRIPTS
    return page(
        "replay.html",
        styles=STYLES + READING_STYLES,
        scripts=(*before, *READING_SCRIPTS, viewer),
        served=True,
        module=True,
        replay=nothing,
        data="",
        home=home,
        following="#",
        rules=rules_html(game),
    )


def replay_data(
    log: Log, seat: Seat | None, stderr: Iterable[str] | None, judged: Sequence[JudgedChoice] = ()
) -> ReplayPage:
    """The data of `replay_page`, with the same arguments and errors."""
    opened, closed = log.opened, log.closed
    # This comes first, since it raises Mismatch.
    shown = list(scenes(log, seat))
    changes = list(_changes(shown, with_stderr=stderr is not None))
    names = tuple(entrant.called for entrant in opened.entrants)
    captions = [Caption()] * log.seats
    for entry in log.entries:
        if isinstance(entry, Greeted) and seat in (None, entry.seat):
            captions[entry.seat] = Caption(entry.name, entry.version, entry.author, entry.language)
    texts = [""] * log.seats if stderr is None else list(stderr)
    return ReplayPage(
        match=_in_words(opened.match_id),
        game=log.game.title,
        seat=seat,
        deals=len(closed.points),
        names=names,
        captions=tuple(captions),
        suits=log.game.suits(log.seats),
        counts=log.game.counts,
        points=totals(closed.points, log.seats),
        placings=closed.placings,
        changes=changes,
        stderr=tuple(text if seat in (None, at) else "" for at, text in enumerate(texts)),
        marks=tuple(_marks(log, changes, judged)),
        moments=moments(shown, names, closed, log.game.counts),
        near=judged[0].seat if judged and seat is None else seat,
    )


def _in_words(match_id: str) -> str:
    """The readable name of a match: r01-p002-s03 of a tournament, 96-1-4 of a league; other ids stay as they
    are."""
    for pattern, words in _MATCHES:
        if found := pattern.fullmatch(match_id):
            return words.format(*map(int, found.groups()))
    return match_id


def _marks(log: Log, changes: Iterable[Change], judged: Sequence[JudgedChoice]) -> Iterator[Mark]:
    """The marks of decisions that certainly cost something. Raises UserError if the review is of another
    match, or of a seat that is not on the page."""
    due = {(one.seat, one.at): one for one in judged if one.match == log.opened.match_id}
    made: defaultdict[Seat, int] = defaultdict(int)
    for scene, change in enumerate(changes):
        for decided in change.decided:
            one = due.get((decided.seat, made[decided.seat]))
            made[decided.seat] += 1
            if one is None or (one.deal, one.played) != (change.deal, decided.action):
                continue
            del due[one.seat, one.at]
            if one.sure:
                yield Mark(scene, one.seat, one.played, one.better, one.cost, one.error)
    if due or (judged and all(one.match != log.opened.match_id for one in judged)):
        raise UserError(
            f"this is not a review of match {log.opened.match_id}, or it is of a seat that is not on this "
            "page"
        )


def _changes(scenes: Iterable[Scene], *, with_stderr: bool) -> Iterator[Change]:
    """Each scene as its difference from the one before; the first from nothing."""
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
            sentences=scene.sentences,
            faults=tuple(_shown(fault, with_stderr) for fault in scene.faults),
        )


def _common(scene: Scene) -> dict[str, Any]:
    """What all seats know, with the data that the script needs for drawing."""
    extra = {
        "deal_points": scene.deal_points,
        "sizes": scene.sizes,
        "ranked": scene.ranked,
        "shown": scene.shown,
    }
    return {**scene.shared, **extra} | drawn(scene.picture)


def drawn(picture: Picture | None) -> dict[str, Any]:
    """What the drawing script needs of a picture: `cells` by seat, each a heading with its text, and
    `lines`."""
    if picture is None:
        return {}
    cells = tuple(tuple(zip(picture.headings, row, strict=True)) for row in picture.rows)
    return {"cells": cells, "on_table": picture.on_table, "lines": picture.lines}


def _grown(before: Any, now: Any) -> Any:
    """What was appended to a tuple; () if the new one is not the old one with more at its end."""
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


def stderr_beside(log: Path, seats: int) -> list[str]:
    """By seat, the standard error of the bots of a match, from the run directory of the log; "" if it is
    missing."""
    run = log.absolute().parent.parent
    return [_tail(run / STDERR / f"{log.stem}-{seat}.txt", run) for seat in range(seats)]


def _tail(path: Path, run: Path) -> str:
    try:
        return visible(foreign.tail(path, STDERR_SHOWN, run), STDERR_SHOWN)
    except OSError:
        return ""
