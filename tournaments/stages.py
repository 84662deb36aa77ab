"""Swiss, then a knockout of the best eight.

The knockout has the last of the planned rounds, as many as it needs, and Swiss has those before. Knows what
neither stage looks at but who goes from one to the other.
"""

from typing import Final

import msgspec

from tournaments import knockout, swiss
from tournaments.formats import Field
from tournaments.results import Round

ADAPTIVE: Final = True
ELIMINATES: Final = True

BEST: Final = 8


def default_rounds(entrants: int, pod_size: int, challengers: int = 0) -> int:
    return swiss.default_rounds(entrants, pod_size) + knockout.default_rounds(BEST, pod_size)


def pods_by_round(entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
    swiss_rounds = min(rounds, _swiss_rounds(rounds, pod_size))
    first = swiss.pods_by_round(entrants, pod_size, swiss_rounds)
    return first + knockout.pods_by_round(min(entrants, BEST), pod_size, rounds - swiss_rounds)


def draw(field: Field) -> Round | None:
    """The best are those of the highest score, ties as in a knockout. In that no late entrant joins, and
    nobody moves up for one who withdraws."""
    swiss_rounds = _swiss_rounds(field.rounds, field.pod_size)
    if len(field.drawn) < swiss_rounds:
        return swiss.draw(msgspec.structs.replace(field, rounds=min(swiss_rounds, field.rounds)))
    if len(field.drawn) > swiss_rounds:
        return knockout.next_round(knockout.survivors(field), field)
    return knockout.next_round(knockout.best_first(field.entrants, field.results, field)[:BEST], field)


def _swiss_rounds(rounds: int, pod_size: int) -> int:
    return max(1, rounds - knockout.default_rounds(BEST, pod_size))
