"""How many playouts per second the house's search bot could make on one core, if it did nothing else: a state
imagined from the first view of a four-seat deal, then played to the end of the deal through the public
interface, at random or by advice. Run it from the project's folder: `python -m tests.bench.playouts`.

The best of several rounds is shown, since a busy machine can only make a round slower.
"""

import random
import time

from arena.games import GAMES
from arena.games.game import Action, Game, State, View
from arena.house.advice import QUICK, Advise
from protocol.cards import Seat
from protocol.streams import DealSource, Stream

ROUNDS = 7
SECONDS = 0.3
SEATS = 4


def first_view(game: Game) -> View:
    state = game.start(SEATS, game.options(), 1, DealSource("playouts")).state
    return state.view(next(iter(state.pending)))


def playout(state: State, advise: Advise) -> None:
    while pending := state.pending:
        state = state.apply({seat: advise(state, seat, state.legal(seat)) for seat in pending}).state


def per_second(game: Game, advise: Advise | None) -> float:
    """Playouts; with no `advise`, states imagined."""
    view, stream, best = first_view(game), Stream("playouts"), 0.0
    for _ in range(ROUNDS):
        count, begun = 0, time.process_time()
        while (spent := time.process_time() - begun) < SECONDS:
            state = game.imagine(view, stream)
            if advise is not None:
                playout(state, advise)
            count += 1
        best = max(best, count / spent)
    return best


def main() -> None:
    fraction = random.Random(1).random

    def at_random(state: State, seat: Seat, legal: tuple[Action, ...]) -> Action:
        return legal[int(fraction() * len(legal))]

    print(f"{'game':<18} {'imagined/s':>10} {'at random/s':>11} {'advised/s':>10}")
    for game in GAMES.values():
        imagined, random_ones = per_second(game, None), per_second(game, at_random)
        advised = f"{per_second(game, QUICK[game.id]):.0f}" if game.id in QUICK else "–"
        print(f"{game.id:<18} {imagined:>10.0f} {random_ones:>11.0f} {advised:>10}", flush=True)


if __name__ == "__main__":
    main()
