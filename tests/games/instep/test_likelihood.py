"""Imagined deals are weighted by the probability of what was decided: the same, deal by deal, as a plain
reckoning that goes through the states of the real deal with the imagined hands in them.
"""

import numpy as np

from arena.games.instep.batch import Deck
from arena.games.instep.decisions import log_likelihoods
from arena.games.instep.registered import batch_for, in_step
from tests.games.playing import Variant, each
from tests.support.weighed import WEIGHED, hands_of, moments, plain_log, with_hands

WORLDS = 6

every_variant = each(WEIGHED)


@every_variant
def test_likelihoods_are_those_of_a_plain_reckoning(variant: Variant) -> None:
    rng, game, deck = np.random.default_rng(1), variant.game, variant.game.deck(variant.seats)
    compared = 0
    for history, state in moments(variant, "likely"):
        viewer = max(state.pending)
        view = state.view(viewer)
        decisions = in_step(game).decisions(game, view)
        owner = batch_for(game).imagined(game, view, WORLDS, rng)
        plain = [
            plain_log(variant, with_hands(history, hands_of(row, deck, variant.seats)), viewer)
            for row in owner
        ]
        if decisions is None:
            assert plain == [0.0] * WORLDS
            continue
        found = log_likelihoods(decisions, owner, Deck.of(game, variant.seats))
        np.testing.assert_allclose(found, plain, rtol=1e-6, atol=1e-9)
        compared += len(set(plain)) > 1
    assert compared > 3
