"""Weighted deals: allowed, and taken as often as what was decided is likely with them."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from arena.games.instep import weighted
from arena.games.instep.registered import batch_for, in_step
from tests.games.playing import Variant, each
from tests.support.imagined import lacks
from tests.support.imagined import moments as some_moments
from tests.support.weighed import WEIGHED, hands_of, moments, plain_log, with_hands

MANY = 4000
FEW = 60
"""So few deals are possible where all are looked at."""

every_variant = each(WEIGHED)


@every_variant
def test_every_weighted_deal_is_allowed(variant: Variant) -> None:
    rng, game, deck = np.random.default_rng(3), variant.game, variant.game.deck(variant.seats)
    kind = batch_for(game)
    for state, seat in some_moments(variant, "weighted"):
        view = state.view(seat)
        batch = weighted.imagine(kind, game, view, in_step(game).decisions(game, view), 10, rng, copies=2)
        barred = lacks(state, variant)
        assert batch.size == 20
        assert (batch._owner[::2] == batch._owner[1::2]).all()
        for owner in batch._owner[:, : len(deck)]:
            hands = hands_of(owner, deck, variant.seats)
            assert [len(hand) for hand in hands] == [len(hand) for hand in state.hands]
            assert hands[seat] == set(state.hands[seat])
            assert set().union(*hands) == {card for hand in state.hands for card in hand}
            assert not any(hands[other] & cards for other, cards in barred.items())


@pytest.mark.thorough  # So many deals are reckoned one by one.
@pytest.mark.parametrize("variant", [one for one in WEIGHED if one.seats == 3], ids=str)
def test_deals_are_taken_as_often_as_they_are_likely(
    variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At late moments, where all possible deals can be reckoned one by one."""
    monkeypatch.setattr(weighted, "PER_WANTED", 30)
    monkeypatch.setattr(weighted, "EFFECTIVE", 0.0)
    rng, game, deck = np.random.default_rng(4), variant.game, variant.game.deck(variant.seats)
    compared = 0
    for history, state in moments(variant, "late"):
        viewer = max(state.pending)
        view = state.view(viewer)
        decisions, owner = (
            in_step(game).decisions(game, view),
            batch_for(game).imagined(game, view, 2000, rng),
        )
        possible = np.unique(owner, axis=0)
        if decisions is None or not 1 < len(possible) <= FEW or not state.hands[viewer]:
            continue
        logs = [
            plain_log(variant, with_hands(history, hands_of(row, deck, variant.seats)), viewer)
            for row in possible
        ]
        expected = np.exp(np.array(logs) - max(logs))
        expected *= MANY / expected.sum()
        batch = weighted.imagine(batch_for(game), game, view, decisions, MANY, rng)
        found = Counter(map(bytes, batch._owner[:, : len(deck)]))
        counts = np.array([found.pop(bytes(row), 0) for row in possible])
        assert not found, "a deal that is not possible"
        seldom = expected < 5
        assert abs(counts[seldom].sum() - expected[seldom].sum()) < 20
        if np.count_nonzero(~seldom) > 1:
            often = expected[~seldom] * (counts[~seldom].sum() / expected[~seldom].sum())
            assert chisquare(counts[~seldom], often).pvalue > 1e-4
            compared += 1
    assert compared


def test_each_number_is_taken_as_often_as_its_weight_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighted, "EFFECTIVE", 0.0)
    logs = np.log(np.random.default_rng(5).random(80))
    expected = 100 * np.exp(logs) / np.exp(logs).sum()
    for seed in range(200):
        counts = np.bincount(weighted.resampled(logs, 100, np.random.default_rng(seed)), minlength=80)
        assert counts.sum() == 100
        assert (np.abs(counts - expected) < 1).all()


@pytest.mark.parametrize("spread", [0.0, 0.1, 1.0, 10.0, 100.0])
def test_weights_leave_enough_deals(spread: float) -> None:
    logs = spread * np.random.default_rng(6).standard_normal(400)
    weights = weighted.tempered(logs, 50)
    assert weighted.effective(weights) >= 50
    if spread <= 1.0:
        np.testing.assert_allclose(weights, np.exp(logs - logs.max()))
    else:
        assert weighted.effective(weights) < 60, "no more alike than they have to be"
    assert weights[logs.argmax()] == weights.max()


@every_variant
def test_a_seed_decides_weighted_deals(variant: Variant) -> None:
    game = variant.game
    state, seat = some_moments(variant, "seeds")[-6]
    view = state.view(seat)
    decisions = in_step(game).decisions(game, view)
    first, again, other = (
        weighted.imagine(
            batch_for(game), game, view, decisions, 50, np.random.default_rng(seed)
        )._owner.tolist()
        for seed in (1, 1, 2)
    )
    assert first == again != other


@every_variant
def test_nothing_is_weighed_where_nothing_was_decided(variant: Variant) -> None:
    game = variant.game
    state, seat = some_moments(variant, "nothing")[0]
    plain, same = (
        imagine(np.random.default_rng(7))._owner.tolist()
        for imagine in (
            lambda rng: batch_for(game).imagine(game, state.view(seat), 20, rng, copies=3),
            lambda rng: weighted.imagine(batch_for(game), game, state.view(seat), None, 20, rng, copies=3),
        )
    )
    assert plain == same
