"""Advice in step is the plain advice: the same action in every state, blind to what its seat cannot see."""

from typing import Any

import numpy as np

from arena.games import EXTRAS
from arena.games.game import State
from arena.games.instep.registered import IN_STEP, batch_for
from tests.games.instep.beside import started
from tests.games.playing import REGISTERED, Variant, each

ADVISED = [one for one in REGISTERED if one.game.id in IN_STEP and not one.options.open_ended]
DEALS = 40

every_variant = each(ADVISED)


def play_a_deal(variant: Variant, states: list[State], rng: np.random.Generator) -> int:
    """Half as advised and half at random, so that odd states come up, too. How many were compared."""
    plain, in_step = EXTRAS[variant.game.id].advise, IN_STEP[variant.game.id].advise
    deals = batch_for(variant.game, variant.options).of(variant.game, states)
    chosen: list[dict[int, str]] = [{} for _ in states]
    compared = 0
    while not deals.over:
        actions, legal = in_step(deals), deals.legal()
        for deal in np.flatnonzero(deals.turn >= 0).tolist():
            state, seat = states[deal], int(deals.turn[deal])
            advised = deals.actions[actions[deal]]
            assert advised == plain(state, seat, state.legal(seat)), (state, seat)
            compared += 1
            if rng.random() < 0.5:
                actions[deal] = rng.choice(np.flatnonzero(legal[deal]))
            chosen[deal][seat] = deals.actions[actions[deal]]
        deals.step(actions)
        for deal, state in enumerate(states):
            if chosen[deal] and chosen[deal].keys() == state.pending.keys():
                states[deal], chosen[deal] = state.apply(chosen[deal]).state, {}
    return compared


@every_variant
def test_the_same_action_in_every_state(variant: Variant) -> None:
    states = started(variant.game, variant.seats, variant.options, DEALS, "advised")
    rng = np.random.default_rng(1)
    for _ in range(2):  # In the second deal of Olé! the colour on top is chosen.
        assert play_a_deal(variant, states, rng) > DEALS * 10


@every_variant
def test_the_same_action_whatever_the_others_hold(variant: Variant) -> None:
    rng = np.random.default_rng(2)
    state: Any = started(variant.game, variant.seats, variant.options, 1, "blind")[0]
    while state.pending:
        seat = min(state.pending)
        worlds = batch_for(variant.game, variant.options).imagine(variant.game, state.view(seat), 20, rng)
        assert (worlds.turn == seat).all()
        assert len(set(IN_STEP[variant.game.id].advise(worlds).tolist())) == 1
        state = state.apply({one: rng.choice(state.legal(one)).item() for one in state.pending}).state
