"""A person's turns by intents, without a screen."""

import json

from arena.person.session import TurnPhase
from protocol.messages import Reply
from tests.person.matches import Match, asked


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


def test_what_is_seen_can_be_told_by_another_screen() -> None:
    """All that a screen needs are plain values."""
    session = asked("ole")
    assert json.dumps([session.story_so_far, session.prompt, list(session.legend), session.names])
