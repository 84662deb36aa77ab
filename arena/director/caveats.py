"""Caveats to a table of standings: which entrants have no rank or no interval, and why, and which are the
same program. One sentence each, for terminals, pages and JSON.

Knows standings and digests, no screen.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from math import isinf

from arena.director.wording import named
from arena.entrants.entrant import Entrant
from tournaments.standings import Standing, Standings
from tournaments.statistics import FEWEST_PODS


def caveats(table: Standings, entrants: Iterable[Entrant], called: Callable[[str], str]) -> Iterator[str]:
    """The sentences that apply. `called` turns a name into the one shown to people."""
    ordered = [row for row in table.entrants if row.rank is not None]
    # The row itself says if an entrant has not played.
    unordered = [
        row for row in table.entrants if row.rank is None and row.rank_low is not None and row.matches
    ]
    if unordered and not ordered:
        yield "no ranks: gains of pods that share no bot cannot be compared, and pods connect too few bots"
    elif unordered:
        names = named(called(row.name) for row in unordered)
        yield f"no rank for {names}: no pod connects them with the others, so gains cannot be compared"
    if isinf(table.widening):
        yield "no intervals: in a knockout, only bots favoured by luck play enough rounds for one"
    elif few := [row for row in (*ordered, *unordered) if _too_few_pods(row)]:
        some = any(row.low is not None for row in table.entrants)
        whose = f" for {named(called(row.name) for row in few)}" if some else ""
        yield (
            f"no interval{whose} with fewer than {FEWEST_PODS} rounds played: the deals of a pod share its "
            "order round the table, so only rounds show how much gains vary"
        )
    yield from _same_programs(entrants, called)


def _too_few_pods(row: Standing) -> bool:
    return row.gain is not None and row.low is None and row.pods < FEWEST_PODS


def _same_programs(entrants: Iterable[Entrant], called: Callable[[str], str]) -> Iterator[str]:
    of_digest = defaultdict[str, list[str]](list)
    for entrant in entrants:
        if entrant.digest:
            of_digest[entrant.digest].append(called(entrant.name))
    for names in of_digest.values():
        if len(names) > 1:
            yield f"{named(names)} are the same program: any difference between them is luck"
