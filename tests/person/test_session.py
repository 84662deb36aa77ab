"""A person's turns without a screen: every game is played by keys, at the last seat of few and of many."""

import json

import pytest
from rich.console import Console

from arena.games import GAMES
from arena.games.game import State
from arena.log.hello import hello
from arena.person.session import Intent, Page, PersonSession, TurnPhase
from arena.terminal.drawing import draw
from protocol.codec import decode_from_referee, encode, raw
from protocol.messages import End, FromReferee, Limits, Reply, Request
from protocol.streams import DealSource, Stream
from tests.show.logs import NAMES

SEATINGS = [
    (game, seats, seats - 1) for game, rules in GAMES.items() for seats in {rules.seats[0], rules.seats[-1]}
]


class Match:
    """The referee's part: what a PersonSession at one seat is told, when all others play at random."""

    def __init__(self, game: str, seats: int, seat: int, deals: int) -> None:
        self.seat = seat
        self.session = PersonSession(NAMES[:seats])
        rules, self.chance = GAMES[game], Stream("others")
        options = rules.options()
        step = rules.start(seats, options, deals, DealSource("sitting"))
        self.state: State = step.state
        self.untold = [event for event in step.events if event.audience in (None, seat)]
        self.asked = 0
        words = {"seats": seats, "seat": seat, "deals": deals, "entrant": NAMES[seat]}
        self.tell(hello(rules, {}, limits=Limits(), match_key="key", **words))

    def tell(self, message: FromReferee) -> None:
        """By the wire: what comes out at its other end is what is heard."""
        self.session.receive(decode_from_referee(encode(message)))

    def go_on(self, own: str | None = None) -> None:
        """With the person's action, if it was asked for one, until the next request or the end."""
        while self.state.pending:
            if self.seat in self.state.pending and own is None:
                self.asked += 1
                kind, legal = self.state.pending[self.seat], self.state.legal(self.seat)
                events = [raw(event) for event in self.untold]
                self.untold = []
                self.tell(Request(self.asked, kind, legal, events, self.state.view(self.seat), 1000))
                return
            actions = {seat: self.chance.choice(self.state.legal(seat)) for seat in self.state.pending}
            if own is not None:
                actions[self.seat], own = own, None
            self.state, events_now = self.state.apply(actions)
            self.untold += [event for event in events_now if event.audience in (None, self.seat)]
        points = tuple(map(sum, zip(*self.state.tally().points, strict=True)))
        events = [raw(event) for event in self.untold]
        self.tell(End(events, points, self.state.tally().placings, "finished"))


@pytest.mark.parametrize(("game", "seats", "seat"), SEATINGS)
def test_a_whole_match_by_keys(game: str, seats: int, seat: int) -> None:
    match = Match(game, seats, seat, deals=2)
    session, chance, pages = match.session, Stream("keys"), set()
    console = Console(width=80, color_system=None)
    match.go_on()
    while session.phase is TurnPhase.ASKED:
        pages.add(session.page)
        if session.page is not Page.TABLE:
            session.press("space")
        assert list(session.keys) == list(match.state.legal(seat))
        action, key = chance.choice(list(session.keys.items()))
        reply = session.press(key) or session.press("enter")
        assert reply == Reply(match.asked, action)
        assert session.position is not None
        assert sum(len(console.render_lines(part)) for part in draw(session.position)) < 21
        assert session.press("enter") is None, "an answer is given once"
        match.go_on(action)
    assert pages == {Page.TABLE, Page.DEAL_OVER}
    assert session.end is not None
    assert sum(line.startswith("deal 2") for line in session.story) == 2, "its beginning and its points"
    assert session.press("enter") is Intent.LEAVE


def asked(game: str = "sticheln") -> PersonSession:
    match = Match(game, 3, 0, deals=1)
    match.go_on()
    return match.session


def test_the_cursor_goes_round_and_from_suit_to_suit() -> None:
    session = asked()
    assert session.request is not None
    legal = session.request.legal
    for keys, at in (("right", 0), ("right", 1), ("left", 0), ("left", len(legal) - 1), ("right", 0)):
        assert session.press(keys) is None
        assert session.chosen == legal[at]
    suits = list(dict.fromkeys(card[0] for card in legal))
    for letter in [*suits[1:], suits[0]]:
        session.press("down")
        assert str(session.chosen)[0] == letter
    session.press("up")
    assert str(session.chosen)[0] == suits[-1]


def test_a_key_says_what_and_once_more_does_it() -> None:
    session = asked()
    assert session.press("b") is None
    assert session.press("a") is None
    assert isinstance(session.press("a"), Reply)
    assert session.keys == {}


def test_an_action_is_chosen_without_a_key() -> None:
    session = asked()
    assert session.request is not None
    number, first = session.request.id, session.request.legal[0]
    assert session.choose(number + 1, first) is None
    assert session.choose(number, "Z99") is None
    assert session.phase is TurnPhase.ASKED
    assert session.choose(number, first) == Reply(number, first)
    assert session.choose(number, first) is None, "an answer is given once"


def test_keys_that_mean_nothing_do_nothing() -> None:
    session = asked()
    for key in ("enter", "z", "Z", "1", "page up", "resized", "backspace"):
        assert session.press(key) is None
    assert session.phase is TurnPhase.ASKED
    assert session.chosen is None


def test_any_key_goes_back_but_another_size_of_the_screen_does_not() -> None:
    session = asked()
    for key in ("escape", "unknown", "a", "page up"):
        session.press("H")
        session.press("resized")
        assert session.page is Page.HELP
        session.press(key)
        assert (session.page, session.chosen) == (Page.TABLE, None)


def test_a_hint_is_asked_for_once() -> None:
    session = asked()
    assert session.press("?") is Intent.HINT
    assert session.press("?") is None


def test_leaving_is_asked_back_but_a_closed_terminal_is_not() -> None:
    session = asked()
    assert session.press("ctrl-c") is None
    assert session.press("a") is None
    assert session.page is Page.TABLE
    assert session.chosen is None, "that key was for the question"
    session.press("ctrl-c")
    assert session.press("ctrl-c") is Intent.LEAVE
    assert asked().press("gone") is Intent.LEAVE


def test_what_is_seen_can_be_told_by_another_screen() -> None:
    """All that a screen needs are plain values."""
    session = asked("ole")
    assert json.dumps(
        [session.story_so_far, dict(session.keys), session.prompt, list(session.legend), session.names]
    )
