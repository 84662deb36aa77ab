"""What a choice costs is what plain playouts by the plain rules and advice say, and a seed decides it."""

from collections.abc import Iterator

import msgspec
import numpy as np
import pytest

from arena.games import GAMES
from arena.games.game import Game
from arena.players.house import playouts
from arena.players.review.choices import Choice, choices
from arena.players.review.judge import Judge
from arena.players.review.judged import dearest, kind_costs
from protocol.streams import Stream
from tests.support.logs import chance_log
from tests.support.policies import policy

every_game = pytest.mark.parametrize(
    "game",
    [  # Judging takes a second or two there, and the tests of one game below do it too.
        pytest.param(game, marks=[pytest.mark.thorough] * (game.id != "david-and-goliath"))
        for game in GAMES.values()
    ],
    ids=lambda game: game.id,
)


def some(game: Game, number: int) -> Iterator[Choice]:
    """Choices of random play, from the beginning of a deal to its end."""
    found = list(choices(chance_log(game.id, 4), 1))
    yield from found[:: max(1, len(found) // number)]


def plain_difference(game: Game, choice: Choice, other: str, worlds: int) -> tuple[float, float]:
    """How much more `other` gains than what was played, above the mean of all seats, and the standard error:
    from deals that the plain rules imagine."""
    view = msgspec.structs.replace(choice.view, deals=choice.view.deal_no)
    play, stream, found = policy(game), Stream("plain review"), []
    for _ in range(worlds):
        gained = []
        imagined = game.imagine(view, stream)
        for action in (other, choice.played):
            state, first = imagined, True
            while state.pending:
                actions = {one: play(state, one, state.legal(one)) for one in state.pending}
                if first:
                    actions[choice.seat], first = action, False
                state = state.apply(actions).state
            gains = state.tally().gains[-1]
            gained.append(gains[choice.seat] - sum(gains) / len(gains))
        found.append(gained[0] - gained[1])
    return float(np.mean(found)), float(np.std(found) / np.sqrt(worlds))


@every_game
def test_the_cost_is_that_of_plain_playouts(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playouts, "ERRORS", 0.0)
    judged = [(choice, Judge(game).judged(choice)) for choice in some(game, 6)]
    with_cost = [(choice, one) for choice, one in judged if one.better != choice.played]
    assert with_cost, "chance plays badly"
    for choice, one in with_cost[:4]:
        assert one.better in choice.legal
        mean, error = plain_difference(game, choice, one.better, 200)
        assert abs(one.cost - mean) < 4.5 * np.hypot(error, one.error) + 0.1


@every_game
def test_a_seed_and_the_choice_decide_it(game: Game) -> None:
    choice = next(some(game, 1))
    one, again, other = (Judge(game, seed).judged(choice) for seed in ("1", "1", "2"))
    assert one == again
    assert one != other or one.better == choice.played
    for field in ("match", "bot", "seat", "deal", "request", "at", "kind", "legal", "played"):
        assert getattr(one, field) == getattr(choice, field)


@every_game
def test_the_best_choice_costs_nothing(game: Game) -> None:
    choice = next(some(game, 1))
    best = Judge(game, effort=4).judged(choice).better
    at_best = Judge(game, "another").judged(msgspec.structs.replace(choice, played=best))
    assert not at_best.sure or at_best.cost < 0.5


@pytest.mark.thorough  # 14 s of processor.
def test_more_effort_leaves_less_error() -> None:
    game = GAMES["sticheln"]
    errors: dict[int, list[float]] = {1: [], 9: []}
    for choice in list(some(game, 8))[1:2]:
        for effort, found in errors.items():
            found.append(Judge(game, effort=effort).judged(choice).error)
    assert 0 < np.mean(errors[9]) < 0.75 * np.mean(errors[1])


@pytest.mark.thorough  # 8 s of processor.
def test_costs_by_kind_and_the_dearest() -> None:
    game = GAMES["sticheln"]
    judged = [Judge(game).judged(choice) for choice in some(game, 8)]
    rows = kind_costs(judged, 2)
    assert sum(row.choices for row in rows) == len(judged)
    assert sum(row.errors for row in rows) == sum(one.sure for one in judged)
    assert sum(row.a_deal for row in rows) == pytest.approx(sum(one.cost for one in judged) / 2)
    assert [row.a_deal for row in rows] == sorted((row.a_deal for row in rows), reverse=True)
    for row in rows:
        assert row.each == pytest.approx(np.mean([one.cost for one in judged if one.kind == row.kind]))
    found = dearest(judged, 3)
    assert len(found) == 3
    assert all(one.sure for one in found)
    assert found[0].cost == max(one.cost for one in judged if one.sure)
