"""How many playouts per second the house's search bot makes on one core, from the first view of a four-seat
deal and from its middle: one after the other by the plain rules, and in step. Run it from the project's
folder: `python -m tests.bench.playouts`.

The median of several rounds is shown, in which both ways take turns.
"""

import itertools
import time
from collections.abc import Callable

import numpy as np

from arena.games import GAMES
from arena.games.game import Action, Game, View
from arena.games.registry import extras
from arena.players.house.playouts import Playouts
from arena.players.house.race import Race
from arena.players.house.search import at_random
from arena.players.house.tree import Search
from protocol.streams import DealSource
from tests.bench.figures import SEATS, Figures, interleaved, show

RUNS = 5
SECONDS = 0.3
WORLDS = 64

Asked = tuple[View, tuple[Action, ...], Action]
"""A view, what is legal, and what is advised."""


def asked(game: Game, decisions: int) -> Asked:
    """After so many decisions of advised play, or as soon as there is a choice again."""
    state, advise = game.start(SEATS, game.options(), 1, DealSource("playouts")).state, extras(game).advise
    assert advise is not None
    for made in itertools.count():
        seat = next(iter(state.pending))
        legal = state.legal(seat)
        if made >= decisions and len(legal) > 1:
            return state.view(seat), legal, advise(state, seat, legal)
        state = state.apply({one: advise(state, one, state.legal(one)) for one in state.pending}).state


def plain(game: Game, view: View, legal: tuple[Action, ...], advised: Action) -> Figures:
    """Playouts a second."""
    begun = time.perf_counter()
    search = Search(game, view, legal, advised, extras(game).quick or at_random("bench"), "bench")
    search.think(lambda: time.perf_counter() - begun < SECONDS)
    return (search.playouts / (time.perf_counter() - begun),)


def in_step(game: Game, view: View, legal: tuple[Action, ...], advised: Action) -> Figures:
    """Playouts a second."""
    playouts = Playouts(game, np.random.default_rng(1))
    made, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < SECONDS:
        race = Race(playouts, view, legal, advised)
        race.round(WORLDS)
        made += race.playouts
    return (made / (time.perf_counter() - begun),)


def main() -> None:
    """Print both."""
    for decisions in (0, 25):
        ways: dict[str, Callable[[], Figures]] = {}
        for game in GAMES.values():
            one = asked(game, decisions)
            ways[f"{game.id}, plain"] = lambda game=game, one=one: plain(game, *one)  # type: ignore[misc]
            ways[f"{game.id}, in step"] = lambda game=game, one=one: in_step(game, *one)  # type: ignore[misc]
        title = f"playouts after {decisions} decisions, {SEATS} seats, one core"
        show(title, ["a second"], interleaved(ways, RUNS), (0,))


if __name__ == "__main__":
    main()
