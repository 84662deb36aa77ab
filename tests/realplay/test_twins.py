"""The twin test: a program and its exact copy in one tournament, and no table parts them.

What `arena tournament a.py b.py bots/greedy.py heuristic --rounds 3 --deals 60` plays, b.py being a copy of
a.py = bots/careful.py, on the same cards and in the same seatings, but without processes: none of the four
has chance of its own.
"""

import functools
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.games import EXTRAS, GAMES
from protocol.outcome import best_first, totals
from protocol.streams import DealSource, Stream, pod_key, seating_labels
from tests.cli.calls import ROOT, arena
from tests.realplay.bank import play_out
from tests.realplay.product import table
from tests.realplay.resampled import SWISS
from tests.realplay.versions import VERSIONS, Policy
from tournaments.formats import Field
from tournaments.results import MatchResult, Pod
from tournaments.seatings import seatings

GAME = "sticheln"
DEALS = 60
MOST_ROUNDS = 6
TWINS = {"a", "b"}


def heuristic() -> Policy:
    """As arena/players/house/heuristic.py: advice is given on states, of which it sees what the view
    tells."""
    game, advise, stream = GAMES[GAME], EXTRAS[GAME].advise, Stream("twins")
    return lambda decision, view, legal: advise(game.imagine(view, stream), view.seat, tuple(legal))


POLICIES: Mapping[str, Policy] = {
    "a": VERSIONS["careful"](GAME, ""),
    "b": VERSIONS["careful"](GAME, ""),
    "greedy": VERSIONS["greedy"](GAME, ""),
    "heuristic": heuristic(),
}


@functools.cache
def tournament(seed: str, rounds: int) -> Field:
    """Nobody can be drawn against anybody else, so each of its rounds is one more on the same field."""
    if not rounds:
        return Field(tuple(POLICIES), len(POLICIES), MOST_ROUNDS, seed, (), ())
    field = tournament(seed, rounds - 1)
    pods = SWISS.draw(field)
    assert pods is not None
    results = field.results + played(pods[0], pod_key(seed, rounds, 1), rounds)
    return msgspec.structs.replace(field, drawn=(*field.drawn, pods), results=results)


def played(pod: Pod, key: str, round_no: int) -> tuple[MatchResult, ...]:
    """A pod's matches, on the cards that this key deals."""
    game = GAMES[GAME]
    results = []
    for seating_no, order in enumerate(seatings(pod, seating_labels(key, len(pod))), start=1):
        start = game.start(len(pod), game.options(), DEALS, DealSource(key)).state
        gains = play_out(start, [POLICIES[name] for name in order])
        placings = best_first(totals(gains, len(pod)))
        results.append(MatchResult(round_no, 1, seating_no, order, gains, placings, ()))
    return tuple(results)


def parted(field: Field) -> bool:
    """Whether the intervals of the two do not touch, or one is called better than the other."""
    found, pairs = table(field)
    one, other = (row for row in found.entrants if row.name in TWINS)
    apart = any(
        low is not None and high is not None and low > high
        for low, high in ((one.low, other.high), (other.low, one.high))
    )
    return apart or any(pair.holm < 0.05 and {pair.better, pair.worse} == TWINS for pair in pairs)


def test_nothing_parts_a_program_and_its_copy() -> None:
    """With deals as units both tournaments part them."""
    assert sum(parted(tournament(seed, 3)) for seed in ("10", "11")) == 0


@pytest.mark.thorough
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
