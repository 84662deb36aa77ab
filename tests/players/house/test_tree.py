"""The search: legal, the same from the same seed, and right where a playout more makes it sure."""

from collections.abc import Callable
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.game import Action, State
from arena.players.house.tree import Search
from protocol.cards import Seat
from protocol.streams import DealSource
from tests.games.playing import REGISTERED, Packs, Variant, cards, each, play, random_match


def first(state: State, seat: Seat, legal: tuple[Action, ...]) -> Action:
    return legal[0]


def times(playouts: int) -> Callable[[], bool]:
    """Says yes until so many playouts were made."""
    left = iter(range(playouts - 1))
    return lambda: next(left, None) is not None


def searched(game: Any, state: State, playouts: int, seed: str = "s") -> Search:
    seat = next(iter(state.pending))
    legal = state.legal(seat)
    search = Search(game, state.view(seat), legal, legal[0], first, seed)
    search.think(times(playouts))
    return search


@each(REGISTERED)
def test_what_is_found_is_legal(variant: Variant) -> None:
    for moment in random_match(variant).moments[::15]:
        search = searched(variant.game, moment.state, 20)
        seat = next(iter(moment.state.pending))
        assert sorted(action for action, _ in search.beliefs) == sorted(moment.state.legal(seat))
        assert search.best == search.beliefs[0][0]


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_and_number_of_playouts_find_the_same(game: str) -> None:
    state, _ = GAMES[game].start(4, GAMES[game].options(), 4, DealSource("again"))
    one, other, else_ = (searched(GAMES[game], state, 100, seed) for seed in ("s", "s", "t"))
    assert one.beliefs == other.beliefs
    assert one.beliefs != else_.beliefs


@pytest.mark.parametrize("playouts", [1, 2, 7])
def test_it_stops_when_told_and_then_trusts_advice(playouts: int) -> None:
    state, _ = GAMES["sticheln"].start(4, GAMES["sticheln"].options(), 4, DealSource("short"))
    search = searched(GAMES["sticheln"], state, playouts)
    assert search.playouts == playouts
    assert search.best == state.legal(0)[0]


def test_bad_advice_is_not_taken() -> None:
    # Three seats; seat 2 plays last and red hurts it: the Y8 would take R7 and R8, the Y0 takes nothing.
    sticheln = GAMES["sticheln"]
    hands = [
        cards("R8 R6 G0 G1 G2 G3 G4 G5 G6 G7 G8 B0 B1 B2 P0"),
        cards("R7 R5 R4 R3 R2 R1 B3 B4 B5 B6 B7 B8 Y6 Y7 P1"),
        cards("R0 Y8 Y0 Y1 Y2 Y3 Y4 Y5 P2 P3 P4 P5 P6 P7 P8"),
    ]
    state, _ = sticheln.start(3, sticheln.options(), 1, Packs([sum(hands, ())], lot=0))
    state = state.apply({0: "G8", 1: "B8", 2: "R0"}).state
    state, _ = play(state, "R8 R7")

    search = Search(sticheln, state.view(2), state.legal(2), "Y8", first, "s")
    search.think(times(400))

    gains = dict(search.beliefs)
    assert search.best != "Y8"
    assert gains["Y0"] - gains["Y8"] > 5
