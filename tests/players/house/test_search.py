"""The search bot at its clock, with time that goes on only when it is looked at."""

import pytest

from arena.games import GAMES
from arena.games.game import View
from arena.players.house import search
from arena.players.house.search import budget_ms
from protocol.messages import Hello, Limits, Reply, Request
from protocol.streams import DealSource


@pytest.mark.parametrize(
    ("decision_ms", "bank_ms", "decisions", "stall_ms", "budget"),
    [
        (10, 0, 50, 0.0, 5.5),  # of a small limit a good part stays unused
        (10, 100, 50, 0.0, 10.0),  # unless a bank stands behind it, of which a little is spent too
        (1000, 0, 50, 0.0, 700.0),
        (1000, 10_000, 50, 0.0, 1000.0),
        (1000, 10_000, 1, 0.0, 5900.0),  # half of the bank, when nothing comes after
        (10, 100, 50, 4.0, 6.0),  # a machine that has made us wait will do so again: at the cost of thought
        (10, 0, 50, 4.0, 2.0),  # and all the more where no bank helps
        (2, 0, 50, 0.0, -2.5),
    ],
)
def test_the_budget(decision_ms: int, bank_ms: int, decisions: int, stall_ms: float, budget: float) -> None:
    limits = Limits(decision_ms=decision_ms, bank_ms=bank_ms)
    assert budget_ms(decision_ms + bank_ms, limits, decisions, stall_ms) == pytest.approx(budget)


class Ticking:
    """A clock that goes on by so many ms whenever it is looked at."""

    def __init__(self, ms: float) -> None:
        self.now, self.ms = 0.0, ms

    def __call__(self) -> float:
        self.now += self.ms / 1000
        return self.now


@pytest.mark.parametrize(
    ("tick_ms", "left_ms", "playouts"),
    [
        (0.25, 10, 21),  # 5.5 ms, of which one look goes to the start
        (0.25, 30, 37),  # 9 ms, less a look, and for each of 15 decisions as much of half a bank of 20 ms
        (50.0, 10, 1),  # late before it began: one playout all the same
    ],
)
def test_it_is_done_in_time(
    tick_ms: float, left_ms: int, playouts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = GAMES["sticheln"]
    limits = Limits(decision_ms=10, bank_ms=20)
    hello = Hello(1, game.id, {}, 4, 0, 1, game.deck(4), dict(game.suits(4)), limits, seed=7, match="m")
    state, _ = game.start(4, game.options(), 1, DealSource("clock"))
    view: View = state.view(0)
    clock = Ticking(tick_ms)
    monkeypatch.setattr(search.time, "perf_counter", clock)
    monkeypatch.setattr(search, "races", lambda game, seed: None)
    think = search.begin(game, hello)
    read_at = clock()

    reply = think(Request(1, "pain", state.legal(0), [], view, left_ms), view, read_at)

    assert isinstance(reply, Reply)
    assert reply.action in state.legal(0)
    assert reply.note.startswith(f"{playouts} playouts: ")
