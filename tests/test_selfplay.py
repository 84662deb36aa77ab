"""Functions that play each other."""

import pytest

from arena.games import GAMES
from arena.games.game import Action, IllegalAction, View
from arena.games.selfplay import play

ALL = [(id, seats) for id, game in GAMES.items() for seats in game.seats]


def first(view: View, legal: tuple[Action, ...]) -> Action:
    return legal[0]


def last(view: View, legal: tuple[Action, ...]) -> Action:
    return legal[-1]


@pytest.mark.parametrize(("game", "seats"), ALL)
def test_a_match_is_played_to_its_end(game: str, seats: int) -> None:
    policies = [first, last, *[first] * (seats - 2)]
    outcome = play(GAMES[game], policies, "key")
    assert len(outcome.gains) == seats
    assert min(outcome.placings) == 1
    assert play(GAMES[game], policies, "key") == outcome


def test_a_policy_sees_its_seat_and_what_is_legal_there() -> None:
    seen = []

    def watching(view: View, legal: tuple[Action, ...]) -> Action:
        seen.append((view.seat, set(legal) <= set(view.hand)))
        return legal[0]

    play(GAMES["sticheln"], [first, watching, first], "key", deals=1)
    assert seen == [(1, True)] * 15


def test_what_is_not_legal_is_refused() -> None:
    with pytest.raises(IllegalAction):
        play(GAMES["sticheln"], [first, lambda view, legal: "X99", first], "key")


def test_a_wrong_number_of_seats_is_named() -> None:
    with pytest.raises(ValueError, match="sticheln is played by 3 to 6 seats, not 2"):
        play(GAMES["sticheln"], [first, last], "key")
