"""The gauntlet: every challenger meets all other entrants, a pod of them in every round.

Each challenger has a pod of its own, filled with others, and with house bots if there are too few others.
Challengers do not meet each other; if there are many others, some sit out a round. Knows no scores.
"""

from itertools import product
from typing import Final

import numpy as np

from protocol.streams import pairing_stream
from tournaments.assignment import Columns, Costs, cheapest_assignment
from tournaments.formats import Field
from tournaments.results import HOUSE_PREFIX, Round

ADAPTIVE: Final = False
ELIMINATES: Final = False
HAS_INTERVALS: Final = True


def default_rounds(entrants: int, pod_size: int, challengers: int = 0) -> int:
    """The rounds in which every challenger can meet all others. In a round, a challenger meets pod_size − 1
    others, and each of the others meets one challenger."""
    return max(challengers, -(-(entrants - challengers) // (pod_size - 1)), 1)


def pods_by_round(entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
    """One pod for each challenger, but not more pods than others."""
    return [min(challengers, entrants - challengers)] * rounds


def no_further(field: Field) -> str | None:
    """See `Format`: more rounds make sense until every challenger has met all others."""
    met = field.tally.met
    challengers = set(field.challengers) & set(field.entrants)
    others = set(field.entrants) - challengers
    all_met = all(met.get((min(pair), max(pair)), 0) for pair in product(challengers, others))
    return "in this gauntlet every challenger has met all others" if all_met else None


def draw(field: Field) -> Round | None:
    """The next round. The others, in random order, are divided into as many groups as there are rounds, and a
    challenger moves on by one group per round. So all meet in time, and no two challengers are due to meet
    the same group. A linear assignment of the others to the challengers' free seats makes the meetings that
    are due, and gives the remaining seats to those who have met least; so entrants may come and go. A pod is
    its challenger, then the others by name, then house bots.
    """
    round_no = len(field.drawn) + 1
    challengers = sorted(set(field.challengers) & set(field.entrants))
    others = pairing_stream(field.seed, 1).shuffled(sorted(set(field.entrants) - set(challengers)))
    if round_no > field.rounds or not challengers or not others:
        return None
    met = field.tally.met
    times = np.array(
        [[met.get((min(one, other), max(one, other)), 0) for other in others] for one in challengers]
    )
    groups = default_rounds(len(field.entrants), field.pod_size, len(challengers))
    turn = (np.arange(len(challengers))[:, None] + round_no) % groups
    due = (turn == np.arange(len(others)) % groups) & (times == times.min())

    free = field.pod_size - 1
    # Missing a meeting that is due costs most, then a repeat, then a late seat. As late seats cost more, the
    # empty ones, which house bots fill, are spread evenly over the pods.
    seat = np.arange(free)
    repeat = 1 + len(challengers) * free**2
    missed = repeat * (1 + len(challengers) * free * int(times.max()))
    costs = (repeat * times - missed * due)[:, None, :] + seat[None, :, None]
    seats, taken = _seated(costs.reshape(-1, len(others)), field.pairing)
    pods: list[tuple[str, ...]] = []
    house = 0
    for i, challenger in enumerate(challengers):
        if opponents := sorted(others[other] for other in taken[seats // free == i]):
            fill = range(house + 1, house + 1 + free - len(opponents))
            pods.append((challenger, *opponents, *(f"{HOUSE_PREFIX}{number}" for number in fill)))
            house += len(fill)
    return tuple(pods)


def _seated(costs: Costs, pairing: int) -> tuple[Columns, Columns]:
    """The cheapest assignment of the others (columns) to the free seats (rows), as matching rows and columns.
    Some rows or columns may be left over.

    The assignment needs a square matrix. No seat needs more of its cheapest columns than there are seats, so
    only these are used; the square is filled up with zeros.
    """
    if pairing == 0:
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

        seats, taken = linear_sum_assignment(costs)
        return seats, taken
    near = np.unique(np.argsort(costs, axis=1, kind="stable")[:, : len(costs)])
    square = np.zeros((size := max(len(costs), len(near)), size), dtype=np.int64)
    square[: len(costs), : len(near)] = costs[:, near]
    columns = cheapest_assignment(square, light=True)[: len(costs)]
    seats = np.flatnonzero(columns < len(near))
    return seats, near[columns[seats]]
