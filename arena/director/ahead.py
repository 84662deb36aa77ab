"""Who is ahead in a tournament, and how certain that is: one sentence for terminals, pages and JSON.

It claims no more than the intervals of the table do. Knows standings, no screen.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf, isinf

from arena.director.state import Record
from arena.director.wording import named, possible_ranks
from tournaments.knockout import KnockoutResult
from tournaments.standings import Standing, Standings


def who_is_ahead(record: Record, table: Standings, *, how_certainly: bool = True) -> str:
    """The sentence about `table`, the standings of `record`. Refers to bots by their titles. Without
    `how_certainly` it does not depend on the intervals."""
    if not record.results:
        return "No match has been played yet."
    rows = [row for row in table.entrants if row.rank is not None and row.gain is not None]
    course = record.course
    if course is not None and course.winner is None and (playing := _still_in(record, course, table)):
        return playing
    if not rows:
        return f"Nobody {'won' if record.over else 'leads yet'}: the gains of the bots cannot be compared."
    clauses = list(_clauses(record, rows, course))
    return f"{'; '.join(clauses if how_certainly else clauses[:1])}."


def winners(record: Record, table: Standings) -> tuple[str, ...]:
    """The winners, who may share the first place; none before the end, or if gains cannot be compared."""
    if not record.over:
        return ()
    if record.course is not None:
        return (record.course.winner,) if record.course.winner is not None else ()
    rows = [row for row in table.entrants if row.rank is not None and row.gain is not None]
    return tuple(row.name for row in rows if row.rank == rows[0].rank)


def bands(rows: Sequence[Standing]) -> tuple[int, ...]:
    """The indices in `rows`, sorted by rank, at which a new band begins: every interval above lies wholly
    above every one below. Rows without an interval separate no bands."""
    return tuple(at for at in range(1, len(rows)) if _apart(rows[:at], rows[at:]))


def _apart(above: Sequence[Standing], below: Sequence[Standing]) -> bool:
    lows = [-inf if row.low is None else row.low for row in above]
    highs = [inf if row.high is None else row.high for row in below]
    return min(lows) > max(highs)


def _still_in(record: Record, course: KnockoutResult, table: Standings) -> str:
    """The sentence about a knockout without a winner; "" while gains decide, before the first elimination."""
    if record.over:
        return "The knockout ended without a winner."
    round_no = len(record.drawn)
    playing = [name for name in record.names if course.came_to.get(name) == round_no]
    if not isinf(table.widening) and len(playing) >= len(record.names) - len(record.withdrawn):
        return ""
    stage = "the final" if course.final else f"round {round_no} of {record.rounds}"
    return f"{named(map(record.called, playing))} play {stage}."


def _clauses(record: Record, rows: Sequence[Standing], course: KnockoutResult | None) -> Iterator[str]:
    def names(of: Sequence[Standing]) -> str:
        return named(record.called(row.name) for row in of)

    best = [row for row in rows if row.rank == rows[0].rank]
    so_far = "" if record.over else f" in {record.progress}"
    if course is not None and course.winner is not None:
        yield f"{record.called(course.winner)} won the final"
        if course.winner not in [row.name for row in best]:
            yield f"{names(best)} gained most per deal"
    elif len(best) > 1:
        yield f"{names(best)} share first place{so_far}"
    else:
        yield f"{names(best)} {'won' if record.over else 'leads'}{so_far}"
    # Only a late entrant can gain more than the first one.
    if late := [row for row in rows if (row.gain or 0) > (best[0].gain or 0)]:
        yield f"{names(late)} gained more, but joined too late to be first"
    else:
        yield from how_surely(best, rows, names)
    yield from _challenger(record, best, rows)


def how_surely(
    best: Sequence[Standing], rows: Sequence[Standing], names: Callable[[Sequence[Standing]], str]
) -> Iterator[str]:
    """Clauses on how certain it is that `best` lead the ranked `rows`. `names` formats rows as a list."""
    if any(row.low is None for row in best):
        yield "too little was played to say how certain that is"
        return
    # The rows with no interval wholly above theirs.
    first = [row for row in rows if row.rank_low == 1 and row.low is not None]
    if len(first) > 1 and len(first) == len(rows):
        yield (
            "either could be the better one"
            if len(rows) == 2
            else f"any of the {len(rows)} bots could be the best"
        )
    elif len(first) > 1:
        yield f"{'either' if len(first) == 2 else 'any'} of {names(first)} could be the best"
    elif len(rows) > 1:
        yield "its interval lies above those of all other ranked bots"
    if unknown := [row for row in rows if row.low is None]:
        yield f"{names(unknown)} {'has' if len(unknown) == 1 else 'have'} no interval"


def _challenger(record: Record, best: Sequence[Standing], rows: Sequence[Standing]) -> Iterator[str]:
    """The rank of a gauntlet's challenger, which is what the gauntlet is played for; nothing with several."""
    if len(record.created.challengers) != 1:
        return
    (name,) = record.created.challengers
    for row in rows:
        if row.name == name and row not in best:
            could_be = "" if row.low is None else f", and could be {possible_ranks(row)}"
            yield f"the challenger {record.called(name)} is {row.rank} of {len(rows)}{could_be}"
