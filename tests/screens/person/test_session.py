"""A person's turns by intents, without a screen."""

import json

import pytest

from arena.games import GAMES
from arena.screens.person.session import TurnPhase
from protocol.messages import Reply
from tests.screens.person.matches import Match, asked


def test_an_action_is_chosen_once_and_only_if_it_is_legal() -> None:
    session = asked()
    assert session.request is not None
    number, first = session.request.id, session.request.legal[0]
    assert session.choose(number + 1, first) is None
    assert session.choose(number, "Z99") is None
    assert session.phase is TurnPhase.ASKED
    assert session.choose(number, first) == Reply(number, first)
    assert session.choose(number, first) is None, "an answer is given once"


def test_a_hint_is_asked_for_once_and_while_a_request_is_open() -> None:
    session = asked()
    assert session.ask_hint() is session.request
    assert session.ask_hint() is None
    again = asked()
    assert again.request is not None
    again.choose(again.request.id, again.request.legal[0])
    assert again.ask_hint() is None


def test_the_end_of_a_deal_is_shown_until_the_person_goes_on() -> None:
    match = Match("ole", 3, 0, deals=2)
    session = match.session
    match.go_on()
    assert not session.next_deal()
    while not session.deal_over:
        assert session.request is not None
        action = session.request.legal[0]
        assert session.choose(session.request.id, action)
        match.go_on(action)
    assert session.request is not None
    number, first = session.request.id, session.request.legal[0]
    assert session.choose(number, first) is None
    assert session.ask_hint() is None
    assert session.next_deal()
    assert not session.next_deal()
    assert session.choose(number, first) == Reply(number, first)


def test_the_person_is_called_you() -> None:
    match = Match("sticheln", 3, 1, deals=1)
    match.go_on()
    session = match.session
    assert session.names == ("ada", "you", "cy")
    while session.phase is TurnPhase.ASKED:
        assert session.request is not None
        action = session.request.legal[0]
        assert session.choose(session.request.id, action)
        match.go_on(action)
    told = "\n".join(session.story_so_far)
    assert "you take it" in told
    assert "bob" not in told
    assert "you takes" not in told


@pytest.mark.parametrize("game", GAMES)
def test_every_trick_is_kept_until_the_next_choice(game: str) -> None:
    """Also the last one of a deal, and of the match."""
    match = Match(game, 3, 1, deals=2)
    session, tricks = match.session, []
    match.go_on()
    while session.phase is TurnPhase.ASKED:
        assert session.request is not None
        action = session.request.legal[0]
        session.next_deal()
        assert session.choose(session.request.id, action)
        match.go_on(action)
        if session.trick is not None:
            assert action in session.trick.cards
            assert len(session.trick.cards) == 3
            tricks.append(session.trick)
    told = [line for line in session.story if "trick " in line]
    assert [session.sentence(trick.event) for trick in tricks] == [line.split(" → ")[1] for line in told]
    assert [deal.deal_no for deal in session.deals] == [1, 2]


def test_what_is_seen_can_be_told_by_another_screen() -> None:
    """All that a screen needs are plain values."""
    session = asked("ole")
    assert json.dumps([session.story_so_far, session.prompt, list(session.legend), session.names])
