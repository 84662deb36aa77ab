"""A tournament as rows for pandas, DuckDB or a spreadsheet: one row per match and seat, per deal and seat, or
per decision.

Knows journals and logs, not the format in which rows are written.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from arena.director.entries import MatchPlayed
from arena.director.journal import Journal
from arena.director.state import Record
from arena.log.decisions import decisions
from arena.log.entries import parse
from arena.log.retrace import of_entries
from protocol.faults import FaultKind
from protocol.outcome import in_points
from protocol.units import Us


class ExportRow(msgspec.Struct, frozen=True):
    """The columns with which every row begins. Fields are columns, in this order."""

    match: str
    """The id, such as r01-p002-s03."""
    round: int
    pod: int
    seating: int
    """From 1, as are `round` and `pod`."""
    seat: int
    """From 0."""
    bot: str
    """The name of the bot at this seat."""


class MatchRow(ExportRow, frozen=True):
    """A seat of a match."""

    deals: int
    """The number of finished deals."""
    points: int
    """The sum, as the game counts."""
    gain: int
    """The points, negated where few points are good: more is better."""
    placing: int
    """1 is best."""
    score: float
    """1 for each seat placed below it, ½ for each tie; 0 for house bots and after a forfeit."""
    forfeit: FaultKind | None
    """The kind of fault that lost the match; None without one."""
    forfeit_deal: int | None
    """The deal from which a substitute played; 0 if from before the first, None without a forfeit."""


class DealRow(ExportRow, frozen=True):
    """A seat of a deal."""

    deal: int
    """From 1."""
    points: int
    """As the game counts."""
    gain: int
    """The points, negated where few points are good: more is better."""
    substitute: bool
    """Whether the bot forfeited before the end of the deal."""


class DecisionRow(ExportRow, frozen=True):
    """A decision of a seat; see `Decision`."""

    deal: int
    request: int | None
    decision: str
    view: dict[str, Any]
    legal: tuple[str, ...]
    action: str
    us: Us | None
    note: str


def match_rows(journal: Journal) -> Iterator[MatchRow]:
    """One row per match and seat."""
    for played in Record(journal.entries).in_order:
        scores = played.result.scores
        forfeits = {forfeit.seat: forfeit for forfeit in played.forfeits}
        for seat in range(len(played.entrants)):
            forfeit = forfeits.get(seat)
            yield MatchRow(
                **_place(played, seat),
                deals=len(played.outcome.points),
                points=sum(deal[seat] for deal in played.outcome.points),
                gain=sum(deal[seat] for deal in played.outcome.gains),
                placing=played.outcome.placings[seat],
                score=in_points(scores[seat]),
                forfeit=None if forfeit is None else forfeit.kind,
                forfeit_deal=None if forfeit is None else forfeit.deal_no,
            )


def deal_rows(journal: Journal) -> Iterator[DealRow]:
    """One row per deal and seat."""
    for played in Record(journal.entries).in_order:
        forfeited = {forfeit.seat: forfeit.deal_no for forfeit in played.forfeits}
        rows = zip(played.outcome.points, played.outcome.gains, strict=True)
        for deal_no, (points, gains) in enumerate(rows, 1):
            for seat in range(len(played.entrants)):
                yield DealRow(
                    **_place(played, seat),
                    deal=deal_no,
                    points=points[seat],
                    gain=gains[seat],
                    substitute=seat in forfeited and forfeited[seat] <= deal_no,
                )


def decision_rows(journal: Journal) -> Iterator[DecisionRow]:
    """One row per decision. Replays every log, so it takes as long as `arena verify`. Raises LogError."""
    for played in Record(journal.entries).in_order:
        log = of_entries(parse(journal.read_written_log(played).encode()))
        for decision in decisions(log):
            # Names come from the journal, from which standings are computed.
            yield DecisionRow(**msgspec.structs.asdict(decision) | _place(played, decision.seat))


ROWS: Final[Mapping[str, Callable[[Journal], Iterator[ExportRow]]]] = {
    "matches": match_rows,
    "deals": deal_rows,
    "decisions": decision_rows,
}


def _place(played: MatchPlayed, seat: int) -> dict[str, Any]:
    return {
        "match": played.match_id,
        "round": played.round_no,
        "pod": played.pod_no,
        "seating": played.seating_no,
        "seat": seat,
        "bot": played.entrants[seat],
    }
