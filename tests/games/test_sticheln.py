"""Sticheln, both editions, by ruling id: before, actions, after."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.events import Played, Scored
from arena.games.game import PLAY, IllegalAction
from arena.games.sticheln.rules import (
    AMIGO,
    NSV,
    Edition,
    Pains,
    StichelnSetting,
    StichelnState,
    Taken,
    TargetOptions,
    deal_points,
    taking,
)
from arena.games.tricks import TakenTrick, Trick
from protocol.streams import DealSource
from tests.games.playing import REGISTERED, Packs, Variant, cards, hands, play, random_match

STICHELN, STICHELN_1993 = GAMES["sticheln"], GAMES["sticheln-1993"]


def nsv_takes(trick: str) -> str | None:
    at = taking(cards(trick), led_zero_takes=False)
    return None if at is None else cards(trick)[at]


def amigo_takes(trick: str) -> str | None:
    at = taking(cards(trick), led_zero_takes=True)
    return None if at is None else cards(trick)[at]


def worth(pain: str, collected: str) -> int:
    """Points of a seat with this pain card that collected these cards."""
    return deal_points((pain,), (TakenTrick(0, cards(collected), 0),))[0]


def last_deal(
    held: tuple[tuple[str, ...], ...], pain: str, leader: int = 0, edition: Edition = NSV
) -> StichelnState:
    """The last deal of a match, all pain cards shown, with some tricks to go."""
    seats = len(held)
    setting = StichelnSetting(seats, 1, (), DealSource("unused"), edition, 0)
    return StichelnState(setting, 1, (), held, cards(pain), Trick(leader, ()), (), PLAY[leader])


# ------------------------------------------------------------------------------------------ NSV


def test_s1_the_first_leader_is_drawn_by_lot() -> None:
    for lot in range(4):
        state, _ = STICHELN.start(4, STICHELN.options(), 4, Packs([STICHELN.deck(4)], lot))
        assert state.view(0).leader == lot


def test_s2_a_led_zero_sets_the_lead_colour() -> None:
    assert nsv_takes("Y0 Y11 G3 Y9") == "G3"
    assert nsv_takes("B0 B5 B9 B7") == "B9"


def test_s3_zeros_of_another_colour_are_ignored() -> None:
    assert nsv_takes("B3 B10 Y0 R0") == "B10"


def test_s4_the_leader_takes_with_the_only_card_that_is_no_zero() -> None:
    assert nsv_takes("R1 Y0 G0 B0") == "R1"


def test_s5_a_last_trick_of_zeros_is_void_and_ends_the_deal() -> None:
    state = last_deal(hands("R5 R0", "R1 Y0", "R2 G0"), "B1 B2 B3")
    over, events = play(state, "R5 R1 R2 R0 Y0 G0")
    assert events[-2:] == [Taken(2, None), Scored(1, (2, -2, -3), (2, -2, -3))]
    assert not over.pending
    assert "nobody" in events[-2].sentence(str)


def test_s6_pain_cards_are_chosen_by_all_and_shown_together() -> None:
    state, _ = STICHELN.start(3, STICHELN.options(), 1, DealSource("s6"))
    assert state.pending == {0: "pain", 1: "pain", 2: "pain"}
    with pytest.raises(IllegalAction):
        state.apply({0: state.legal(0)[0]})
    chosen = {seat: state.legal(seat)[seat] for seat in range(3)}
    shown, events = state.apply(chosen)
    assert events == (Pains(tuple(chosen.values())),)
    assert events[0].audience is None
    assert shown.view(0).pain == tuple(chosen.values())


def test_s7_equal_totals_share_the_placing() -> None:
    state = last_deal(hands("R5", "R1", "R2"), "B1 B2 B2")
    over, _ = play(state, "R5 R1 R2")
    assert over.outcome().placings == (1, 2, 2)


def test_s8_a_collected_zero_of_the_pain_colour_counts_nothing() -> None:
    assert worth("Y2", "Y0 R5 R6") == worth("Y2", "R5 R6") == 0


def test_s9_several_seats_may_choose_one_pain_colour() -> None:
    deck = STICHELN.deck(3)
    state, _ = STICHELN.start(3, STICHELN.options(), 1, Packs([[*deck[::3], *deck[1::3], *deck[2::3]]], 0))
    shown, _ = state.apply({0: "R0", 1: "R1", 2: "R2"})
    assert shown.view(0).pain == ("R0", "R1", "R2")


def test_s10_the_lead_of_a_deal_moves_clockwise_whoever_took_the_last_trick() -> None:
    record = random_match(Variant(STICHELN, 5, STICHELN.options()), deals=5)
    first = {state.deal_no: state.view(0).leader for state in reversed(record.states)}
    lot = first[1]
    assert [first[deal_no] for deal_no in range(1, 6)] == [(lot + step) % 5 for step in range(5)]


def test_s11_the_pain_card_leaves_the_hand_and_counts_its_value() -> None:
    state, _ = STICHELN.start(3, STICHELN.options(), 1, DealSource("s11"))
    chosen = {seat: state.legal(seat)[7] for seat in range(3)}
    shown, _ = state.apply(chosen)
    for seat in range(3):
        assert len(shown.view(seat).hand) == 14
        assert chosen[seat] not in shown.view(seat).hand
    assert deal_points(("R7", "Y0"), ()) == (-7, 0)


def test_examples_1_to_3_consecutive_tricks_the_taker_leads_the_next() -> None:
    held = hands("B3 B4 R5", "B10 Y9 Y5", "Y0 G5 G8", "B7 R6 G11")
    _, events = play(last_deal(held, "P1 P2 P3 P4"), "B3 B10 Y0 B7 Y9 G5 R6 B4 G11 R5 Y5 G8")
    assert [event for event in events if isinstance(event, Taken)] == [Taken(1, 1), Taken(2, 3), Taken(3, 0)]
    assert [e.card for e in events if isinstance(e, Played)][4] == "Y9"


def test_example_4() -> None:
    assert worth("Y2", "Y5 Y4 R1 R2 G3 B4 P5 P6") == -5


def test_example_5() -> None:
    assert worth("R0", "R2 R4 R1 Y1 Y2 Y3 G1 G2 G3 B1 B2 B3") == 2


def test_example_6_nobody_takes_zeros_and_the_leader_leads_again() -> None:
    state = last_deal(hands("R0 R1", "Y0 Y1", "G0 G1", "B0 B1"), "P1 P2 P3 P4", leader=2)
    after, events = play(state, "G0 B0 R0 Y0")
    assert events[-1] == Taken(1, None)
    assert after.pending == {2: "play"}
    assert after.view(0).tricks == (TakenTrick(2, cards("G0 B0 R0 Y0"), None),)


# ----------------------------------------------------------------------------------------- 1993


def test_1993_has_orange_and_six_seats_add_purple() -> None:
    assert list(STICHELN_1993.suits(5)) == list("ROYGB")
    assert list(STICHELN_1993.suits(6)) == list("ROYGBP")


def test_t1_every_card_is_legal_a_zero_of_another_colour_too() -> None:
    state = last_deal(hands("R5 R6", "R7 B0 G3", "Y1 Y2"), "B1 B2 B3", edition=AMIGO)
    after, _ = play(state, "R5")
    assert after.legal(1) == ("R7", "B0", "G3")


def test_t2_the_leader_takes_a_trick_of_zeros() -> None:
    assert amigo_takes("R0 Y0 G0 B0") == "R0"
    state = last_deal(hands("R0", "Y0", "G0"), "B1 B2 B3", leader=1, edition=AMIGO)
    _, events = play(state, "Y0 G0 R0")
    assert events[-2:] == [Taken(1, 1), Scored(1, (-1, 1, -3), (-1, 1, -3))]


def test_t3_t4_the_lot_names_the_dealer_and_the_left_neighbour_leads() -> None:
    for lot in range(4):
        state, _ = STICHELN_1993.start(4, TargetOptions(), 4, Packs([STICHELN_1993.deck(4)], lot))
        assert state.view(0).leader == (lot + 1) % 4


def test_t4_the_deal_passes_clockwise() -> None:
    record = random_match(Variant(STICHELN_1993, 4, TargetOptions()), deals=4)
    first = {state.deal_no: state.view(0).leader for state in reversed(record.states)}
    assert [first[deal_no] for deal_no in range(1, 5)] == [(first[1] + step) % 4 for step in range(4)]


def test_t5_a_collected_zero_of_the_misery_colour_counts_nothing() -> None:
    assert worth("R4", "R0 Y1") == -3


def target_match(target: int, deals: int, totals: tuple[int, ...]) -> StichelnState:
    """One trick before the end of deal 2, the totals being those of deal 1. Pain cards are zeros."""
    game = STICHELN_1993
    setting = StichelnSetting(3, deals, game.deck(3), DealSource("t"), AMIGO, target)
    held = hands("R5", "R1", "R2")
    return StichelnState(setting, 2, (totals,), held, cards("Y0 G0 B0"), Trick(0, ()), (), PLAY[0])


def test_t6_the_target_is_looked_at_after_a_complete_deal() -> None:
    state = target_match(100, 30, (97, 0, 0))
    state, _ = play(state, "R5 R1")
    assert state.pending
    over, events = play(state, "R2")
    assert events[-1] == Scored(2, (3, 0, 0), (100, 0, 0))
    assert not over.pending
    assert over.view(0).deals == 30
    on, _ = play(target_match(101, 30, (97, 0, 0)), "R5 R1 R2")
    assert (on.deal_no, on.pending) == (3, {0: "pain", 1: "pain", 2: "pain"})


def test_t7_the_highest_total_is_best_not_the_first_at_the_target() -> None:
    over, _ = play(target_match(100, 30, (97, 104, 0)), "R5 R1 R2")
    assert over.outcome().placings == (2, 1, 3)


def test_t8_equal_totals_share_the_placing() -> None:
    over, _ = play(target_match(100, 30, (97, 100, 0)), "R5 R1 R2")
    assert over.outcome().placings == (1, 1, 3)


def test_t9_a_target_that_is_not_reached_ends_after_ten_deals_a_seat() -> None:
    for seats in STICHELN_1993.seats:
        assert STICHELN_1993.deals(seats) == seats
        assert STICHELN_1993.deals(seats, TargetOptions()) == seats
        assert STICHELN_1993.deals(seats, TargetOptions(target=100)) == 10 * seats
    variant = Variant(STICHELN_1993, 3, TargetOptions(target=10_000))
    record = random_match(variant, deals=STICHELN_1993.deals(3, variant.options))
    assert record.states[-1].deal_no == 30


def test_t10_violet_is_purple() -> None:
    assert STICHELN_1993.suits(6)["P"] == "purple"
    assert len(STICHELN_1993.suits(6)) == 6


def test_a_target_is_read_from_text_and_told_in_the_view() -> None:
    options = msgspec.convert({"target": "100"}, TargetOptions, strict=False)
    assert options == TargetOptions(target=100)
    assert options.open_ended
    assert not TargetOptions().open_ended
    state, _ = STICHELN_1993.start(3, options, 30, DealSource("x"))
    assert msgspec.to_builtins(state.view(0))["target"] == 100
    plain, _ = STICHELN_1993.start(3, TargetOptions(), 3, DealSource("x"))
    assert msgspec.to_builtins(plain.view(0))["target"] == 0
    other, _ = STICHELN.start(3, STICHELN.options(), 3, DealSource("x"))
    assert "target" not in msgspec.to_builtins(other.view(0))


@pytest.mark.parametrize("target", ["-1", "many", "1.5"])
def test_a_bad_target_is_named_in_the_error(target: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="target"):
        msgspec.convert({"target": target}, TargetOptions, strict=False)


@pytest.mark.parametrize(
    ("pain", "collected", "points"),
    [
        ("R4", "R2 R5" + " Y1" * 14, 3),
        ("B1", "", -1),
        ("R0", "R1 R3 R14 Y1 Y2 Y3 Y4 Y5", -13),
        ("G4", "Y1 Y2 Y3 Y4", 0),
    ],
)
def test_1993_examples_1_to_4(pain: str, collected: str, points: int) -> None:
    assert worth(pain, collected) == points


@pytest.mark.parametrize(
    ("trick", "takes"),
    [
        ("Y6 Y5 Y2 Y14", "Y14"),
        ("R3 R2 B0 R4", "R4"),
        ("B14 P6 G6 G4", "P6"),
        ("G3 G0 G2 O0", "G3"),
    ],
)
def test_1993_examples_5_to_8(trick: str, takes: str) -> None:
    assert amigo_takes(trick) == takes


def test_1993_examples_6_and_8_in_points() -> None:
    # The pain card R0 or G0 leaves the worth of the trick alone.
    assert worth("R0", "R3 R2 B0 R4") == -8
    assert worth("G0", "G3 G0 G2 O0") == -4


# ----------------------------------------------------------------------------------- invariants

matches = given(
    variant=st.sampled_from([v for v in REGISTERED if v.game.id.startswith("sticheln")]),
    key=st.text("abcdefgh", min_size=1, max_size=8),
)


@matches
def test_invariants_of_a_deal(variant: Variant, key: str) -> None:
    """Every card is chosen or played once; collected + void + pain cards = all; 14 tricks; the taker leads
    the next, the same leader after a void one."""
    record = random_match(variant, key, deals=1)
    view = record.states[-1].view(0)
    seats, tricks = variant.seats, view.tricks
    lying = [*view.pain, *(card for trick in tricks for card in trick.cards)]
    assert sorted(lying) == sorted(variant.game.deck(seats))
    assert len(tricks) == 14
    void = sum(trick.taker is None for trick in tricks)
    collected = sum(len(trick.cards) for trick in tricks if trick.taker is not None)
    assert collected + seats * void + seats == 15 * seats
    for trick, following in pairwise(tricks):
        assert following.leader == (trick.leader if trick.taker is None else trick.taker)
    if variant.game is STICHELN_1993:
        assert not void
