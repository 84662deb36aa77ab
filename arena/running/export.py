"""A tournament as rows for pandas, DuckDB or a spreadsheet: one per match and seat, per deal and seat, or per
decision.

Knows journals and logs; not the format in which rows are written.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from arena.log.entries import Acted, parse
from arena.log.retrace import of_entries, retrace
from arena.running.journal import Journal, MatchPlayed
from arena.running.state import Record, result

ExportRow: TypeAlias = dict[str, Any]


def match_rows(journal: Journal) -> Iterator[ExportRow]:
    """One row per match and seat. `gain` and `points` are those of the match as played; `score` is in
    half-points, 0 for house bots; `forfeit` is the kind of the fault, `forfeit_deal` the deal from which a
    substitute played."""
    for played in _in_order(journal):
        scores = result(played).scores
        forfeits = {forfeit.seat: forfeit for forfeit in played.forfeits}
        for seat in range(len(played.entrants)):
            forfeit = forfeits.get(seat)
            yield _place(played, seat) | {
                "deals": len(played.outcome.points),
                "points": sum(deal[seat] for deal in played.outcome.points),
                "gain": sum(deal[seat] for deal in played.outcome.gains),
                "placing": played.outcome.placings[seat],
                "score": scores[seat],
                "forfeit": None if forfeit is None else str(forfeit.kind),
                "forfeit_deal": None if forfeit is None else forfeit.deal_no,
            }


def deal_rows(journal: Journal) -> Iterator[ExportRow]:
    """One row per deal and seat, as played. `substitute`: the bot had forfeited before the deal was over."""
    for played in _in_order(journal):
        forfeited = {forfeit.seat: forfeit.deal_no for forfeit in played.forfeits}
        rows = zip(played.outcome.points, played.outcome.gains, strict=True)
        for deal_no, (points, gains) in enumerate(rows, 1):
            for seat in range(len(played.entrants)):
                yield _place(played, seat) | {
                    "deal": deal_no,
                    "points": points[seat],
                    "gain": gains[seat],
                    "substitute": seat in forfeited and forfeited[seat] <= deal_no,
                }


def decision_rows(journal: Journal) -> Iterator[ExportRow]:
    """One row per decision, with the view and the legal actions that the seat was shown. `us` are the
    microseconds that the bot took, None where the substitute chose."""
    for played in _in_order(journal):
        log = of_entries(parse(journal.read_log(played.match_id).encode()))
        for turn in retrace(log):
            for entry in turn.entries:
                if isinstance(entry, Acted) and (state := turn.before) is not None:
                    yield _place(played, entry.seat) | {
                        "deal": state.deal_no,
                        "request": entry.id or None,
                        "decision": state.pending[entry.seat],
                        "view": msgspec.to_builtins(state.view(entry.seat)),
                        "legal": list(state.legal(entry.seat)),
                        "action": entry.action,
                        "us": None if entry.by_substitute else entry.us,
                        "note": entry.note,
                    }


ROWS: Final[Mapping[str, Callable[[Journal], Iterator[ExportRow]]]] = {
    "matches": match_rows,
    "deals": deal_rows,
    "decisions": decision_rows,
}


def _in_order(journal: Journal) -> list[MatchPlayed]:
    return [played for _, played in sorted(Record(journal.entries).played.items())]


def _place(played: MatchPlayed, seat: int) -> ExportRow:
    return {
        "match": played.match_id,
        "round": played.round_no,
        "pod": played.pod_no,
        "seating": played.seating_no,
        "seat": seat,
        "bot": played.entrants[seat],
    }
