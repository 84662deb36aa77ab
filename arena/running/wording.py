"""A table of standings in words: its heading, and each row as a text for each column. Shown by terminals and
notebooks.

Knows standings, and neither widths nor colours.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from arena import registry
from arena.running.state import Record
from protocol.outcome import in_points

if TYPE_CHECKING:
    from tournaments.knockout import Course
    from tournaments.standings import Standing

CAME_TO: Final = "came to"
"""The heading of the one column that only a knockout has."""
WORDS: Final = ("bot", CAME_TO, "")
"""The headings of the columns that hold no numbers."""


def headline(record: Record) -> str:
    """The game, the format, and how far the tournament has come."""
    created = record.created
    title = registry.game(created.game).title
    played = f"round {len(record.drawn)} of {record.rounds}, {len(record.results)} matches"
    return f"{title} · {created.format} · {played}"


def cells(row: "Standing", record: Record, came_to: Mapping[str, str]) -> dict[str, str]:
    """One row of the table: the text for each heading, in the order of the columns. The last heading, that of
    the remarks, is empty; the column of `came_to` is left out if that is empty."""
    remarks = [f"{count} × {kind}" for kind, count in row.forfeits.items()]
    if row.rank is None:
        remarks.insert(0, _why_unranked(row, record))
    if row.joined is not None:
        remarks.insert(0, f"since round {row.joined}")
    return {
        "rank": "–" if row.rank is None else str(row.rank),
        "bot": record.called(row.name),
        **({CAME_TO: came_to.get(row.name, "")} if came_to else {}),
        "gain/deal": "–" if row.gain is None else f"{row.gain:+.3f}",
        "95 % interval": "–" if row.low is None or row.high is None else f"{row.low:+.2f} … {row.high:+.2f}",
        "could be": possible_ranks(row),
        "score": f"{in_points(row.score)}/{in_points(row.max_score)}" if row.max_score else "–",
        "Buchholz": "–" if row.buchholz is None else f"{row.buchholz / 2:.2f}",
        "matches": str(row.matches),
        "": ", ".join(remarks),
    }


def probability(p: float | None) -> str:
    """A p-value of the figures behind the table."""
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def came_to_texts(course: "Course | None") -> Mapping[str, str]:
    """How far each entrant of a knockout came, by name; empty for None."""
    if course is None:
        return {}
    rounds = {name: f"round {round_no}" for name, round_no in course.came_to.items()}
    final = {name: "final" for name, round_no in course.came_to.items() if round_no == course.final}
    return rounds | final | ({course.winner: "winner"} if course.winner else {})


def _why_unranked(row: "Standing", record: Record) -> str:
    if row.name in record.withdrawn:
        return "withdrawn"
    if row.name in record.fielded.gone:
        return "replaced"
    return "unranked" if row.rank_low is None else "not comparable"


def possible_ranks(row: "Standing") -> str:
    """The ranks that the intervals leave possible, such as 1–4; a dash where there are none."""
    if row.rank_low is None:
        return "–"
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"
