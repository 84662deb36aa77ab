"""Seatings: balanced by seat and by left neighbour."""

from collections import Counter
from itertools import permutations

import pytest

from protocol.streams import pod_key, seating_labels
from tournaments.seatings import seatings

# Entrants in a pod: how often one may have another as its left neighbour.
LEFT_NEIGHBOURS = {2: {2}, 3: {3}, 4: {1, 2}, 5: {2, 3}, 6: {1, 2}, 7: {2, 3}, 8: {1, 2}}


@pytest.mark.parametrize("n", LEFT_NEIGHBOURS)
def test_seats_and_neighbours_are_balanced(n: int) -> None:
    pod = "abcdefgh"[:n]
    rows = seatings(pod, seating_labels(pod_key("7", 1, n), n))

    assert len(rows) == (n if n % 2 == 0 else 2 * n)
    assert all(sorted(row) == list(pod) for row in rows)
    for column in zip(*rows, strict=True):
        assert set(Counter(column).values()) == {len(rows) // n}
        assert sorted(set(column)) == list(pod)
    neighbours = Counter((row[seat], row[(seat + 1) % n]) for row in rows for seat in range(n))
    assert {neighbours[pair] for pair in permutations(pod, 2)} == LEFT_NEIGHBOURS[n]


def test_four_seatings_as_printed() -> None:
    assert seatings("abcd", (0, 1, 2, 3)) == (
        ("a", "b", "d", "c"),
        ("b", "c", "a", "d"),
        ("c", "d", "b", "a"),
        ("d", "a", "c", "b"),
    )


def test_a_label_stands_for_the_member_at_its_place() -> None:
    assert seatings("abc", (2, 0, 1))[:3] == (("c", "a", "b"), ("a", "b", "c"), ("b", "c", "a"))
