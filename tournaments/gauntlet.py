"""The gauntlet: every challenger meets everybody else of the field, a pod's worth in every round.

A challenger has a pod of its own, filled from the field, and from house bots where there are too few for
all. Challengers do not meet each other, and of a large field some sit out. Knows no scores.
"""

from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from protocol.streams import pairing_stream
from tournaments.assignment import Columns, Costs, cheapest_assignment
from tournaments.formats import Field
from tournaments.pairing import meetings
from tournaments.results import HOUSE_PREFIX, Round

ADAPTIVE: Final = False
ELIMINATES: Final = False


def default_rounds(entrants: int, pod_size: int, challengers: int = 0) -> int:
    """In which every challenger meets everybody else: a pod's worth in a round, and each one challenger."""
    return max(challengers, -(-(entrants - challengers) // (pod_size - 1)), 1)


def pods_by_round(entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
    """One for each challenger, and no more than there are others to meet."""
    return [min(challengers, entrants - challengers)] * rounds


def draw(field: Field) -> Round | None:
    """The others, in an order drawn by lot, stand in as many groups as it takes rounds, and a challenger
    moves on by one group a round: so all meet in time, and no two challengers want the same. A linear
    assignment of the others to the challengers' free seats makes the meetings that are due by that, then
    fills up with those who have met least; it also serves when entrants come and go. A pod is its
    challenger, then the others in order of name, then house bots.
    """
    round_no = len(field.drawn) + 1
    challengers = sorted(set(field.challengers) & set(field.entrants))
    others = pairing_stream(field.seed, 1).shuffled(sorted(set(field.entrants) - set(challengers)))
    if round_no > field.rounds or not challengers or not others:
        return None
    met = meetings(field.drawn, field.entrants)
    times = np.array(
        [[met.get((min(one, other), max(one, other)), 0) for other in others] for one in challengers]
    )
    groups = default_rounds(len(field.entrants), field.pod_size, len(challengers))
    turn = (np.arange(len(challengers))[:, None] + round_no) % groups
    due = (turn == np.arange(len(others)) % groups) & (times == times.min())

    free = field.pod_size - 1
    seat = np.arange(free)  # Later ones cost more: nobody has two house bots more than another needs.
    repeat = 1 + len(challengers) * free**2
    missed = repeat * (1 + len(challengers) * free * int(times.max()))
    costs = (repeat * times - missed * due)[:, None, :] + seat[None, :, None]
    seats, taken = _seated(costs.reshape(-1, len(others)), field.pairing)
    pods: list[tuple[str, ...]] = []
    house = 0
    for at, challenger in enumerate(challengers):
        if opponents := sorted(others[other] for other in taken[seats // free == at]):
            fill = range(house + 1, house + 1 + free - len(opponents))
            pods.append((challenger, *opponents, *(f"{HOUSE_PREFIX}{number}" for number in fill)))
            house += len(fill)
    return tuple(pods)


def _seated(costs: Costs, pairing: int) -> tuple[Columns, Columns]:
    """Who of the others, by column, takes which free seat, by row; a row or a column may be left over.

    A square matrix is made of those who could be taken: no seat needs more of the cheapest than there are
    seats. What is missing in it costs nothing.
    """
    if pairing == 0:
        seats, taken = linear_sum_assignment(costs)
        return seats, taken
    near = np.unique(np.argsort(costs, axis=1, kind="stable")[:, : len(costs)])
    square = np.zeros((size := max(len(costs), len(near)), size), dtype=np.int64)
    square[: len(costs), : len(near)] = costs[:, near]
    columns = cheapest_assignment(square)[: len(costs)]
    seats = np.flatnonzero(columns < len(near))
    return seats, near[columns[seats]]
