"""What is happening in a tournament as data, for the file that a visible page loads and for the stage of the
report.

It is small for every tournament, and contains no card and no seed, since running matches share their deals
with other matches of their pods. Knows no file, no clock and no HTML.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Literal

import msgspec

from arena.director.ahead import who_is_ahead
from arena.director.entries import JournalEntry, MatchPlayed, place
from arena.director.state import Record, expected_matches, matches_of_a_pod

PLACES: Final = 100
"""Rows of the table; the rest are counted."""
MATCHES: Final = 12
"""At most this many running matches, and pods of the round, are named."""
FINISHED: Final = 4
"""The number of pods listed that ended last."""

State = Literal["running", "stopped", "over"]


class LiveRow(msgspec.Struct, frozen=True):
    """A row of the table."""

    bot: str
    """The name by which its page is found."""
    name: str
    """The name or title shown to people."""
    rank: int | None
    climbed: int
    """The places gained in this round so far; 0 unless all had a rank before it."""
    gain: float | None
    score: str
    most: str
    """The greatest score that was possible."""


class LiveTable(msgspec.Struct, frozen=True):
    """The table, by the pods that have ended."""

    rows: tuple[LiveRow, ...] = ()
    """The first PLACES entrants."""
    ahead: str = ""
    """Who is ahead, without how certain that is, which takes seconds to compute; "" while no pod has
    ended."""


class RunningMatch(msgspec.Struct, frozen=True):
    """A match that is being played `since` this time, in seconds since 1970."""

    pod_no: int
    seating_no: int
    entrants: tuple[str, ...]
    since: float


class RunningPod(msgspec.Struct, frozen=True):
    """A pod of the present round that has not ended; `done` of its `matches` are played."""

    pod_no: int
    entrants: tuple[str, ...]
    done: int
    matches: int


class FinishedPod(msgspec.Struct, frozen=True):
    """A pod whose hands may be seen. `replay`: the id of a match with a page, "" if none has one."""

    round_no: int
    pod_no: int
    entrants: tuple[str, ...]
    replay: str


class Live(msgspec.Struct, frozen=True):
    """The news of a tournament. Entrants are given by title, times in seconds since 1970."""

    state: State
    round_no: int
    reported: int
    """The last round that had been drawn when the report was written."""
    rounds: int
    done: int
    matches: int
    written: float | None
    """When this was computed."""
    ends: float | None
    """When the last match is expected to end; None if unknown."""
    entrants: int
    ahead: str
    table: tuple[LiveRow, ...]
    """Both as in `LiveTable`."""
    running: int
    """The number of running matches."""
    playing: tuple[RunningMatch, ...]
    """The first MATCHES of them."""
    open_pods: int
    """The number of pods of this round that have not ended."""
    pods: tuple[RunningPod, ...]
    """The first MATCHES of them."""
    finished: tuple[FinishedPod, ...]


def ranks_before(entries: Sequence[JournalEntry]) -> dict[str, int | None]:
    """By name, the ranks when the round was drawn. They do not change while it is played."""
    round_no = len(Record(entries).drawn)
    before = Record(_of_pods(entries, lambda pod: pod[0] < round_no)).standings(exact=False).entrants
    return {row.name: row.rank for row in before if row.matches}


def places(entries: Sequence[JournalEntry], ranks: Mapping[str, int | None] | None = None) -> LiveTable:
    """The table, and how it has moved since `ranks`, the result of `ranks_before`."""
    if ranks is None:
        ranks = ranks_before(entries)
    record = Record(entries)
    open_pods = set(record.unfinished)
    # A bot that gets its first rank moves others down, although these have lost to nobody.
    moved = all(rank is not None for rank in ranks.values())
    ended = Record(_of_pods(entries, lambda pod: pod not in open_pods))
    standings = ended.standings(exact=False)
    rows = sorted(
        standings.entrants,
        # Before the pods connect the bots, none has a rank, and only gains are known.
        key=lambda row: (row.rank is None, not row.matches, 0.0 if row.rank else -(row.gain or 0.0)),
    )
    shown = (
        LiveRow(
            bot=row.name,
            name=record.called(row.name),
            rank=row.rank if row.matches else None,
            climbed=(ranks.get(row.name) or row.rank) - row.rank if moved and row.rank and row.matches else 0,
            gain=row.gain if row.matches else None,
            score=f"{row.score:g}",
            most=f"{row.max_score:g}",
        )
        for row in rows[:PLACES]
    )
    ahead = who_is_ahead(ended, standings, how_certainly=False) if ended.results else ""
    return LiveTable(tuple(shown), ahead)


def live(
    entries: Sequence[JournalEntry],
    table: LiveTable,
    replays: Collection[str],
    *,
    state: State,
    playing: Sequence[RunningMatch] = (),
    written: float | None = None,
    ends: float | None = None,
    rounds: int | None = None,
    matches: int | None = None,
    reported: int | None = None,
) -> Live:
    """The news, with a `table` made by `places`. `replays`: the matches that have a page. `rounds` and
    `matches`: how many are expected in all; None for those planned, or with a deadline those drawn.
    `reported`: None in the report itself."""
    record = Record(entries)
    if rounds is None:
        rounds = record.rounds if record.deadline is None else max(1, len(record.drawn))
    if matches is None:
        matches = _matches(record, rounds)
    ended = record.played.keys() | record.skipped.keys()
    pods = list(_open(record, ended))
    return Live(
        state=state,
        round_no=len(record.drawn),
        reported=len(record.drawn) if reported is None else reported,
        rounds=rounds,
        done=len(ended),
        matches=len(ended) if state == "over" else max(len(ended), matches),
        written=written,
        ends=ends,
        entrants=len(record.fielded.entrants),
        ahead=table.ahead,
        table=table.rows,
        running=len(playing),
        playing=tuple(playing[:MATCHES]),
        open_pods=len(pods),
        pods=tuple(pods[:MATCHES]),
        finished=tuple(islice(_finished(record, replays), FINISHED)),
    )


def _matches(record: Record, rounds: int) -> int:
    drawn = [sum(matches_of_a_pod(record.created, len(pod)) for pod in pods) for pods in record.drawn]
    return expected_matches(record.created, drawn, rounds)


def settled(record: Record) -> list[str]:
    """For each pod that has ended, the id of its first match that counts. The pod that ended last comes
    first."""
    open_pods = set(record.unfinished)
    firsts: dict[tuple[int, int], str] = {}
    for one in reversed(record.played.values()):
        pod = one.round_no, one.pod_no
        if pod not in open_pods:
            firsts[pod] = min(one.match_id, firsts.get(pod, one.match_id))
    return list(firsts.values())


def _of_pods(
    entries: Iterable[JournalEntry], wanted: Callable[[tuple[int, int]], bool]
) -> list[JournalEntry]:
    """The entries without the matches of other pods, given as (round, pod)."""
    return [
        entry
        for entry in entries
        if not isinstance(entry, MatchPlayed) or wanted((entry.round_no, entry.pod_no))
    ]


def _open(record: Record, ended: Collection[str]) -> Iterator[RunningPod]:
    done = Counter(place(one)[:2] for one in ended)
    round_no = len(record.drawn)
    for pod_no, names in enumerate(record.drawn[-1] if record.drawn else (), 1):
        matches = matches_of_a_pod(record.created, len(names))
        if done[round_no, pod_no] < matches and (round_no, pod_no) not in record.cut_off:
            yield RunningPod(pod_no, tuple(map(record.called, names)), done[round_no, pod_no], matches)


def _finished(record: Record, replays: Collection[str]) -> Iterator[FinishedPod]:
    for first in settled(record):
        round_no, pod_no, _ = place(first)
        names = tuple(map(record.called, record.drawn[round_no - 1][pod_no - 1]))
        yield FinishedPod(round_no, pod_no, names, first if first in replays else "")
