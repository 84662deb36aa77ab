"""The strategies of hypothesis, and a property that they prove of our own games."""

from collections import Counter
from random import Random

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.game import Game, State
from arena.laws.strategies import actions, keys, states, variants
from arena.laws.trial import Variant
from protocol.cards import Card
from tests.games.sixth import Sixth, SixthOptions


def hidden(state: State) -> Counter[Card]:
    return Counter(card for cards in (*state.hands, state.stock) for card in cards)


@pytest.mark.parametrize("game", [*GAMES.values(), Sixth()], ids=lambda game: game.id)
@settings(max_examples=25)
@given(data=st.data())
def test_in_a_deal_cards_come_out_of_hands_and_never_back(game: Game, data: st.DataObject) -> None:
    variant = data.draw(variants(game))
    state = data.draw(states(variant, over=False))
    chosen = data.draw(actions(state))
    after = state.apply(chosen).state
    assert chosen.keys() == state.pending.keys()
    if after.deal_no == state.deal_no:
        assert hidden(after) <= hidden(state)


@pytest.mark.thorough  # 3 s of processor.
def test_examples_shrink_to_the_shortest_match() -> None:
    variant = Variant(Sixth(), 3, SixthOptions())
    # Shrinking may end at an example that is only locally the smallest, so chance is fixed here.
    repeatable = settings(database=None, max_examples=300)
    state = find(
        states(variant), lambda state: len(state.trick.cards) == 2, settings=repeatable, random=Random(1)
    )
    assert (state.deal_no, state.tricks, state.points) == (1, (), ())
    assert find(keys(), lambda key: True) == "0"
    smallest = find(variants(variant.game), lambda variant: True)
    assert smallest == Variant(variant.game, 2, SixthOptions())
