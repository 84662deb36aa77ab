"""The cheapest assignment; among equally cheap ones the same one on every machine.

Which of them scipy returns depends on its version, so a drawing could not be repeated elsewhere. Here fixed
lots decide. Knows no entrants and no pods.
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
"""scipy computes in float64, which holds integers up to 2⁵³. Costs whose sum stays below this bound leave
room for intermediate sums and differences."""

LOT: Final = 2**32
"""Lots are below this number. The probability that two cheapest assignments of n rows also share the least
sum of lots, so that scipy decides after all, is at most n² / LOT (K. Mulmuley, U. Vazirani & V. Vazirani,
"Matching is as easy as matrix inversion", Combinatorica 7, 1987)."""


def scipys_assignment(costs: Costs) -> Columns:
    """The column of each row of a square matrix, as scipy chooses it. Version 0 of the drawing rules."""
    _, columns = linear_sum_assignment(costs)
    found: Columns = columns
    return found


def cheapest_assignment(costs: Costs) -> Columns:
    """The column of each row of a square matrix, so that the sum of the costs is least. Costs too large for
    scipy to add exactly are halved until they are not, so that small differences are lost.

    Let scipy's assignment give row j its column, and let `change[i, j]` be how much more that column costs
    row i than its own one. Scipy's assignment is cheapest, so no cycle of changes has a negative sum. Hence
    there are `prices` with change[i, j] + prices[i] − prices[j] ≥ 0 everywhere (the loop below is Bellman and
    Ford's). Around a cycle the prices cancel out, so an assignment is as cheap as scipy's exactly if it uses
    only cells where that expression is 0. Of these assignments the one with the least sum of lots is taken.
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
