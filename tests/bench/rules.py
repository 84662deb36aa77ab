"""How many complete random deals per second the pure rules play on one core, and what each part of a decision
costs, through the public interface only: pending, legal, view, apply. Run it from the project's folder:
`python -m tests.bench.rules`.

Matches have as many deals as seats. The best of several rounds is shown, since a busy machine can only make
a round slower.
"""

import random
import time
from collections.abc import Callable

from arena.games import GAMES
from arena.games.game import Game, State
from protocol.codec import raw
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


def parts(game: Game, seats: int) -> tuple[float, ...]:
    """Of one match: µs a decision for what is legal, the view, its encoding, and the next state (dealing
    included)."""
    rnd = random.Random(1)
    state, _ = game.start(seats, game.options(), seats, DealSource("parts"))
    steps = []
    while pending := state.pending:
        actions = {seat: rnd.choice(state.legal(seat)) for seat in pending}
        steps.append((state, actions))
        state, _ = state.apply(actions)
    asked = [(state, seat) for state, actions in steps for seat in actions]
    views = [state.view(seat) for state, seat in asked]
    ways: tuple[Callable[[], object], ...] = (
        lambda: [state.legal(seat) for state, seat in asked],
        lambda: [state.view(seat) for state, seat in asked],
        lambda: [raw(view) for view in views],
        lambda: [state.apply(actions) for state, actions in steps],
    )
    return tuple(fewest_seconds(way) * 1e6 / len(asked) for way in ways)


def fewest_seconds(way: Callable[[], object]) -> float:
    fewest = float("inf")
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        begun = time.process_time()
        way()
        fewest = min(fewest, time.process_time() - begun)
    return fewest


def main() -> None:
    print(
        f"{'game':<18} {'seats':>5} {'deals/s':>8} {'legal':>6} {'view':>6} {'encode':>6} {'apply':>6}  (µs)"
    )
    for game in GAMES.values():
        for seats in game.seats:
            costs = " ".join(f"{cost:>6.2f}" for cost in parts(game, seats))
            print(f"{game.id:<18} {seats:>5} {deals_per_second(game, seats):>8.0f} {costs}", flush=True)


if __name__ == "__main__":
    main()
