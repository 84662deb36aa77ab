"""Imagined deals: all are allowed by what was seen, and those that are allowed are equally likely."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from arena.games.imagining import Barred
from arena.games.instep import hidden
from arena.games.instep.batch import GONE
from arena.games.instep.registered import in_step
from arena.games.observation import Observation
from tests.games.playing import REGISTERED, Variant, each
from tests.support.imagined import lacks, moments

WORLDS = 30
SMALL = ("R1", "R2", "R3", "G1", "G2", "G3", "B1", "B2")


@each(REGISTERED)
def test_every_imagined_deal_is_allowed(variant: Variant) -> None:
    rng = np.random.default_rng(8)
    game, deck = variant.game, np.array(variant.game.deck(variant.seats))
    for state, seat in moments(variant, "imagined"):
        view = state.view(seat)
        deals = in_step(game).batch.imagine(game, view, WORLDS, rng)
        sizes = [len(hand) for hand in state.hands]
        barred = lacks(state, variant)
        for owner in deals._owner[:, : len(deck)]:
            hands = [set(deck[owner == other]) for other in range(variant.seats)]
            assert [len(hand) for hand in hands] == sizes
            assert hands[seat] == set(state.hands[seat])
            assert set().union(*hands) == {card for hand in state.hands for card in hand}
            assert not any(hands[other] & cards for other, cards in barred.items())
        # Where few cards are hidden, what seats have shown may leave one deal alone.
        few = 5 if barred else 4
        assert len({owner.tobytes() for owner in deals._owner}) > 1 or sum(sizes) - sizes[seat] < few
        if (deals.turn == seat).all():
            np.testing.assert_array_equal(
                deals.observe(), [Observation(game, variant.seats).of(view)] * WORLDS
            )
        while not deals.over:
            deals.step(((1 - rng.random(deals.legal().shape)) * deals.legal()).argmax(axis=1))


TWO_OF_EACH = ("R1", "R2", "R3", "G2", "G3", "B1", "B2", "B3")


@pytest.mark.parametrize("shuffles", [0, 4, 400])
@pytest.mark.parametrize(
    ("deck", "barred"),
    [
        (SMALL, {}),
        (SMALL, {1: {"R3"}}),
        (SMALL, {1: {"R2", "R3"}, 2: {"G1", "G2", "G3"}}),
        (SMALL, {1: {"R2", "R3", "G1"}, 3: {"B1"}}),
        # From some of these deals no swap of two cards leads to another one.
        (TWO_OF_EACH, {1: {"R2", "R3"}, 2: {"G2", "G3"}, 3: {"B1", "B2"}}),
    ],
    ids=["all", "one card", "two seats", "a narrow way", "each seat lacks a suit"],
)
def test_all_allowed_deals_are_equally_likely(
    deck: tuple[str, ...], barred: Barred, shuffles: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where moves alone lead from one to the next, as they do without shuffles."""
    monkeypatch.setattr(hidden, "SHUFFLES", shuffles)
    own, others = deck[:1] + deck[-1:], deck[1:-1]
    allowed = {
        owners
        for owners in itertools.permutations((1, 1, 2, 2, 3, 3))
        if not any(card in barred.get(seat, ()) for card, seat in zip(others, owners, strict=True))
    }
    rng = np.random.default_rng(9)
    owner = hidden.imagined_owners(0, own, (2, 2, 2, 2), deck, (), barred, 20_000, rng)
    found = Counter(map(tuple, owner[:, 1:-1].tolist()))
    assert set(found) == allowed
    assert chisquare(list(found.values())).pvalue > 1e-4


def test_what_no_deal_allows_is_refused() -> None:
    barred = dict.fromkeys((1, 2, 3), SMALL)
    with pytest.raises(ValueError, match="no deal"):
        hidden.imagined_owners(0, SMALL[:2], (2, 2, 2, 2), SMALL, (), barred, 5, np.random.default_rng(1))


def test_seen_cards_are_in_no_hand() -> None:
    owner = hidden.imagined_owners(
        0, SMALL[:2], (2, 1, 1, 1), SMALL, [SMALL[5:]], {}, 50, np.random.default_rng(2)
    )
    assert (owner[:, 5:] == GONE).all()
    assert (owner[:, :2] == 0).all()
