"""A person's turns without a screen: every game is played by keys, at the last seat of few and of many."""

import json

import pytest
from rich.console import Console

from arena.games import GAMES
from arena.games.game import State
from arena.log.hello import hello
from arena.person.session import Mood, Page, Sitting, Wish
from arena.terminal.drawing import draw
from protocol.codec import decode_from_referee, encode, raw
from protocol.messages import End, FromReferee, Limits, Reply, Request
from protocol.streams import DealSource, Stream
from tests.show.logs import NAMES

SEATINGS = [
    (game, seats, seats - 1) for game, rules in GAMES.items() for seats in {rules.seats[0], rules.seats[-1]}
]


class Match:
    """The referee's part: what a Sitting at one seat is told, when all others play at random."""

    def __init__(self, game: str, seats: int, seat: int, deals: int) -> None:
        self.seat = seat
        self.sitting = Sitting(NAMES[:seats])
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
        self.sitting.hear(decode_from_referee(encode(message)))

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
    sitting, chance, pages = match.sitting, Stream("keys"), set()
    console = Console(width=80, color_system=None)
    match.go_on()
    while sitting.mood is Mood.ASKED:
        pages.add(sitting.page)
        if sitting.page is not Page.TABLE:
            sitting.press("space")
        assert list(sitting.keys) == list(match.state.legal(seat))
        action, key = chance.choice(list(sitting.keys.items()))
        reply = sitting.press(key) or sitting.press("enter")
        assert reply == Reply(match.asked, action)
        assert sitting.position is not None
        assert sum(len(console.render_lines(part)) for part in draw(sitting.position)) < 21
        assert sitting.press("enter") is None, "an answer is given once"
        match.go_on(action)
    assert pages == {Page.TABLE, Page.DEAL_OVER}
    assert sitting.end is not None
    assert sum(line.startswith("deal 2") for line in sitting.story) == 2, "its beginning and its points"
    assert sitting.press("enter") is Wish.LEAVE


def asked(game: str = "sticheln") -> Sitting:
    match = Match(game, 3, 0, deals=1)
    match.go_on()
    return match.sitting


def test_the_cursor_goes_round_and_from_suit_to_suit() -> None:
    sitting = asked()
    assert sitting.request is not None
    legal = sitting.request.legal
    for keys, at in (("right", 0), ("right", 1), ("left", 0), ("left", len(legal) - 1), ("right", 0)):
        assert sitting.press(keys) is None
        assert sitting.chosen == legal[at]
    suits = list(dict.fromkeys(card[0] for card in legal))
    for letter in [*suits[1:], suits[0]]:
        sitting.press("down")
        assert str(sitting.chosen)[0] == letter
    sitting.press("up")
    assert str(sitting.chosen)[0] == suits[-1]


def test_a_key_says_what_and_once_more_does_it() -> None:
    sitting = asked()
    assert sitting.press("b") is None
    assert sitting.press("a") is None
    assert isinstance(sitting.press("a"), Reply)
    assert sitting.keys == {}


def test_an_action_is_chosen_without_a_key() -> None:
    sitting = asked()
    assert sitting.request is not None
    number, first = sitting.request.id, sitting.request.legal[0]
    assert sitting.choose(number + 1, first) is None
    assert sitting.choose(number, "Z99") is None
    assert sitting.mood is Mood.ASKED
    assert sitting.choose(number, first) == Reply(number, first)
    assert sitting.choose(number, first) is None, "an answer is given once"


def test_keys_that_mean_nothing_do_nothing() -> None:
    sitting = asked()
    for key in ("enter", "z", "Z", "1", "page up", "resized", "backspace"):
        assert sitting.press(key) is None
    assert sitting.mood is Mood.ASKED
    assert sitting.chosen is None


def test_any_key_goes_back_but_another_size_of_the_screen_does_not() -> None:
    sitting = asked()
    for key in ("escape", "unknown", "a", "page up"):
        sitting.press("H")
        sitting.press("resized")
        assert sitting.page is Page.HELP
        sitting.press(key)
        assert (sitting.page, sitting.chosen) == (Page.TABLE, None)


def test_a_hint_is_asked_for_once() -> None:
    sitting = asked()
    assert sitting.press("?") is Wish.HINT
    assert sitting.press("?") is None


def test_leaving_is_asked_back_but_a_closed_terminal_is_not() -> None:
    sitting = asked()
    assert sitting.press("ctrl-c") is None
    assert sitting.press("a") is None
    assert sitting.page is Page.TABLE
    assert sitting.chosen is None, "that key was for the question"
    sitting.press("ctrl-c")
    assert sitting.press("ctrl-c") is Wish.LEAVE
    assert asked().press("gone") is Wish.LEAVE


def test_what_is_seen_can_be_told_by_another_screen() -> None:
    """All that a screen needs are plain values."""
    sitting = asked("ole")
    assert json.dumps([sitting.told, dict(sitting.keys), sitting.prompt, list(sitting.legend), sitting.names])
