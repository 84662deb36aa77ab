"""David & Goliath by ruling id: before, actions, after."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.david_and_goliath.rules import DavidAndGoliathState, Split, high_and_low, pile_points
from arena.games.events import Scored
from arena.games.game import PLAY, Setting
from arena.games.tricks import Trick
from protocol.streams import DealSource, Stream
from tests.games.playing import REGISTERED, Packs, Variant, cards, hands, play, random_match

GAME = GAMES["david-and-goliath"]


def last_deal(held: tuple[tuple[str, ...], ...], leader: int = 0) -> DavidAndGoliathState:
    """The last deal of a match, with some tricks to go."""
    seats = len(held)
    setting = Setting(seats, 1, GAME.deck(seats), DealSource("unused"))
    return DavidAndGoliathState(setting, 1, (), held, Trick(leader, ()), (), ((),) * len(held), PLAY[leader])


def high_low(trick: str) -> tuple[int, int]:
    return high_and_low(cards(trick))


def test_the_led_colour_must_be_followed_by_whoever_holds_it() -> None:
    state = last_deal(hands("G4 R1", "G9 R3 G1", "R2 B5", "V1 V2"))
    assert state.legal(0) == ("G4", "R1")
    state, _ = play(state, "G4")
    assert state.legal(1) == ("G9", "G1")
    state, _ = play(state, "G9")
    assert state.legal(2) == ("R2", "B5")


def test_d0_six_seats_play_values_1_to_18() -> None:
    deck = GAME.deck(6)
    assert len(deck) == 90
    assert deck[:18] == tuple(f"R{value}" for value in range(1, 19))


def test_d1_the_lot_names_the_first_leader_and_the_lead_moves_clockwise() -> None:
    for lot in range(4):
        state, _ = GAME.start(4, GAME.options(), 4, Packs([GAME.deck(4)], lot))
        assert state.view(0).leader == lot
    record = random_match(Variant(GAME, 4, GAME.options()), deals=4)
    first = {state.deal_no: state.view(0).leader for state in reversed(record.states)}
    assert [first[deal_no] for deal_no in range(1, 5)] == [(first[1] + step) % 4 for step in range(4)]


def test_d2_of_equal_cards_the_last_is_high_and_the_one_before_it_low() -> None:
    assert high_low("R7 G7 B7 V7") == (3, 2)
    assert high_low("R7 G9 B9 V7") == (2, 3)
    assert high_low("R7 G7 B9 V8") == (2, 1)
    assert high_low("R7 R9 G7") == (1, 2)


def test_d3_a_high_card_of_another_colour_wins() -> None:
    state = last_deal(hands("G4 R1", "V9 V8", "G5 R2"))
    after, events = play(state, "G4 V9 G5")
    assert events[-1] == Split(1, high="V9", low="G4", high_to=0, rest_to=1)
    assert after.pending == {1: "play"}


def test_d4_fifteen_tricks_make_a_deal() -> None:
    for seats in GAME.seats:
        record = random_match(Variant(GAME, seats, GAME.options()), deals=1)
        assert len(record.states[-1].view(0).tricks) == 15
        assert GAME.deals(seats) == seats


def test_d5_equal_totals_share_the_placing() -> None:
    over, events = play(last_deal(hands("R1 R2", "B1 B2", "G9 G8")), "R1 B1 G9 G8 R2 B2")
    # Seat 1 gets G9, then G8; seat 2 the rest of both tricks.
    assert events[-1] == Scored(1, (0, 17, 6), (0, 17, 6))
    assert over.outcome().placings == (3, 1, 2)
    over, events = play(last_deal(hands("R1 R5", "B1 B5", "G1 G5")), "R1 B1 G1 G5 R5 B5")
    # Seat 1 gets G1, seat 2 the other two ones; then seat 0 gets B5, and seat 1 the other two fives.
    assert events[-1] == Scored(1, (5, 11, 2), (5, 11, 2))
    over, _ = play(last_deal(hands("R1", "B1", "G2")), "R1 B1 G2")
    assert over.outcome().placings == (3, 1, 1)


def test_example_1_two_seats_receive() -> None:
    state = last_deal(hands("G4 R1", "G9 R3", "R2 B5", "G7 V2"))
    after, events = play(state, "G4 G9 R2 G7")
    assert events[-1] == Split(1, high="G9", low="R2", high_to=2, rest_to=1)
    assert after.view(0).won == hands("", "R2 G4 G7", "G9", "")
    assert after.pending == {1: "play"}
    sentence = events[-1].sentence(lambda seat: ["Zoë", "Jazzy", "Josiah", "Issac"][seat])
    assert sentence == (
        "trick 1: Josiah wins G9 with the lowest card, R2; Jazzy wins the rest with the highest"
    )


def test_example_2_points_by_colour() -> None:
    assert pile_points(cards("R4 R10 R11 Y8 G5 G9 B2 B3 B6 B10 B12 V10 V12")) == 52
    assert pile_points(()) == 0


def test_a_void_that_was_shown_is_kept_in_what_is_imagined() -> None:
    record = random_match(Variant(GAME, 5, GAME.options()), "voids", deals=1)
    stream, checked = Stream("voids"), 0
    for state in record.states:
        view = state.view(0)
        trick_rows = [(trick.leader, trick.cards) for trick in view.tricks] + [(view.leader, view.trick)]
        void = {
            ((leader + at) % 5, row[0][0])
            for leader, row in trick_rows
            for at, card in enumerate(row)
            if card[0] != row[0][0]
        }
        imagined = GAME.imagine(view, stream)
        for seat, letter in void:
            if seat != 0:
                assert all(card[0] != letter for card in imagined.view(seat).hand)
                checked += 1
    assert checked > 50


@given(
    variant=st.sampled_from([v for v in REGISTERED if v.game is GAME]),
    key=st.text("abcdefgh", min_size=1, max_size=8),
)
def test_invariants_of_a_deal(variant: Variant, key: str) -> None:
    """All cards are won; a trick gives one card to one seat and the rest to another; nobody wins the very
    card they played as the high one."""
    record = random_match(variant, key, deals=1)
    view = record.states[-1].view(0)
    assert sorted(card for pile in view.won for card in pile) == sorted(GAME.deck(variant.seats))
    for trick in view.tricks:
        assert trick.high_to != trick.rest_to
    for trick, following in pairwise(view.tricks):
        assert following.leader == trick.rest_to
    for before, after in pairwise(record.states):
        grown = [len(b) - len(a) for a, b in zip(before.view(0).won, after.view(0).won, strict=True)]
        assert sorted(grown)[-2:] in ([0, 0], [1, variant.seats - 1])
    splits = [event for event in record.events if isinstance(event, Split)]
    for split in splits:
        assert split.high not in view.won[split.rest_to]
        assert split.high in view.won[split.high_to]
