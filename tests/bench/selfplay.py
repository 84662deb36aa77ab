"""How many deals per second functions play against each other (arena/games/selfplay.py), beside the pure
rules of rules.py in the same run, and as a PettingZoo environment where that is installed. Run it from the
project's folder: `python -m tests.bench.selfplay`.
"""

import importlib.util
import random
import statistics
import time
from collections.abc import Callable

import numpy as np

from arena.games import GAMES
from arena.games.game import Action, Game, View
from arena.games.selfplay import play
from tests.bench.rules import random_match

ROUNDS = 5
SECONDS = 0.3
SEATS = 4

_fraction = random.Random(1).random


def at_random(view: View, legal: tuple[Action, ...]) -> Action:
    return legal[int(_fraction() * len(legal))]


def in_environment(game: Game) -> Callable[[int], None]:
    from arena.players.learning.environment import Environment  # noqa: PLC0415 an extra

    environment = Environment(game.id, SEATS)

    def match(number: int) -> None:
        environment.reset(seed=number)
        for _ in environment.agent_iter():
            observation, _, over, _, _ = environment.last()
            assert observation is not None
            legal = np.flatnonzero(observation["action_mask"])
            environment.step(None if over else int(legal[int(_fraction() * len(legal))]))

    return match


def deals_per_second(match: Callable[[int], object]) -> float:
    """Of one round; a match has as many deals as seats."""
    matches, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < SECONDS:
        match(matches)
        matches += 1
    return matches * SEATS / spent


def ways(game: Game) -> dict[str, Callable[[int], object]]:
    rnd = random.Random(1)
    found: dict[str, Callable[[int], object]] = {
        "rules": lambda number: random_match(game, SEATS, str(number), rnd),
        "selfplay": lambda number: play(game, [at_random] * SEATS, str(number)),
    }
    if importlib.util.find_spec("pettingzoo"):
        found["environment"] = in_environment(game)
    return found


def main() -> None:
    print(f"{'game':<18} {'way':<12} {'deals/s':>8}  of the rules' speed")
    for game in GAMES.values():
        matches = ways(game)
        rounds = [{name: deals_per_second(match) for name, match in matches.items()} for _ in range(ROUNDS)]
        speeds = {name: statistics.median(speed[name] for speed in rounds) for name in matches}
        for name, speed in speeds.items():
            print(f"{game.id:<18} {name:<12} {speed:>8.0f}  {speed / speeds['rules']:.2f}", flush=True)


if __name__ == "__main__":
    main()
