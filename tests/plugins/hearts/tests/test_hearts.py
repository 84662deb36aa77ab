"""The rulings of rules.md, each by its id; what a seat may know; advice and picture."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from arena_hearts import GAME
from arena_hearts.advice import advise
from arena_hearts.rules import (
    DECK,
    HeartsOptions,
    HeartsState,
    HeartsView,
    Passed,
    Received,
    breaks,
    deal_points,
    direction,
)

from arena.games.api import DealSource, Event, IllegalAction, Played, Stream, Taken, TakenTrick, Trick

ONE_SUIT_EACH = ("C2-14", "D2-14", "S2-14", "H2-14")


class Given(DealSource):
    """A deck as given, at every deal."""

    def __init__(self, deck: Sequence[str]) -> None:
        super().__init__("given")
        self.given = tuple(deck)

    def deck(self, deal_no: int, cards: Sequence[Any]) -> tuple[Any, ...]:
        assert sorted(cards) == sorted(self.given)
        return self.given


def cards(text: str) -> list[str]:
    """`C2-4 H7`: the clubs from 2 to 4, and H7."""
    found = []
    for part in text.split():
        low, _, high = part[1:].partition("-")
        found += [f"{part[0]}{value}" for value in range(int(low), int(high or low) + 1)]
    return found


def begin(hands: Sequence[str], deals: int = 1, **options: bool) -> HeartsState:
    """The first state of a match with these hands at each deal; cards are to be passed left."""
    source = Given([card for hand in hands for card in cards(hand)])
    state = GAME.start(4, HeartsOptions(**options), deals, source).state
    assert isinstance(state, HeartsState)
    return state


def hold(hands: Sequence[str], **options: bool) -> HeartsState:
    """The same where no cards are passed; the two of clubs is led."""
    state = msgspec.structs.replace(begin(hands, 4, **options), deal_no=4)._open(()).state
    assert isinstance(state, HeartsState)
    return state


def play(state: Any, actions: str) -> tuple[Any, list[Event]]:
    """The actions in turn, by whoever is the one to act."""
    events: list[Event] = []
    for action in actions.split():
        (seat,) = state.pending
        state, more = state.apply({seat: action})
        events += more
    return state, events


def passed(state: Any, *by_seat: str) -> tuple[Any, list[Event]]:
    """Three cards of each seat."""
    events: list[Event] = []
    for chosen in zip(*map(str.split, by_seat), strict=True):
        state, more = state.apply(dict(enumerate(chosen)))
        events += more
    return state, events


def random_states(options: HeartsOptions, key: str) -> list[HeartsState]:
    stream, state = Stream(key), GAME.start(4, options, 4, DealSource(key)).state
    states: list[Any] = [state]
    while state.pending:
        state = state.apply({seat: stream.choice(state.legal(seat)) for seat in state.pending}).state
        states.append(state)
    return states


def test_h1_thirteen_cards_each_and_four_deals() -> None:
    assert list(map(len, begin(ONE_SUIT_EACH).hands)) == [13] * 4
    assert GAME.deals(4) == 4


def test_h2_left_right_across_and_hold_in_turn() -> None:
    directions = [direction(deal_no) for deal_no in range(1, 6)]
    assert directions == ["left", "right", "across", "hold", "left"]


def test_h2_three_decisions_of_all_seats_at_once() -> None:
    state: Any = begin(ONE_SUIT_EACH)
    for chosen in range(3):
        assert state.pending == dict.fromkeys(range(4), "pass")
        assert [len(state.legal(seat)) for seat in range(4)] == [13 - chosen] * 4
        state, _ = state.apply({seat: state.legal(seat)[0] for seat in range(4)})
    assert list(state.pending.values()) == ["play"]
    with pytest.raises(IllegalAction):
        begin(ONE_SUIT_EACH).apply({0: "C2"})


@pytest.mark.parametrize(("deal_no", "giver"), [(1, 3), (2, 1), (3, 2)])
def test_h2_the_cards_go_where_the_deal_says(deal_no: int, giver: int) -> None:
    state = msgspec.structs.replace(begin(ONE_SUIT_EACH), deal_no=deal_no)
    state, events = passed(state, "C14 C3 C9", "D14 D3 D9", "S14 S3 S9", "H14 H3 H9")
    letter = "CDSH"[giver]
    assert Received(0, giver, (f"{letter}3", f"{letter}9", f"{letter}14")) in events
    assert {card for card in state.hands[0] if card[0] != "C"} == set(
        cards(f"{letter}3 {letter}9 {letter}14")
    )
    assert state.view(0).received == (f"{letter}3", f"{letter}9", f"{letter}14")
    assert state.view(0).passed == ("C3", "C9", "C14")


def test_h2_nobody_learns_what_another_seat_passes_before_it_is_received() -> None:
    one = two = begin(ONE_SUIT_EACH)
    for mine, these, those in [("C5", "D2 S2 H2", "D9 S9 H9"), ("C6", "D3 S3 H3", "D8 S8 H8")]:
        steps = [
            state.apply(dict(enumerate((mine, *theirs.split()))))
            for state, theirs in ((one, these), (two, those))
        ]
        one, two = (step.state for step in steps)
        assert one.view(0) == two.view(0)
        assert one.legal(0) == two.legal(0)
        assert [[event for event in step.events if event.known_to(0)] for step in steps] == [
            [Passed(0, 1, mine)]
        ] * 2


def test_h2_the_order_of_choosing_is_told_to_nobody() -> None:
    rest = ("D14 D3 D9", "S14 S3 S9", "H14 H3 H9")
    one, told = passed(begin(ONE_SUIT_EACH), "C14 C3 C9", *rest)
    two, again = passed(begin(ONE_SUIT_EACH), "C3 C9 C14", *rest)
    for seat in (1, 2, 3):
        assert one.view(seat) == two.view(seat)
        assert [e for e in told if e.known_to(seat)] == [e for e in again if e.known_to(seat)]


def test_h3_the_two_of_clubs_is_led_without_asking() -> None:
    state, events = passed(begin(ONE_SUIT_EACH), "C2 C3 C4", "D2 D3 D4", "S2 S3 S4", "H2 H3 H4")
    assert events[-1] == Played(1, "C2")
    assert (state.trick, state.pending) == (Trick(1, ("C2",)), {2: "play"})


def test_h3_in_a_deal_without_passing_it_is_led_at_once() -> None:
    state = hold(("D2-14", "C2-14", "S2-14", "H2-14"))
    assert state.trick == Trick(1, ("C2",))
    assert state.view(0).passed == state.view(0).received == ()


def test_h4_the_led_suit_is_followed_and_its_highest_card_takes() -> None:
    state = hold(("C2-5 D2-10", "C6-9 D11-14 S2-6", "C10-13 S7-14 H2", "C14 H3-14"))
    assert state.legal(1) == tuple(cards("C6-9"))
    state, events = play(state, "C6 C13 C14")
    assert events[-1] == Taken(1, 3)
    assert (state.trick.leader, list(state.pending)) == (3, [3])


def test_h5_no_penalty_card_in_the_first_trick() -> None:
    hands = ("C2-14", "D2-10 S9-12", "D11-14 S2-8 H2-3", "H4-14 S13-14")
    assert hold(hands).legal(1) == tuple(cards("D2-10 S9-11"))
    assert hold(hands, bloody=True).legal(1) == tuple(cards("D2-10 S9-12"))


def test_h5_unless_the_seat_holds_nothing_else() -> None:
    state = hold(("C2-14", "H2-13 S12", "D2-14", "S2-11 S13-14 H14"))
    assert state.legal(1) == tuple(cards("S12 H2-13"))


@pytest.mark.parametrize(
    ("breaks", "card", "broken"), [(True, "S12", True), (False, "S12", False), (False, "H3", True)]
)
def test_h6_hearts_are_not_led_before_they_are_broken(breaks: bool, card: str, broken: bool) -> None:
    hands = ("C2-12 D12-13", "C13-14 D2-11 H2", "D14 S2-12 H3", "S13-14 H4-14")
    state, _ = play(hold(hands, queen_breaks=breaks), "C13 D14 S14")
    assert state.legal(1) == tuple(cards("C14 D2-11"))
    state, _ = play(state, f"C14 {card} S13 C3")
    assert state.legal(1) == tuple(cards("D2-11 H2" if broken else "D2-11"))


def test_h6_what_breaks_hearts() -> None:
    assert breaks("H2", False)
    assert breaks("S12", True)
    assert not breaks("S12", False)
    assert not breaks("S13", True)


def test_h6_who_holds_hearts_only_leads_one() -> None:
    state = hold(("C2 D2-13", "C14 H2-13", "C3-13 S2-3", "D14 S4-14 H14"))
    state, _ = play(state, "C14 C3 D14")
    assert not state.broken
    assert state.legal(1) == tuple(cards("H2-13"))


def trick(taker: int, *played: str) -> TakenTrick:
    return TakenTrick(0, played, taker)


def test_h7_hearts_count_one_and_the_queen_thirteen() -> None:
    tricks = [trick(1, "H2", "H3", "C5", "S12"), trick(2, "H4", "D12", "S13", "S14")]
    assert deal_points(tricks) == (0, 15, 1, 0)


def test_h8_who_takes_all_points_gives_them_to_the_others() -> None:
    tricks = [trick(2, *cards("H2-14")), trick(2, "S12"), trick(0, "C2")]
    assert deal_points(tricks) == (26, 26, 0, 26)


def test_h9_the_lowest_total_is_best() -> None:
    state: Any = hold(("C2-14", "D2-14", "S2-14", "H2-14"))
    while state.pending:
        (seat,) = state.pending
        state = state.apply({seat: state.legal(seat)[0]}).state
    outcome = state.outcome()
    assert outcome.points[-1] == (0, 26, 26, 26)
    assert outcome.placings == (1, 2, 2, 2)


@pytest.mark.parametrize("options", [HeartsOptions(), HeartsOptions(queen_breaks=False, bloody=True)])
def test_an_imagined_state_keeps_what_its_seat_knows(options: HeartsOptions) -> None:
    """Cards that were passed and not played yet lie with their receiver; who showed a void, or hearts only,
    gets no other card; and all cards are somewhere."""
    stream = Stream("imagined")
    for state in random_states(options, "imagined")[::3]:
        for seat in range(4):
            view = state.view(seat)
            imagined = GAME.imagine(view, stream)
            assert isinstance(imagined, HeartsState)
            assert imagined.view(seat) == view
            played = {card for one in (*view.tricks, imagined.trick) for card in one.cards}
            assert {card for hand in imagined.hands for card in hand} | played == set(DECK)
            if not imagined.passing and view.passed:
                receiver = (seat + {"left": 1, "across": 2, "right": 3}[view.direction]) % 4
                assert {*view.passed} - played <= {*imagined.hands[receiver]}
            assert all(len(chosen) == len(view.passed) for chosen in imagined.passed)


def test_the_advice_beats_random_play() -> None:
    sums = [0, 0]
    for key in ("one", "two", "three"):
        stream, state = Stream(key), GAME.start(4, HeartsOptions(), 4, DealSource(key)).state
        while state.pending:
            actions = {}
            for seat in state.pending:
                legal = state.legal(seat)
                actions[seat] = advise(state, seat, legal) if seat % 2 else stream.choice(legal)
                assert actions[seat] in legal
            state = state.apply(actions).state
        for deal in state.tally().points:
            sums[0] += deal[0] + deal[2]
            sums[1] += deal[1] + deal[3]
    assert 2 * sums[1] < sums[0]


def test_the_picture_shows_every_state_and_no_secret() -> None:
    paint = GAME.extras.picture
    names = ("ada", "bob", "cyd", "dan")
    for state in random_states(HeartsOptions(), "picture"):
        for seat in range(4):
            view = state.view(seat)
            picture = paint(view, names)
            assert len(picture.rows) == 4
            assert all(len(row) == len(picture.headings) for row in picture.rows)
            assert set(picture.prompts) == set(GAME.decisions)
            others = [msgspec.structs.replace(paint(state.view(at), names), prompts={}) for at in range(4)]
            assert others == [msgspec.structs.replace(picture, prompts={})] * 4


def test_a_picture_of_passing_and_of_play() -> None:
    paint, names = GAME.extras.picture, ("ada", "bob", "cyd", "dan")
    state: Any = begin(ONE_SUIT_EACH)
    state = state.apply({0: "C14", 1: "D14", 2: "S14", 3: "H14"}).state
    picture = paint(state.view(0), names)
    assert (picture.progress, picture.lines) == ("passing", ("three cards go left",))
    assert picture.prompts["pass"] == "Choose card 2 of 3 to pass to bob (so far C14)."
    state, _ = passed(begin(ONE_SUIT_EACH), "C2 C3 C4", "D2 D3 D4", "S2 S3 S4", "H2 H3 H4")
    picture = paint(state.view(1), names)
    assert (picture.on_table, picture.lines) == (("trick: bob C2",), ("hearts are not broken",))


def test_the_rules_text_has_every_ruling() -> None:
    assert all(f"**H-{number}**" in GAME.extras.rules for number in range(1, 10))
    assert all(f"`{field}`" in GAME.extras.rules for field in HeartsView.__struct_fields__[7:])
