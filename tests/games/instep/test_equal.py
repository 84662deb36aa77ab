"""Rules in step are the plain rules, action by action: the same turns, legal actions, observations and
points, in every game, at every number of seats, with every option.
"""

import itertools
from typing import Any

import numpy as np
import pytest

from arena.games.game import IllegalAction
from arena.games.instep.batch import GONE, Batch
from arena.games.instep.plain import PlainBatch
from arena.games.instep.registered import batch_for, in_step
from arena.games.observation import Observation
from tests.games.instep.beside import Beside, started
from tests.games.playing import REGISTERED, Variant, each

DEALS = 16
EVERY = 7
"""One moment in so many is looked at."""
THOROUGH = 20_000
AT_ONCE = 2_000

every_variant = each(REGISTERED)


def built_in(variant: Variant) -> type[Batch]:
    return in_step(variant.game).batch


@every_variant
def test_a_batch_plays_as_the_plain_rules_do(variant: Variant) -> None:
    states = started(variant.game, variant.seats, variant.options, DEALS, "equal")
    beside = Beside(variant.game, built_in(variant).of(variant.game, states), states, observed=True)
    beside.play(np.random.default_rng(1))
    assert beside.compared > DEALS * variant.seats * 4


@every_variant
def test_the_next_deal_begins_where_the_plain_rules_say(variant: Variant) -> None:
    states = started(variant.game, variant.seats, variant.options, DEALS, "next")
    beside = Beside(variant.game, built_in(variant).of(variant.game, states), states, observed=False)
    rng = np.random.default_rng(2)
    beside.play(rng)
    following = beside.batch.following(rng)
    views = [state.view(0) for state in beside.states]
    if any(not state.pending for state in beside.states):
        return  # A target was reached, which a batch does not look at.
    np.testing.assert_array_equal(following.match.totals, [view.points for view in views])
    layout = Observation(variant.game, variant.seats).layout
    seen = following.observe()[:, layout["leader"]]
    if "dealer" in layout:
        dealers = following.observe()[:, layout["dealer"].start]
        states_now: list[Any] = beside.states
        np.testing.assert_array_equal(dealers, [state.dealer for state in states_now])
    np.testing.assert_array_equal(seen[:, 0], [view.leader for view in views])
    following.step(following.legal().argmax(axis=1))
    while not following.over:
        following.step(following.legal().argmax(axis=1))
    with pytest.raises(ValueError, match="matches are over"):
        following.following(rng)


@pytest.mark.thorough  # 4 s of processor.
@every_variant
def test_a_batch_takes_deals_in_the_middle(variant: Variant) -> None:
    """Also where a trick, a series or the choice of pain cards has begun."""
    rng = np.random.default_rng(3)
    game, kind = variant.game, built_in(variant)
    states = started(game, variant.seats, variant.options, 2, "middle", deals=2)
    for moment in itertools.count():
        if not all(state.pending for state in states):
            break
        if moment % EVERY == 0:
            try:
                deals = kind.of(game, states)
            except ValueError:  # In Olé! two matches are seldom at the same point.
                together = [states[0]] * 2
                deals = kind.of(game, together)
            else:
                together = states
            Beside(game, deals, together, observed=True).play(rng)
        states = [
            state.apply({seat: rng.choice(state.legal(seat)).item() for seat in state.pending}).state
            for state in states
        ]


@every_variant
def test_the_plain_rules_as_a_batch_are_the_same(variant: Variant) -> None:
    states = started(variant.game, variant.seats, variant.options, 6, "plain", deals=1)
    beside = Beside(variant.game, PlainBatch.of(variant.game, states), states, observed=True)
    beside.play(np.random.default_rng(4))


