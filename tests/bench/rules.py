"""How many complete random deals per second the pure rules play on one core, through the public interface
only: pending, legal, apply. Run it from the project's folder: `python -m tests.bench.rules`.

Matches have as many deals as seats. The best of several rounds is shown, since a busy machine can only make
a round slower.
"""

import random
import time

from arena.games import GAMES
from arena.games.game import Game, State
from protocol.streams import DealSource

ROUNDS = 9
SECONDS = 0.3


def random_match(game: Game, seats: int, key: str, rnd: random.Random) -> State:
    fraction = rnd.random
    state, _ = game.start(seats, game.options(), seats, DealSource(key))
    while pending := state.pending:
        actions = {}
        for seat in pending:
            legal = state.legal(seat)
            actions[seat] = legal[int(fraction() * len(legal))]
        state, _ = state.apply(actions)
    return state


def deals_per_second(game: Game, seats: int, seconds: float = SECONDS) -> float:
    rnd = random.Random(1)
    best = 0.0
    for round_no in range(ROUNDS):
        deals, begun = 0, time.process_time()
        while (spent := time.process_time() - begun) < seconds:
            random_match(game, seats, f"{round_no}/{deals}", rnd)
            deals += seats
        best = max(best, deals / spent)
    return best


def main() -> None:
    print(f"{'game':<18} {'seats':>5} {'deals/s':>8}")
    for game in GAMES.values():
        for seats in game.seats:
            print(f"{game.id:<18} {seats:>5} {deals_per_second(game, seats):>8.0f}", flush=True)


if __name__ == "__main__":
    main()
