"""A person's turns by keys, without a terminal: every game, at the last seat of few and of many."""

import pytest
from rich.console import Console

from arena.games import GAMES
from arena.screens.person.session import AskHint, Choose, Leave, NextDeal, TurnPhase
from arena.screens.terminal.drawing import draw
from arena.screens.terminal.playing import KeyInput, Page
from protocol.messages import Reply
from protocol.streams import Stream
from tests.screens.person.matches import Match, asked

SEATINGS = [
    (game, seats, seats - 1) for game, rules in GAMES.items() for seats in {rules.seats[0], rules.seats[-1]}
]


@pytest.mark.parametrize(("game", "seats", "seat"), SEATINGS)
def test_a_whole_match_by_keys(game: str, seats: int, seat: int) -> None:
    match = Match(game, seats, seat, deals=2)
    session, chance, pages = match.session, Stream("keys"), set()
    playing = KeyInput(session)
    console = Console(width=80, color_system=None)
    match.go_on()
    while session.phase is TurnPhase.ASKED:
        pages.add(playing.page)
        if playing.page is not Page.TABLE:
            assert playing.press("space") == NextDeal()
            assert session.next_deal()
        assert list(playing.keys) == list(match.state.legal(seat))
        action, key = chance.choice(list(playing.keys.items()))
        assert (playing.press(key) or playing.press("enter")) == Choose(match.asked, action)
        assert session.choose(match.asked, action) == Reply(match.asked, action)
        assert session.position is not None
        assert sum(len(console.render_lines(part)) for part in draw(session.position)) < 21
        assert playing.press("enter") is None, "an answer is given once"
        match.go_on(action)
    assert pages == {Page.TABLE, Page.DEAL_OVER}
    assert session.end is not None
    assert sum(line.startswith("deal 2") for line in session.story) == 2, "its beginning and its points"
    assert playing.press("enter") == Leave()


def test_the_cursor_goes_round_and_from_suit_to_suit() -> None:
    playing = KeyInput(asked())
    assert playing.request is not None
    legal = playing.request.legal
    for keys, at in (("right", 0), ("right", 1), ("left", 0), ("left", len(legal) - 1), ("right", 0)):
        assert playing.press(keys) is None
        assert playing.chosen == legal[at]
    suits = list(dict.fromkeys(card[0] for card in legal))
    for letter in [*suits[1:], suits[0]]:
        playing.press("down")
        assert str(playing.chosen)[0] == letter
    playing.press("up")
    assert str(playing.chosen)[0] == suits[-1]


def test_a_key_says_what_and_once_more_does_it() -> None:
    playing = KeyInput(asked())
    assert playing.press("b") is None
    assert playing.press("a") is None
    intent = playing.press("a")
    assert isinstance(intent, Choose)
    assert playing.session.choose(intent.request, intent.action)
    assert playing.keys == {}


def test_keys_that_mean_nothing_do_nothing() -> None:
    playing = KeyInput(asked())
    for key in ("enter", "z", "Z", "1", "page up", "resized", "backspace"):
        assert playing.press(key) is None
    assert playing.session.phase is TurnPhase.ASKED
    assert playing.chosen is None


def test_any_key_goes_back_but_another_size_of_the_screen_does_not() -> None:
    playing = KeyInput(asked())
    for key in ("escape", "unknown", "a", "page up"):
        playing.press("H")
        playing.press("resized")
        assert playing.page is Page.HELP
        playing.press(key)
        assert (playing.page, playing.chosen) == (Page.TABLE, None)


def test_the_end_of_a_deal_is_shown_over_any_page() -> None:
    playing = KeyInput(asked())
    playing.press("H")
    playing.session.deal_over = True
    assert playing.page is Page.DEAL_OVER
    assert playing.press("ctrl-c") == NextDeal()
    assert playing.session.next_deal()
    assert playing.page is Page.LEAVING
    playing.session.finish()
    assert playing.page is Page.TABLE


def test_a_hint_is_asked_for_by_a_key() -> None:
    assert KeyInput(asked()).press("?") == AskHint()


def test_leaving_is_asked_back_but_a_closed_terminal_is_not() -> None:
    playing = KeyInput(asked())
    assert playing.press("ctrl-c") is None
    assert playing.press("a") is None
    assert playing.page is Page.TABLE
    assert playing.chosen is None, "that key was for the question"
    playing.press("ctrl-c")
    assert playing.press("ctrl-c") == Leave()
    assert KeyInput(asked()).press("gone") == Leave()
