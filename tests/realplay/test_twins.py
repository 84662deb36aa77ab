"""The twin test: a program and its exact copy in one tournament, and no table parts them.

What `arena tournament a.py b.py bots/greedy.py heuristic --rounds 3 --deals 60` plays, b.py being a copy of
a.py = bots/careful.py, on the same cards and in the same seatings, but without processes: none of the four
has chance of its own.
"""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import ROOT, arena
from tests.realplay.product import table
from tests.support.twins import DEALS, MOST_ROUNDS, tournament
from tournaments.formats import Field

TWINS = {"a", "b"}


def parted(field: Field) -> bool:
    """Whether the intervals of the two do not touch, or one is called better than the other."""
    found, pairs = table(field)
    one, other = (row for row in found.entrants if row.name in TWINS)
    apart = any(
        low is not None and high is not None and low > high
        for low, high in ((one.low, other.high), (other.low, one.high))
    )
    return apart or any(pair.holm < 0.05 and {pair.better, pair.worse} == TWINS for pair in pairs)


@pytest.mark.thorough  # 7 s of processor.
def test_nothing_parts_a_program_and_its_copy() -> None:
    """With deals as units both tournaments part them."""
    assert sum(parted(tournament(seed, 3)) for seed in ("10", "11")) == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("rounds", [1, 3, MOST_ROUNDS])
def test_hardly_anything_parts_a_program_and_its_copy(rounds: int) -> None:
    times = sum(parted(tournament(str(seed), rounds)) for seed in range(20))
    print(f"{rounds} rounds: {times} of 20")
    assert times <= 2


@pytest.mark.thorough
def test_the_product_plays_the_same_with_processes(tmp_path: Path) -> None:
    for name in TWINS:
        shutil.copy(ROOT / "bots" / "careful.py", tmp_path / f"{name}.py")
    bots = (tmp_path / "a.py", tmp_path / "b.py", ROOT / "bots" / "greedy.py", "heuristic")
    options = ("--rounds", 2, "--deals", DEALS, "--seed", "7", "--out", tmp_path / "run")
    assert arena("tournament", *bots, *options).status == 0
    found: Any = arena("standings", tmp_path / "run", "--json").json
    table_here, _ = table(tournament("7", 2))
    here = {row.name: [row.gain, row.low, row.high] for row in table_here.entrants}
    assert {row["name"]: [row[key] for key in ("gain", "low", "high")] for row in found["entrants"]} == here
