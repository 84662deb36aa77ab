"""Games of packages in a batch, by their plain rules: with cards that are passed, bids, and a stock. They are
searched and reviewed like ours."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from arena_hearts.batch import HeartsBatch
from arena_hearts.rules import Hearts, HeartsOptions
from arena_oh_hell.rules import OhHell

from arena.games.api import DealSource, Game, State
from arena.games.instep.plain import PlainBatch
from arena.games.observation import Observation
from arena.players.house.playouts import Playouts
from arena.players.review.choices import Choice, kind_of
from arena.players.review.judge import Judge
from tests.games.instep.beside import Beside, started

SEATS = 4

every_game = pytest.mark.parametrize("game", [Hearts(), OhHell()], ids=lambda game: game.id)


def states(game: Game, number: int) -> list[tuple[State, int]]:
    """States of random matches in which a seat has a choice, from beginning to end."""
    chance, found = random.Random(game.id), []
    for match in range(2):
        state = game.start(SEATS, game.options(), 2, DealSource(f"in-step/{match}")).state
        while state.pending:
            found += [(state, seat) for seat in state.pending if len(state.legal(seat)) > 1]
            state = state.apply({seat: chance.choice(state.legal(seat)) for seat in state.pending}).state
    return found[:: len(found) // number]


@every_game
def test_imagined_deals_are_those_that_a_view_allows(game: Game) -> None:
    rng, differing = np.random.default_rng(1), 0
    for state, seat in states(game, 12):
        view: Any = state.view(seat)
        batch = PlainBatch.imagine(game, view, 6, rng, copies=2)
        assert batch.size == 12
        imagined = batch._states
        assert all(one.view(seat) == view for one in imagined)
        assert all(one.hands == other.hands for one, other in zip(imagined[::2], imagined[1::2], strict=True))
        differing += len({one.hands for one in imagined}) > 1
    assert differing > 6


@every_game
def test_a_batch_is_played_to_its_end(game: Game) -> None:
    rng = np.random.default_rng(1)
    batch = PlainBatch.start(game, SEATS, 5, rng, deals=2)
    for deal_no in (1, 2):
        while not batch.over:
            assert (batch.legal().any(axis=1) == (batch.turn >= 0)).all()
            batch.step(batch.at_random(rng))
        points = [state.tally().points[deal_no - 1] for state in batch._states]
        assert batch.points.tolist() == [list(row) for row in points]
        if deal_no == 1:
            batch = batch.following(rng)
    assert all(state.outcome() for state in batch._states)


@pytest.mark.thorough  # Five deals of thirty matches each.
@pytest.mark.parametrize(
    "options", [HeartsOptions(queen, bloody) for queen in (True, False) for bloody in (True, False)], ids=str
)
def test_hearts_in_step_are_the_plain_rules(options: HeartsOptions) -> None:
    """Five deals, since cards are passed in four ways; also deals that are taken up in the middle."""
    game, rng = Hearts(), np.random.default_rng(1)
    at = started(game, SEATS, options, 30, "hearts", deals=5)
    for deal_no in range(1, 6):
        batch = HeartsBatch.of(game, at)
        beside = Beside(game, batch, at, observed=deal_no < 5)
        beside.play(rng)
        at = beside.states
        if deal_no < 5:
            np.testing.assert_array_equal(
                batch.following(rng).match.totals, [one.view(0).points for one in at]
            )
    at = started(game, SEATS, options, 3, "hearts in the middle", deals=4)
    for moment in itertools.count():
        if not all(one.pending for one in at):
            break
        if moment % 9 == 0:
            Beside(game, HeartsBatch.of(game, at), at, observed=True).play(rng)
        at = [one.apply({s: rng.choice(one.legal(s)).item() for s in one.pending}).state for one in at]


def test_hearts_are_imagined_as_the_plain_rules_do() -> None:
    game, rng = Hearts(), np.random.default_rng(1)
    for state, seat in states(game, 8):
        view: Any = state.view(seat)
        batch = HeartsBatch.imagine(game, view, 400, rng, copies=2)
        alike = batch._owner[::2]
        np.testing.assert_array_equal(alike, batch._owner[1::2])
        plain = PlainBatch.imagine(game, view, 400, rng)
        # What may be in no imagined hand is in none; where a card can be, it is about as often.
        ours, theirs = (
            (owner[:, :, None] == np.arange(SEATS)).mean(axis=0) for owner in (alike, plain._owner)
        )
        assert (ours[theirs == 1] == 1).all()
        assert abs(ours - theirs).max() < 0.18
        if batch.turn[0] != seat:
            continue
        np.testing.assert_array_equal(batch.legal()[0], PlainBatch.of(game, [state]).legal()[0])
        seen, shown = batch.observe(), Observation(game, SEATS).of(view)
        np.testing.assert_array_equal(seen, np.tile(shown, (800, 1)))


@every_game
def test_decisions_are_judged(game: Game) -> None:
    (state, seat), *_ = states(game, 3)[1:]
    view, legal = state.view(seat), tuple(state.legal(seat))
    gains = Playouts(game, np.random.default_rng(1)).gains(view, legal, 5)
    assert gains.shape == (5, len(legal))
    assert gains.any()
    kind = kind_of(state.pending[seat], view)
    assert kind in {"lead", "follow", "last tricks", *game.decisions[:-1]}
    choice = Choice("match", "bot", seat, state.deal_no, 1, 1, 0, kind, legal, legal[0], view)
    assert Judge(game).judged(choice).better in legal
