"""Swiss, then a knockout of the best eight.

The knockout gets as many of the last planned rounds as it needs; Swiss gets those before. Knows only which
entrants go from one stage to the other.
"""

from typing import Final

import msgspec

from tournaments import knockout, swiss
from tournaments.formats import Field
from tournaments.results import Round

ADAPTIVE: Final = True
ELIMINATES: Final = True
HAS_INTERVALS: Final = True

BEST: Final = 8


def default_rounds(entrants: int, pod_size: int, challengers: int = 0) -> int:
    return swiss.default_rounds(entrants, pod_size) + knockout.default_rounds(BEST, pod_size)


def pods_by_round(entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
    swiss_rounds = min(rounds, _swiss_rounds(rounds, pod_size))
    first = swiss.pods_by_round(entrants, pod_size, swiss_rounds)
    return first + knockout.pods_by_round(min(entrants, BEST), pod_size, rounds - swiss_rounds)


def no_further(field: Field) -> str | None:
    """See `Format`: the last planned round is the final, and decided when the knockout began."""
    return "the number of its rounds settled when the knockout began"


def draw(field: Field) -> Round | None:
    """A Swiss round, or a round of the knockout. The best have the highest scores, with ties broken as in a
    knockout. No late entrant joins the knockout, and nobody replaces an entrant that withdraws from it."""
    swiss_rounds = _swiss_rounds(field.rounds, field.pod_size)
    if len(field.drawn) < swiss_rounds:
        return swiss.draw(msgspec.structs.replace(field, rounds=min(swiss_rounds, field.rounds)))
    if len(field.drawn) > swiss_rounds:
        return knockout.next_round(knockout.survivors(field), field)
    return knockout.next_round(knockout.by_merit(field.entrants, field.results, field)[:BEST], field)


def _swiss_rounds(rounds: int, pod_size: int) -> int:
    return max(1, rounds - knockout.default_rounds(BEST, pod_size))
