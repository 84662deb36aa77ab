"""Hypothesis strategies for the tests of a game: its variants, keys, states reached by random play, and
actions. They stay as they are while `arena.games.api.API` does.

    @given(st.data())
    def test_no_trick_is_larger_than_the_table(data):
        variant = data.draw(variants(GAME))
        state = data.draw(states(variant))
        …

A failing example shrinks towards the default options, the fewest seats, and a short match of first legal
actions.
"""

from collections.abc import Mapping

from hypothesis import strategies as st

from arena.games.game import Action, Game, State
from arena.laws import trial
from arena.laws.trial import Variant
from protocol.cards import Seat
from protocol.streams import DealSource

LONGEST = 100
"""The most steps of random play."""


def variants(game: Game) -> st.SearchStrategy[Variant]:
    """The game with each number of seats, with its default options and with one option at another value. A
    variant has `game`, `seats`, `options` and `start(source, deals)`."""
    return st.sampled_from(trial.variants(game))


def keys() -> st.SearchStrategy[str]:
    """Keys of a DealSource."""
    return st.integers(0, 2**32 - 1).map(str)


def actions(state: State) -> st.SearchStrategy[Mapping[Seat, Action]]:
    """One legal action of every pending seat. The match must not be over."""
    return st.fixed_dictionaries({seat: st.sampled_from(state.legal(seat)) for seat in state.pending})


@st.composite
def states(
    draw: st.DrawFn, variant: Variant, deals: int = 2, longest: int = LONGEST, *, over: bool = True
) -> State:
    """A state reached by at most `longest` steps of random play. `over`: the match may be over in it."""
    state = variant.start(DealSource(draw(keys())), deals).state
    for _ in range(draw(st.integers(0, longest))):
        if not state.pending:
            break
        following = state.apply(draw(actions(state))).state
        if not over and not following.pending:
            break
        state = following
    return state
