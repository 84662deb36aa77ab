"""The choices of a seat are exactly its logged decisions with more than one legal action."""

import pytest

from arena.games import GAMES
from arena.log.decisions import decisions
from arena.players.review.choices import LAST_CARDS, choices, kind_of
from tests.support.logs import chance_log

every_game = pytest.mark.parametrize("game", GAMES)


@every_game
def test_they_are_the_decisions_with_a_choice(game: str) -> None:
    seats = GAMES[game].seats[0]
    log = chance_log(game, seats)
    for seat in range(seats):
        ours = [one for one in decisions(log) if one.seat == seat]
        found = list(choices(log, seat))
        assert [one.at for one in found] == [at for at, one in enumerate(ours) if len(one.legal) > 1]
        for choice in found:
            one = ours[choice.at]
            assert (choice.deal, choice.request, choice.played) == (one.deal, one.request, one.action)
            assert choice.legal == one.legal
            assert choice.view.seat == seat
            assert choice.trick == len(one.view.get("tricks", ())) + ("tricks" in one.view)


def test_what_a_substitute_chose_is_left_out() -> None:
    log = chance_log("sticheln", 3, faulty=1)
    assert [one.request for one in choices(log, 1)] == [1, 2]
    assert len(list(choices(log, 0))) > 20


def test_kinds() -> None:
    found = list(choices(chance_log("sticheln", 3), 0))
    first = [one for one in found if one.deal == 1]
    assert first[0].kind == "pain"
    for one in first[1:]:
        late = len(one.view.hand) <= LAST_CARDS
        assert one.kind == ("last tricks" if late else "follow" if one.view.open_trick else "lead")
    assert {one.kind for one in first} == {"pain", "lead", "follow", "last tricks"}
    of_ole = {one.kind for seat in range(3) for one in choices(chance_log("ole", 3), seat)}
    assert of_ole <= {"top", "play"}


def test_a_decision_of_another_kind_keeps_its_name() -> None:
    view = next(choices(chance_log("sticheln", 3), 0)).view
    assert kind_of("bid", view) == "bid"
