"""The rulings of rules.md, each by its id; what a seat may know; advice and picture."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from arena_oh_hell import GAME
from arena_oh_hell.advice import advise
from arena_oh_hell.rules import (
    DECK,
    NO_BID,
    Bid,
    OhHellOptions,
    OhHellState,
    OhHellView,
    Turned,
    deal_points,
    hand_size,
)

from arena.games.api import DealSource, Event, Stream, Taken


class Given(DealSource):
    """The first cards of each deal's deck as given, then the others. Seat 0 is drawn by lot."""

    def __init__(self, first: Sequence[str]) -> None:
        super().__init__("given")
        self.first = tuple(first)

    def deck(self, deal_no: int, cards: Sequence[Any]) -> tuple[Any, ...]:
        return (*self.first, *(card for card in cards if card not in self.first))

    def lot(self, seats: int) -> int:
        return 0


def begin(hands: Sequence[str], turned: str, hook: bool = True) -> OhHellState:
    """The deal with hands of this size; seat 0 deals, so seat 1 bids and leads first."""
    size, seats = len(hands[0].split()), len(hands)
    deal_no = next(deal_no for deal_no in range(1, 20) if hand_size(deal_no, seats) == size)
    first: Any = GAME.start(seats, OhHellOptions(hook), deal_no, Given(())).state
    named = {turned, *" ".join(hands).split()}
    state = msgspec.structs.replace(
        first,
        deal_no=deal_no,
        points=((0,) * seats,) * (deal_no - 1),
        hands=tuple(tuple(sorted(hand.split(), key=DECK.index)) for hand in hands),
        turned=turned,
        stock=tuple(card for card in DECK if card not in named),
    )
    assert isinstance(state, OhHellState)
    return state


def play(state: Any, actions: str) -> tuple[Any, list[Event]]:
    """The actions in turn, by whoever is the one to act."""
    events: list[Event] = []
    for action in actions.split():
        (seat,) = state.pending
        state, more = state.apply({seat: action})
        events += more
    return state, events


def random_states(seats: int, key: str, hook: bool = True, deals: int | None = None) -> list[OhHellState]:
    stream = Stream(key)
    state: Any = GAME.start(seats, OhHellOptions(hook), deals or GAME.deals(seats), DealSource(key)).state
    states = [state]
    while state.pending:
        state = state.apply({seat: stream.choice(state.legal(seat)) for seat in state.pending}).state
        states.append(state)
    return states


@pytest.mark.parametrize(("seats", "largest"), [(3, 10), (4, 10), (5, 10), (6, 8), (7, 7)])
def test_o1_hands_shrink_to_one_card_and_grow_again(seats: int, largest: int) -> None:
    deals = GAME.deals(seats)
    sizes = [hand_size(deal_no, seats) for deal_no in range(1, deals + 1)]
    assert sizes == [*range(largest, 0, -1), *range(2, largest + 1)]
    assert hand_size(deals + 1, seats) == largest - 1
    dealt = {state.deal_no: state for state in reversed(random_states(seats, "sizes"))}
    assert [len(dealt[deal_no].hands[0]) for deal_no in range(1, deals + 1)] == sizes


def test_o2_the_next_card_is_turned_up_and_the_others_stay_face_down() -> None:
    source = Given([f"{letter}{value}" for letter in "DCSH" for value in range(2, 15)])
    state, events = GAME.start(5, OhHellOptions(), 1, source)
    assert isinstance(state, OhHellState)
    assert events[-1] == Turned("H13")
    assert (state.turned, state.stock) == ("H13", ("H14",))
    for seat in range(5):
        assert b"H14" not in msgspec.json.encode(state.view(seat))


def test_o3_the_left_neighbour_of_the_dealer_bids_first() -> None:
    state = begin(("C2 C3", "D2 D3", "S2 S3"), "H2")
    assert state.pending == {1: "bid"}
    state, events = play(state, "0 1 2")
    assert events == [Bid(1, 0), Bid(2, 1), Bid(0, 2)]
    assert state.bids == (2, 0, 1)
    assert state.pending == {1: "play"}


def test_o3_the_deal_moves_to_the_left() -> None:
    dealers = {state.deal_no: state.dealer for state in random_states(3, "dealers")}
    first = dealers[1]
    assert list(dealers.values()) == [(first + at) % 3 for at in range(len(dealers))]


@pytest.mark.parametrize(
    ("bids", "hook", "legal"),
    [
        ("1 0", True, ("0", "2")),
        ("0 0", True, ("0", "1")),
        ("2 1", True, ("0", "1", "2")),
        ("1 0", False, ("0", "1", "2")),
    ],
)
def test_o4_the_dealer_may_not_make_the_bids_even(bids: str, hook: bool, legal: tuple[str, ...]) -> None:
    state = begin(("C2 C3", "D2 D3", "S2 S3"), "H2", hook)
    assert state.legal(1) == ("0", "1", "2")
    state, _ = play(state, bids)
    assert state.legal(0) == legal


