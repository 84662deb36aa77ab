"""Environments are copied in the middle of a deal, and both go on alike."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from arena.games import GAMES
from arena.players.learning.batches import BatchStep, Environments
from tests.plugins.installed import environment

T = TypeVar("T")
HOWS = {"deepcopy": copy.deepcopy, "pickle": lambda one: pickle.loads(pickle.dumps(one))}

every_game = pytest.mark.parametrize("game", GAMES)
every_way = pytest.mark.parametrize("copied", HOWS.values(), ids=HOWS)


def chosen(seen: BatchStep, rng: np.random.Generator) -> Any:
    return ((1 - rng.random(seen.mask.shape)) * seen.mask).argmax(axis=1)


def begun(game: str, steps: int) -> tuple[Environments, BatchStep, np.random.Generator]:
    environments, rng = Environments(game, 4, size=6, deals=2), np.random.default_rng(1)
    seen = environments.reset(seed=3)
    for _ in range(steps):
        seen = environments.step(chosen(seen, rng))
    return environments, seen, rng


@every_way
@every_game
def test_matches_in_step(game: str, copied: Callable[[Environments], Environments]) -> None:
    """To their end, and in the match after it: the next deals come from the same chance."""
    one, seen, rng = begun(game, 23)
    other = copied(one)
    while not seen.done:
        actions = chosen(seen, rng)
        seen, same = one.step(actions), other.step(actions)
        for ours, theirs in zip(seen, same, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(one.reset().observation, other.reset().observation)


@every_way
@every_game
def test_one_match(game: str, copied: Callable[[Any], Any]) -> None:
    Environment = pytest.importorskip("arena.players.learning.environment").Environment
    one = Environment(game, 4, deals=2)
    one.reset(seed=3)
    other = None
    for number, agent in enumerate(one.agent_iter()):
        if number == 9:
            other = copied(one)
        seen, reward, over, _, _ = one.last()
        action = None if over else int(np.flatnonzero(seen["action_mask"])[-1])
        one.step(action)
        if other is not None:
            assert other.agent_selection == agent
            same = other.last()
            np.testing.assert_array_equal(same[0]["observation"], seen["observation"])
            assert same[1:3] == (reward, over)
            other.step(action)
    assert one.render() == other.render()
    one.reset()
    other.reset()
    assert one.view("seat_0") == other.view("seat_0")


AHEAD = """
import hashlib, pickle, sys
import numpy as np
from arena.players.learning.batches import Environments

def played(environments, seen):
    digest = hashlib.sha256()
    while not seen.done:
        seen = environments.step(seen.mask.argmax(axis=1))
        digest.update(seen.observation.tobytes() + seen.rewards.tobytes())
    digest.update(environments.reset().observation.tobytes())
    return digest.hexdigest()

if len(sys.argv) > 2:
    environments = Environments(sys.argv[2], 3, size=4, deals=2)
    seen = environments.reset(seed=5)
    for _ in range(9):
        seen = environments.step(seen.mask.argmax(axis=1))
    with open(sys.argv[1], "wb") as file:
        pickle.dump((environments, seen), file)
else:
    with open(sys.argv[1], "rb") as file:
        environments, seen = pickle.load(file)
print(played(environments, seen))
"""


@pytest.mark.parametrize("game", ["take-five", pytest.param("ole", marks=pytest.mark.thorough)])
def test_another_process_goes_on_with_the_same_bytes(game: str, tmp_path: Path) -> None:
    """Also with the game of a package, which that process imports itself."""
    env = environment(tmp_path / "installed", "take-five")

    def run(*words: str) -> str:
        command = [sys.executable, "-P", "-c", AHEAD, str(tmp_path / "pickled"), *words]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    assert run(game) == run()
