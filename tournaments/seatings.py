"""The seatings in which a pod plays its deals, so that nobody gains by the order round the table.

It is a Williams square read in a circle (E. J. Williams, "Experimental designs balanced for the estimation of
residual effects of treatments", Australian Journal of Scientific Research A 2, 1949): row s is the zigzag
0, 1, −1, 2, −2 … plus s, modulo n. Every label sits in every seat equally often. The number of times that one
has another as left neighbour differs by at most one between pairs. Knows no deals and no results.
"""

import functools
from collections.abc import Sequence


@functools.cache
def williams_square(n: int) -> tuple[tuple[int, ...], ...]:
    """Labels by seating (row) and seat (column): n rows; for odd n also their mirror images."""
    zigzag = [(step + 1) // 2 * (1 if step % 2 else -1) for step in range(n)]  # 0, 1, −1, 2, −2 …
    rows = tuple(tuple((label + shift) % n for label in zigzag) for shift in range(n))
    return rows if n % 2 == 0 else rows + tuple(row[::-1] for row in rows)


def seatings(pod: Sequence[str], labels: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    """The names by seat, in a row for each seating. `labels` is a permutation
    (`protocol.streams.seating_labels`): label k of the square stands for `pod[labels[k]]`."""
    return tuple(tuple(pod[labels[k]] for k in row) for row in williams_square(len(pod)))
