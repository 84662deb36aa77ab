"""How a table is held against the truth."""

import msgspec
import pytest

from tests.realplay.promises import judged
from tournaments.standings import Standing, Standings
from tournaments.superiority import Superiority

RANDOM, GREEDY, CAREFUL = range(3)
PROGRAMS = {"r": RANDOM, "g": GREEDY, "c": CAREFUL, "d": CAREFUL}
TRUE = [-3.0, 1.0, 1.5, 0.0, 0.0, 0.0]
"""By version: of the four who play here, c and d are equal and share the first place."""


def row(name: str, gain: float, half: float | None, ranks: tuple[int, int]) -> Standing:
    low, high = (None, None) if half is None else (gain - half, gain + half)
    return Standing(name, 1, *ranks, gain, low, high, 0, 0, None, 0, 0, 0, {})


def pair(better: str, worse: str, p: float, holm: float) -> Superiority:
    fields = {"better": better, "worse": worse, "difference": 1.0, "error": 1.0, "p": p, "holm": holm}
    return msgspec.convert(fields, Superiority)


def test_intervals_ranges_and_pairs() -> None:
    table = Standings(
        (
            row("c", 2.0, 0.4, (2, 2)),  # misses; the second of two equal ones is as right as the first
            row("d", 1.4, 0.4, (1, 1)),
            row("g", 1.1, None, (1, 4)),
            row("r", -3.0, 0.1, (3, 3)),  # is the fourth
        ),
        (),
        1.0,
    )
    pairs = [pair("c", "r", 0.001, 0.003), pair("d", "g", 0.01, 0.02), pair("c", "d", 0.04, 0.04)]
    found = judged(table, pairs, PROGRAMS, TRUE)
    assert found.entrants == [1, 1, 2, 0, 0, 0]
    assert found.known == [1, 0, 2, 0, 0, 0]
    assert found.held == [1, 0, 1, 0, 0, 0]
    assert found.ranges == 0.75
    assert found.gains == [2.0, 1.4, -3.0]
    assert found.halves == pytest.approx([0.4, 0.4, 0.1])
    assert found.pairs == (True, True, True, True)


def test_a_pair_the_wrong_way_round_is_false() -> None:
    found = judged(
        Standings((), (), 1.0), [pair("r", "c", 0.02, 0.12), *[pair("c", "r", 0.9, 1)] * 5], PROGRAMS, TRUE
    )
    assert found.pairs == (True, False, False, False)
