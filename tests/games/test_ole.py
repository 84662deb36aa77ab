"""Olé! by ruling id: before, actions, after."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.events import Dealt
from arena.games.game import IllegalAction
from arena.games.ole.rules import (
    Chipped,
    OleOptions,
    OlePlayed,
    OleScored,
    OleSetting,
    OleState,
    Opened,
    Topped,
    hand_points,
    loser,
    rule,
)
from protocol.cards import value
from protocol.streams import DealSource, Stream
from tests.games.playing import REGISTERED, Packs, Variant, hands, play, random_match

GAME = GAMES["ole"]


def turn(table: str, *held: str, leader: int = 0, forced_play: bool = False, **more: Any) -> OleState:
    """The last deal of a match, red on top: seat `leader` has a new turn."""
    setting = OleSetting(len(held), 1, (), DealSource("unused"), forced_play)
    chips = (0,) * len(held)
    fields: dict[str, Any] = {"phase": "turn", "chips": chips, "top": "red", "table": table, **more}
    return OleState(setting, 1, (), 0, hands(*held), leader, **fields)


def opening(*held: str, top: str = "red") -> OleState:
    """The same, the lowest card just laid by seat 0."""
    return turn({"red": "Y1", "yellow": "R1"}[top], *held, phase="opening", top=top)


def packs(lot: int, *deals: tuple[str, ...]) -> Packs:
    """Four-seat packs in which each seat of a deal gets these cards first, and what is left then."""
    deck = GAME.deck(4)
    found = []
    for held in deals:
        wanted = [card for hand in held for card in hand.split()]
        rest = [card for card in deck if card not in wanted]
        pack: list[str] = []
        for hand in held:
            cards = hand.split()
            pack += cards + [rest.pop(0) for _ in range(9 - len(cards))]
        found.append(pack)
    return Packs(found, lot)


def played_out(state: OleState, deal_no: int = 1) -> tuple[OleState, list[Any]]:
    """Chips only, after the free card of the opening, until the deal is over."""
    events: list[Any] = []
    while state.pending and state.deal_no == deal_no:
        action = "chip" if "chip" in state.legal(state.leader) else state.legal(state.leader)[0]
        state, more = play(state, action)
        events += more
    return state, events


def test_o1_the_holder_of_the_lowest_card_lays_it_and_a_free_one() -> None:
    source = packs(0, ("", "", "Y1 Y2", ""))
    state, events = GAME.start(4, OleOptions(), 4, source)
    assert events[-1] == Opened(2, "Y1")
    assert (state.pending, state.view(0).phase) == ({2: "play"}, "opening")
    after, events = play(state, "Y2")
    assert events == [OlePlayed(2, "Y2", 0)]
    assert after.pending == {3: "play"}


def test_o2a_the_second_card_never_starts_a_series() -> None:
    after, _ = play(opening("R5 R6", "R7 B8", "Y2 Y3"), "R5")
    assert (after.pending, after.view(0).phase) == ({1: "play"}, "turn")


def test_o2b_the_second_card_is_compulsory() -> None:
    state = opening("G1 R6", "R7 B8", "Y2 Y3")
    assert state.legal(0) == ("G1", "R6")
    with pytest.raises(IllegalAction):
        state.apply({0: "chip"})


def test_o3_a_series_has_at_most_three_steps_and_a_closing_card() -> None:
    state = turn("Y3", "G4 B6 R8 Y9 Y10 R7", "R1", "R2")
    after, events = play(state, "G4 B6 R8")
    assert [event.rule for event in events] == [3, 3, 3]
    assert after.legal(0) == ("Y9", "Y10", "chip")


def test_o4_rules_1_and_2_close_a_series() -> None:
    by_value, events = play(turn("Y3", "G4 Y9 R1", "R3", "R2"), "G4 Y9")
    assert ([event.rule for event in events], by_value.pending) == ([3, 2], {1: "play"})
    by_colour, events = play(turn("Y3", "G4 B2 R1", "R3", "R2"), "G4 B2")
    assert ([event.rule for event in events], by_colour.pending) == ([3, 1], {1: "play"})


def test_o5_a_chip_may_be_taken_freely_unless_play_is_forced() -> None:
    assert turn("Y3", "G4 Y2", "R1", "R2").legal(0) == ("G4", "chip")
    assert turn("Y3", "G4 Y2", "R1", "R2", forced_play=True).legal(0) == ("G4",)
    assert turn("Y3", "Y2 Y1", "R1", "R2", forced_play=True).legal(0) == ("chip",)


def test_o6_the_last_card_ends_the_deal_in_mid_series_and_without_a_chip() -> None:
    over, events = play(turn("Y3", "G4", "R1", "R2 B3"), "G4")
    assert events == [
        OlePlayed(0, "G4", 3),
        OleScored(1, (0, 1, 5), (0, 1, 5), hands("", "R1", "R2 B3"), (0, 0, 0)),
    ]
    assert over.outcome().placings == (1, 2, 3)


def test_o7_a_chip_in_a_series_counts_for_the_lap() -> None:
    state, events = play(turn("Y3", "G4 Y1", "Y2", "G1"), "G4 chip chip")
    assert events[1:] == [Chipped(0, 1), Chipped(1, 2)]
    over, events = play(state, "chip")
    assert events[0] == Chipped(2, 3)
    assert events[1].points == (1 + 5, 2 + 5, 1 + 5)
    assert not over.pending


def test_o7_a_card_begins_the_lap_anew() -> None:
    state, _ = play(turn("Y3", "Y1", "Y2", "G5 R1 R2"), "chip chip G5 chip")
    assert state.view(0).chips_in_a_row == 1
    assert state.view(0).chips == (1, 1, 1)


def test_o8_a_seat_may_top_its_own_card() -> None:
    state, _ = play(turn("Y3", "Y5 R1", "Y1", "Y2"), "Y5 chip chip")
    assert state.pending == {0: "play"}
    assert state.legal(0) == ("R1", "chip")


def test_o9_there_is_no_lack_of_chips() -> None:
    state = turn("Y3", "Y1", "Y2", "G5 R1", chips=(15, 15, 0))
    _, events = play(state, "chip chip chip")
    assert events[-1].chips == (16, 16, 1)
    assert events[-1].points == (81, 82, 11)


def test_o10_the_loser_is_worst_in_the_deal_then_in_total_then_first_from_the_left_of_the_dealer() -> None:
    assert loser((5, 9, 3, 8), (50, 9, 30, 80), dealer=0) == 1
    assert loser((5, 9, 3, 9), (50, 19, 30, 20), dealer=0) == 3
    assert loser((9, 9, 3, 9), (20, 20, 30, 20), dealer=0) == 1
    assert loser((9, 9, 3, 9), (20, 20, 30, 20), dealer=1) == 3
    assert loser((9, 9, 3, 9), (20, 20, 30, 20), dealer=3) == 0


def test_o11_the_loser_chooses_the_order_outright_in_every_deal() -> None:
    source = packs(0, ("Y1", "", "", ""), ("", "R1 Y1", "", ""), ("", "R1 Y1", "", ""))
    state, _ = GAME.start(4, OleOptions(), 3, source)
    for deal_no, top, lowest in ((1, "yellow", "R1"), (2, "yellow", "R1")):
        state, events = played_out(state, deal_no)
        scored = next(event for event in events if isinstance(event, OleScored))
        chooser = scored.points.index(max(scored.points))
        assert state.view(0).top is None
        assert state.pending == {chooser: "top"}
        assert state.legal(chooser) == ("red", "yellow")
        assert all(event.leader == chooser for event in events if isinstance(event, Dealt))
        state, events = play(state, top)
        assert events == [Topped(chooser, top), Opened(1, lowest)]
        assert state.view(0).top == top


def test_o11_the_first_deal_is_played_with_red_on_top() -> None:
    state, _ = GAME.start(3, OleOptions(), 3, DealSource("o11"))
    assert state.view(0).top == "red"
    assert state.view(0).table == "Y1"


def test_o12_the_lot_names_the_dealer_who_moves_clockwise() -> None:
    deck = GAME.deck(4)
    state, _ = GAME.start(4, OleOptions(), 3, Packs([deck, deck, deck], 2))
    dealers = [state.view(0).dealer]
    for deal_no in (1, 2):
        state, _ = played_out(state, deal_no)
        dealers.append(state.view(0).dealer)
        state, _ = play(state, "red")
    assert dealers == [2, 3, 0]


def test_o13_the_fewest_points_win_and_equal_totals_share_the_placing() -> None:
    over, _ = play(turn("Y3", "R4", "R1 Y4", "R2 Y3"), "R4")
    assert over.outcome().points == ((0, 5, 5),)
    assert over.outcome().gains == ((0, -5, -5),)
    assert over.outcome().placings == (1, 2, 2)


def test_o14_as_many_free_chips_as_seats_end_the_deal() -> None:
    over, events = play(turn("Y3", "R4 B5", "R1", "R2"), "chip chip chip")
    assert events[-1].points == (14, 6, 7)
    assert not over.pending


def test_o15_every_card_that_outranks_the_table_is_legal_and_a_chip() -> None:
    state = turn("G5", "Y5 Y6 G4 G5 G6 B1 B9 R5", "R1", "R2")
    assert state.legal(0) == ("Y6", "G6", "B1", "B9", "R5", "chip")
    reversed_order = turn("G5", "Y5 Y6 G4 G6 B1 B9 R5 R6", "R1", "R2", top="yellow")
    assert reversed_order.legal(0) == ("Y5", "Y6", "G6", "B9", "R6", "chip")


def test_o16_the_lowest_card_is_laid_by_an_event_not_by_a_decision() -> None:
    record = random_match(Variant(GAME, 4, OleOptions()), deals=4)
    for moment in record.moments:
        assert not {"Y1", "R1"} & set(moment.actions.values()) or moment.state.view(0).table is not None
    opened = [event for event in record.events if isinstance(event, Opened)]
    assert len(opened) == 4
    assert opened[0].sentence(lambda seat: "Ann") == (
        "colours rank yellow < green < blue < red: Ann must open with the lowest card, Y1"
    )


def test_o17_the_hands_left_are_shown_with_the_points() -> None:
    _, events = play(turn("Y3", "R4", "R1", "R2 B3"), "R4")
    assert events[-1].audience is None
    assert events[-1].hands == hands("", "R1", "R2 B3")
    assert hand_points(("R2", "B3"), 2) == 15


@pytest.mark.parametrize(
    ("table", "card", "number"),
    [
        ("Y7", "G4", 1),
        ("Y7", "B7", 1),
        ("Y7", "R1", 1),
        ("R5", "Y6", 2),
        ("R5", "B9", 2),
        ("R5", "R6", 2),
        ("R8", "Y8", 0),
        ("R8", "B8", 0),
    ],
)
def test_examples_1_2_and_4(table: str, card: str, number: int) -> None:
    assert rule(card, table, "red") == number
    state = turn(table, f"{card} G1", "R1", "R2")
    assert (card in state.legal(0)) == bool(number)
    if number:
        assert play(state, card)[0].pending == {1: "play"}


def test_example_3_a_series_of_four_cards() -> None:
    after, events = play(turn("Y3", "G4 B6 R8 Y9 R1", "R1", "R2"), "G4 B6 R8 Y9")
    assert [event.rule for event in events] == [3, 3, 3, 2]
    assert after.pending == {1: "play"}
    assert after.view(0).chips == (0, 0, 0)


def test_forced_play_is_read_from_text_and_told_in_the_view() -> None:
    options = msgspec.convert({"forced_play": "true"}, OleOptions, strict=False)
    assert options == OleOptions(forced_play=True)
    state, _ = GAME.start(3, options, 3, DealSource("x"))
    assert msgspec.to_builtins(state.view(0))["forced_play"] is True
    plain, _ = GAME.start(3, OleOptions(), 3, DealSource("x"))
    assert msgspec.to_builtins(plain.view(0))["forced_play"] is False
    with pytest.raises(msgspec.ValidationError, match="forced_play"):
        msgspec.convert({"forced_play": "perhaps"}, OleOptions, strict=False)


def test_a_forced_chip_is_honoured_in_what_is_imagined() -> None:
    record = random_match(Variant(GAME, 4, OleOptions(forced_play=True)), "chips", deals=1)
    stream, checked = Stream("chips"), 0
    for state in record.states:
        view = state.view(0)
        imagined = GAME.imagine(view, stream)
        table = ""
        for done in view.plays:
            if done.action != "chip":
                table = done.action
            elif done.seat != 0:
                held = imagined.view(done.seat).hand
                assert not any(rule(card, table, view.top) for card in held)
                checked += 1
    assert checked > 20


@given(
    variant=st.sampled_from([v for v in REGISTERED if v.game is GAME]),
    key=st.text("abcdefgh", min_size=1, max_size=8),
)
def test_invariants_of_a_deal(variant: Variant, key: str) -> None:
    """Values dealt = laid + left; penalty points = left + 5 × chips; fewer chips than seats between two
    cards; at most four cards a turn, two in the opening."""
    record = random_match(variant, key, deals=1)
    view = record.states[-1].view(0)
    scored = record.events[-1]
    assert isinstance(scored, OleScored)
    laid_cards = [done.action for done in view.plays if done.action != "chip"]
    left = sum(value(card) for hand in scored.hands for card in hand)
    assert sum(map(value, GAME.deck(variant.seats))) == sum(map(value, laid_cards)) + left
    assert sum(scored.points) == left + 5 * sum(scored.chips)
    assert [done.action for done in view.plays].count("chip") == sum(scored.chips)
    in_a_row, cards_of_turn = 0, []
    for event in record.events:
        if isinstance(event, Opened):
            cards_of_turn = [1]
        elif isinstance(event, Chipped):
            in_a_row += 1
            assert event.chips_in_a_row == in_a_row <= variant.seats
            cards_of_turn.append(0)
        elif isinstance(event, OlePlayed):
            assert in_a_row < variant.seats
            in_a_row = 0
            cards_of_turn[-1] += 1
            assert cards_of_turn[-1] <= (2 if event.rule == 0 else 4)
            if event.rule != 3:
                assert event.rule or cards_of_turn == [2]
                cards_of_turn.append(0)
