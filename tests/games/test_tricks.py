"""Trick-taking as games share it: for hands of any size, equal when a trick begins."""

from arena.games.game import OVER
from arena.games.tricks import Trick, barred_by_following, following, hand_sizes, highest, next_to_play
from tests.games.playing import cards, hands


def test_the_left_neighbour_of_the_last_seat_is_next() -> None:
    held = hands("R1", "R2 R3", "", "R5 R6")
    assert next_to_play(Trick(3, ()), held) == {3: "play"}
    assert next_to_play(Trick(3, cards("R4")), held) == {0: "play"}
    assert next_to_play(Trick(3, cards("R4 G1")), held) == {1: "play"}
    assert next_to_play(Trick(2, ()), held) is OVER


def test_hands_have_one_card_less_once_their_seat_has_played() -> None:
    assert hand_sizes(Trick(2, ()), 1, 3, 4) == (3, 3, 3, 3)
    assert hand_sizes(Trick(2, cards("R1 R2 R3")), 1, 3, 4) == (2, 3, 2, 2)
    assert hand_sizes(Trick(2, cards("R1 R2 R3")), 0, 2, 4) == (2, 3, 2, 2)


def test_a_void_follows_from_what_was_not_followed() -> None:
    deck = cards("R1 R2 G1 G2 B1 B2")
    assert following(cards("R1 G2"), Trick(0, cards("G1"))) == cards("G2")
    assert following(cards("R1 G2"), Trick(0, cards("B1"))) == cards("R1 G2")
    assert following(cards("R1 G2"), Trick(0, ())) == cards("R1 G2")
    tricks = (Trick(1, cards("R1 R2 G1")), Trick(0, cards("B1 G2")), Trick(2, ()))
    assert barred_by_following(tricks, deck, 3) == {0: {"R1", "R2"}, 1: {"B1", "B2"}}


def test_the_highest_trump_takes_a_trick_or_else_the_highest_of_the_led_suit() -> None:
    assert highest(cards("R3 G9 R11 R7")) == 2
    assert highest(cards("R3 G1 B14 G2"), "G") == 3
    assert highest(cards("R3 B14 R2"), "G") == 0
    assert highest(cards("G3 G14 R2"), "G") == 1
