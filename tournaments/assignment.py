"""The cheapest assignment; among equally cheap ones the same one on every machine.

Which one scipy returns depends on its version, so a pairing could not be repeated elsewhere. Here fixed lots
decide, so any solver will do: scipy, or our own for a few small matrices, which takes less time than loading
scipy while the first match of a tournament waits. Knows no entrants and no pods.
"""

import functools
from math import inf
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from protocol.streams import Stream

Costs: TypeAlias = NDArray[np.int64]
Columns: TypeAlias = NDArray[np.intp]

EXACT: Final = 2**50
"""scipy computes in float64, which holds integers up to 2⁵³. Below this sum of costs there is room for
intermediate sums and differences."""

LOT: Final = 2**32
"""Lots are below this number. The solver still decides if two cheapest assignments of n rows also share the
least sum of lots; the probability is at most n² / LOT (K. Mulmuley, U. Vazirani & V. Vazirani, "Matching is
as easy as matrix inversion", Combinatorica 7, 1987)."""

SMALL: Final = 16
"""The most rows of a matrix that is solved without scipy, in up to two milliseconds."""


def scipys_assignment(costs: Costs) -> Columns:
    """The column of each row of a square matrix, as scipy chooses it. Version 0 of the pairing rules."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

    columns: Columns = linear_sum_assignment(costs)[1]
    return columns


def assignment_by_hand(costs: Costs) -> Columns:
    """A cheapest assignment without scipy, by the shortest augmenting path from each row in turn, with prices
    that keep reduced costs from becoming negative (H. W. Kuhn, "The Hungarian method", 1955, in the form of
    R. Jonker & A. Volgenant, Computing 38, 1987)."""
    rows, size = costs.tolist(), len(costs)
    row_price, column_price = [0] * size, [0] * (size + 1)
    row_of = [-1] * (size + 1)  # By column. Paths begin in an extra column, the last.
    for row in range(size):
        row_of[size], end = row, size
        least: list[float] = [inf] * size
        before, done = [size] * size, [False] * (size + 1)
        while row_of[end] >= 0:
            done[end] = True
            here = row_of[end]
            for column in range(size):
                if not done[column]:
                    reduced = rows[here][column] - row_price[here] - column_price[column]
                    if reduced < least[column]:
                        least[column], before[column] = reduced, end
            _, nearest = min((least[column], column) for column in range(size) if not done[column])
            step = int(least[nearest])
            for column in range(size + 1):
                if done[column]:
                    row_price[row_of[column]] += step
                    column_price[column] -= step
                else:
                    least[column] -= step
            end = nearest
        while end != size:
            row_of[end], end = row_of[before[end]], before[end]
    return np.argsort(np.array(row_of[:size], dtype=np.intp))


def cheapest_assignment(costs: Costs, *, light: bool = False) -> Columns:
    """The column of each row of a square matrix, so that the sum of the costs is least. Costs too large for
    scipy to add exactly are halved, which loses small differences. `light`: solve a small matrix without
    scipy, with the same result.

    Let scipy's assignment give row j its column, and let `change[i, j]` be how much more that column costs
    row i than row i's own. Scipy's assignment is cheapest, so no cycle of changes has a negative sum. Hence
    there are `prices` with change[i, j] + prices[i] − prices[j] ≥ 0 everywhere (the loop below is Bellman and
    Ford's). Around a cycle the prices cancel out, so an assignment is as cheap as scipy's if and only if it
    uses only cells where that expression is 0. Among these assignments the least sum of lots decides.
    """
    while int(np.abs(costs).max()) * len(costs) >= EXACT:
        costs = costs // 2
    assignment = assignment_by_hand if light and len(costs) <= SMALL else scipys_assignment
    columns = assignment(costs)
    change = costs[:, columns]
    change -= change.diagonal()[:, None].copy()
    prices = np.zeros(len(costs), dtype=np.int64)
    while ((lower := (change + prices[:, None]).min(axis=0)) < prices).any():
        prices = lower
    as_cheap = change + prices[:, None] == prices
    lots = np.where(as_cheap, _lots(len(costs))[:, columns], len(costs) * LOT)
    cheapest: Columns = columns[assignment(lots)]
    return cheapest


@functools.lru_cache(maxsize=64)
def _lots(size: int) -> Costs:
    stream = Stream(f"arena1/assignment/{size}")
    return np.array([stream.word() for _ in range(size**2)], dtype=np.int64).reshape(size, size)
