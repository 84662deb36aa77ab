"""Rules in step: decisions and deals a second, by the size of the batch: steps alone, with masks, and with
observations, too; and how often a hidden card is imagined where it is.

In each case a random policy plays, and its own time does not count.
"""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from arena.games import GAMES
from arena.games.game import Game, State
from arena.games.instep.batch import GONE, held
from arena.games.instep.registered import batch_for
from protocol.cards import Seat
from protocol.streams import DealSource
from tests.bench.figures import Figures, interleaved, show

SIZES = (1, 64, 1024, 16384)
WORLDS = 64
MATCHES = 20


def rates(game: Game, seats: int, size: int, looks: tuple[str, ...], seconds: float) -> Figures:
    """Millions of decisions a second, and thousands of deals."""
    rng = np.random.default_rng(1)
    spent, decisions, deals = 0.0, 0, 0
    while spent < seconds:
        batch = batch_for(game).start(game, seats, size, rng, deals=1)
        deals += size
        while not batch.over:
            begun = time.perf_counter()
            for look in looks:
                getattr(batch, look)()
            spent += time.perf_counter() - begun
            mask = batch.legal()
            actions = ((1 - rng.random(mask.shape, dtype=np.float32)) * mask).argmax(axis=1)
            decisions += int((batch.turn != GONE).sum())
            begun = time.perf_counter()
            batch.step(actions)
            spent += time.perf_counter() - begun
    return decisions / spent / 1e6, deals / spent / 1e3


def found(game: Game, seats: int) -> Figures:
    """The share of hidden cards that are imagined where they are, and what blind chance would find."""
    rng = np.random.default_rng(2)
    right, chance, cards = 0.0, 0.0, 0
    for state, seat in moments(game, seats, rng):
        batch = batch_for(game).imagine(game, state.view(seat), WORLDS, rng)
        owner = held(game, [state])[0]
        hidden = (owner != GONE) & (owner != seat)
        if not hidden.any():
            continue
        imagined = batch._owner[:, : len(owner)][:, hidden]
        right += (imagined == owner[hidden]).mean(axis=0).sum()
        sizes = np.bincount(owner[hidden], minlength=seats)
        chance += (sizes**2).sum() / sizes.sum()
        cards += int(hidden.sum())
    return 100 * right / cards, 100 * chance / cards


def moments(game: Game, seats: int, rng: np.random.Generator) -> Iterator[tuple[State, Seat]]:
    for number in range(MATCHES):
        state = game.start(seats, game.options(), 1, DealSource(f"bench/{number}")).state
        while state.pending:
            seat = next(iter(state.pending))
            yield state, seat
            state = state.apply({one: rng.choice(state.legal(one)).item() for one in state.pending}).state


def print_all(runs: int, scale: float, folder: Path) -> None:
    sizes = SIZES if scale == 1 else SIZES[:2]
    ways = {"steps": (), "with masks": ("legal",), "and observations": ("legal", "observe")}
    for name, looks in ways.items():
        rows = {
            f"{game.id}, {seats} seats, {size}": partial(rates, game, seats, size, looks, 0.1 * scale)
            for game in GAMES.values()
            for seats in game.seats
            for size in sizes
        }
        columns = ["million decisions/s", "thousand deals/s"]
        show(f"rules in step, one core: {name}", columns, interleaved(rows, runs), (2, 1))
    truth = {
        f"{game.id}, {seats} seats": partial(found, game, seats)
        for game in GAMES.values()
        for seats in game.seats
    }
    show("hidden cards that are imagined where they are", ["%", "% by chance"], interleaved(truth, 1), (1, 1))