def test_o5_the_led_suit_is_followed_and_the_taker_leads() -> None:
    state, _ = play(begin(("D4 C3", "D2 C5", "S2 D14"), "H2"), "0 0 0")
    assert state.legal(1) == ("C5", "D2")
    state, _ = play(state, "D2")
    assert state.legal(2) == ("D14",)
    state, events = play(state, "D14 D4")
    assert events[-1] == Taken(1, 2)
    assert state.pending == {2: "play"}


def test_o6_the_highest_trump_takes() -> None:
    state, _ = play(begin(("S2 C3", "D14 C5", "S3 D3"), "S14"), "0 0 0")
    _, events = play(state, "C5 S3 C3")
    assert events[-1] == Taken(1, 2)


def test_o7_a_point_for_each_trick_and_ten_for_exactly_the_bid() -> None:
    assert deal_points((2, 0, 1, 3), (2, 0, 3, 0)) == (12, 10, 3, 0)


def test_o8_the_highest_total_is_best() -> None:
    outcome = random_states(4, "end")[-1].outcome()
    assert outcome is not None
    sums = [sum(column) for column in zip(*outcome.points, strict=True)]
    assert outcome.gains == outcome.points
    assert outcome.placings == tuple(1 + sum(other > mine for other in sums) for mine in sums)


@pytest.mark.parametrize("seats", [3, 5, 7])
def test_an_imagined_state_has_hands_and_stock_of_the_right_sizes(seats: int) -> None:
    stream = Stream("imagined")
    for state in random_states(seats, "imagined", deals=3)[::3]:
        for seat in range(seats):
            view = state.view(seat)
            imagined = GAME.imagine(view, stream)
            assert isinstance(imagined, OhHellState)
            assert imagined.view(seat) == view
            assert imagined.pending == state.pending
            assert list(map(len, imagined.hands)) == list(map(len, state.hands))
            lying = [state.turned, *imagined.stock, *imagined.trick.cards]
            lying += [card for trick in imagined.tricks for card in trick.cards]
            lying += [card for hand in imagined.hands for card in hand]
            assert sorted(lying) == sorted(DECK)


def test_the_stock_changes_nothing_that_a_seat_is_told() -> None:
    state = begin(("C2 C3", "D2 D3", "S2 S3"), "H2")
    other = msgspec.structs.replace(state, stock=state.stock[::-1])
    one, two = (play(each, "0 0 0 D2 S2 C2")[0] for each in (state, other))
    assert [one.view(seat) for seat in range(3)] == [two.view(seat) for seat in range(3)]


def test_the_advice_beats_random_play() -> None:
    sums = [0, 0]
    for key in ("one", "two"):
        stream, state = Stream(key), GAME.start(4, OhHellOptions(), 19, DealSource(key)).state
        while state.pending:
            ((seat, _),) = state.pending.items()
            legal = state.legal(seat)
            action = advise(state, seat, legal) if seat % 2 else stream.choice(legal)
            assert action in legal
            state = state.apply({seat: action}).state
        for deal in state.tally().points:
            sums[0] += deal[0] + deal[2]
            sums[1] += deal[1] + deal[3]
    assert sums[1] > 1.5 * sums[0]


def test_the_picture_shows_every_state() -> None:
    paint = GAME.extras.picture
    for seats in GAME.seats:
        for state in random_states(seats, "picture", deals=2):
            picture = paint(state.view(0), tuple("abcdefg"[:seats]))
            assert len(picture.rows) == seats
            assert all(len(row) == len(picture.headings) for row in picture.rows)
            assert set(picture.prompts) == set(GAME.decisions)


def test_a_picture_of_bids_and_of_play() -> None:
    paint, names = GAME.extras.picture, ("ada", "bob", "cyd")
    state, _ = play(begin(("D4 C3", "D2 C5", "S2 D14"), "H2"), "1")
    picture = paint(state.view(2), names)
    assert picture.progress == "bids for 2 tricks"
    assert picture.rows == [["2", "–", "0"], ["2", "1", "0"], ["2", "–", "0"]]
    assert picture.lines == ("turned up: H2, hearts are trump; ada deals",)
    assert picture.on_table == ()
    state, _ = play(state, "0 0 D2 D14 D4 S2")
    assert paint(state.view(0), names).on_table == (
        "trick: cyd S2",
        "before: bob D2 · cyd D14 · ada D4 → cyd",
    )


def test_the_rules_text_has_every_ruling() -> None:
    assert all(f"**O-{number}**" in GAME.extras.rules for number in range(1, 9))
    assert all(f"`{field}`" in GAME.extras.rules for field in OhHellView.__struct_fields__[7:])
    assert NO_BID == -1
