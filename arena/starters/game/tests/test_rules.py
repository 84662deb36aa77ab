"""A test for each rule of rules.md. What every game has to keep is tested by the laws (see
pyproject.toml)."""

from arena_mygame import GAME
from arena_mygame.advice import advise
from arena_mygame.game import MyGameState, winning

from arena.games.api import DealSource, Stream


def states(seats: int = 4) -> list[MyGameState]:
    """A match by advice."""
    state, _ = GAME.start(seats, GAME.options(), 2, DealSource("a key"))
    found = [state]
    while state.pending:
        state, _ = state.apply({seat: advise(state, seat, state.legal(seat)) for seat in state.pending})
        found.append(state)
    return found


def test_r1_the_lead_of_a_deal_moves_to_the_left() -> None:
    first, *_, last = [state.tricks[0].leader for state in states() if state.tricks]
    assert last == (first + 1) % 4


def test_r2_who_can_follow_must_follow() -> None:
    for state in states():
        for seat in state.pending:
            led = state.trick.cards[:1]
            own = [card for card in state.hands[seat] if led and card[0] == led[0][0]]
            assert list(state.legal(seat)) == (own or list(state.hands[seat]))


def test_r3_the_highest_of_the_led_suit_takes() -> None:
    assert winning(("G3", "G7", "R8", "G5")) == 1
    assert winning(("G3", "R7", "R8", "B5")) == 0


def test_r4_a_trick_is_a_point() -> None:
    outcome = states()[-1].outcome()
    assert outcome is not None
    assert [sum(deal) for deal in outcome.points] == [8, 8]


def test_an_imagined_state_looks_the_same_to_its_seat() -> None:
    stream = Stream("imagine")
    for state in states():
        view = state.view(0)
        assert GAME.imagine(view, stream).view(0) == view


def test_the_rules_are_installed_with_the_code() -> None:
    assert GAME.extras.rules.startswith("# My Game")