@pytest.mark.thorough  # 3 s of processor.
@every_variant
@pytest.mark.parametrize("kind", [None, PlainBatch], ids=["in step", "plain"])
def test_an_illegal_action_is_refused_and_changes_nothing(variant: Variant, kind: type[Batch] | None) -> None:
    states = started(variant.game, variant.seats, variant.options, 5, "illegal")
    deals = (kind or built_in(variant)).of(variant.game, states)
    rng = np.random.default_rng(5)
    while not deals.over:
        legal, turn, seen = deals.legal(), deals.turn.copy(), deals.observe()
        good = ((1 - rng.random(legal.shape)) * legal).argmax(axis=1)
        for deal in np.flatnonzero(turn >= 0) if rng.random() < 0.4 else ():
            for bad in (
                *np.flatnonzero(~legal[deal])[:3],
                *np.flatnonzero(~legal[deal])[-3:],
                -1,
                legal.shape[1],
            ):
                wrong = good.copy()
                wrong[deal] = bad
                with pytest.raises(IllegalAction, match=f"in deal {deal}"):
                    deals.step(wrong)
        for shape in (good[:-1], good[:, None], good.astype(float)) if rng.random() < 0.4 else ():
            with pytest.raises(IllegalAction, match="5 whole numbers"):
                deals.step(shape)
        np.testing.assert_array_equal(deals.legal(), legal)
        np.testing.assert_array_equal(deals.turn, turn)
        np.testing.assert_array_equal(deals.observe(), seen)
        deals.step(good)


@pytest.mark.thorough  # 2 s of processor.
@every_variant
def test_every_legal_action_is_as_likely_at_random(variant: Variant) -> None:
    states = started(variant.game, variant.seats, variant.options, 1, "random", deals=1) * 300
    deals, rng = built_in(variant).of(variant.game, states), np.random.default_rng(6)
    while not deals.over:
        legal, live = deals.legal(), deals.turn != GONE
        drawn = np.array([deals.at_random(rng) for _ in range(20)])
        assert legal[np.arange(len(states)), drawn][:, live].all()
        some = np.arange(0, len(states), 3)
        assert legal[some, deals.at_random(rng, some)][live[some]].all()
        if (legal == legal[0]).all():
            times = np.bincount(drawn.reshape(-1), minlength=legal.shape[1])[legal[0]]
            mean = drawn.size / len(times)
            assert (abs(times - mean) < 5 * mean**0.5).all()
        deals.step(drawn[0])
    assert deals.at_random(rng).shape == (len(states),)


@every_variant
def test_deals_at_different_points_are_no_batch(variant: Variant) -> None:
    if variant.options.open_ended:
        return  # Its matches may have one deal only.
    first, second = started(variant.game, variant.seats, variant.options, 2, "points", deals=3)
    while second.deal_no == first.deal_no:
        second = second.apply({seat: second.legal(seat)[0] for seat in second.pending}).state
    for states in ([first, second], []):
        with pytest.raises(ValueError, match="all at the same point"):
            built_in(variant).of(variant.game, states)


@every_variant
def test_a_seed_decides_a_batch(variant: Variant) -> None:
    def played(seed: int) -> Any:
        rng = np.random.default_rng(seed)
        deals = batch_for(variant.game, variant.options).start(
            variant.game, variant.seats, 8, rng, deals=1, options=variant.options
        )
        while not deals.over:
            deals.step(deals.legal().argmax(axis=1))
        return deals.points.tolist()

    assert played(6) == played(6) != played(7)


@pytest.mark.exhaustive  # Ten minutes by itself.
@every_variant
def test_twenty_thousand_deals_are_the_same(variant: Variant) -> None:
    compared = 0
    for number in range(THOROUGH // AT_ONCE):
        states = started(variant.game, variant.seats, variant.options, AT_ONCE, f"thorough/{number}", deals=1)
        beside = Beside(
            variant.game, built_in(variant).of(variant.game, states), states, observed=number == 0
        )
        beside.play(np.random.default_rng(number))
        compared += beside.compared
    print(f"{variant}: {compared} decisions of {THOROUGH} deals, no difference")
