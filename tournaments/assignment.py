"""The cheapest assignment, and of equally cheap ones the same wherever it is computed.

scipy's choice between them depends on its version, and a drawing that rests on it could not be drawn again
elsewhere. Here fixed lots decide. Knows no entrants and no pods.
"""

import functools
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from protocol.streams import Stream

Costs: TypeAlias = NDArray[np.int64]
Columns: TypeAlias = NDArray[np.intp]

EXACT: Final = 2**50
"""scipy reckons in float64, which holds integers up to 2⁵³. Costs whose sum stays below this one leave room
for the sums and differences on its way."""

LOT: Final = 2**32
"""Lots are below. The probability that two cheapest assignments of n rows also have the same, least sum of
lots, so that scipy decides after all, is at most n² / LOT (K. Mulmuley, U. Vazirani & V. Vazirani, "Matching
is as easy as matrix inversion", Combinatorica 7, 1987)."""


def scipys_assignment(costs: Costs) -> Columns:
    """By row of a square matrix its column. How drawings were made before their rules had a number."""
    _, columns = linear_sum_assignment(costs)
    found: Columns = columns
    return found


def cheapest_assignment(costs: Costs) -> Columns:
    """By row of a square matrix its column, so that the sum of the costs is least. Costs that scipy could not
    add exactly are told apart less finely.

    Let scipy's assignment give row j its column, and `change[i, j]` be what row i would pay more for that
    column. Since no circle of changes is worth anything, there are `prices` with change[i, j] + prices[i] −
    prices[j] ≥ 0 everywhere (Bellman and Ford find them). Around a circle the prices cancel out, so an
    assignment is as cheap as scipy's exactly if it uses only cells where that is 0. Of all assignments that
    do, the one with the least sum of lots is taken.
    """
    while int(np.abs(costs).max()) * len(costs) >= EXACT:
        costs = costs // 2
    columns = scipys_assignment(costs)
    change = costs[:, columns]
    change -= change.diagonal()[:, None].copy()
    prices = np.zeros(len(costs), dtype=np.int64)
    while ((lower := (change + prices[:, None]).min(axis=0)) < prices).any():
        prices = lower
    as_cheap = change + prices[:, None] == prices
    lots = np.where(as_cheap, _lots(len(costs))[:, columns], len(costs) * LOT)
    cheapest: Columns = columns[scipys_assignment(lots)]
    return cheapest


@functools.lru_cache(maxsize=64)
def _lots(size: int) -> Costs:
    stream = Stream(f"arena1/assignment/{size}")
    return np.array([stream.word() for _ in range(size**2)], dtype=np.int64).reshape(size, size)
