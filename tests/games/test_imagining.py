"""Deals that a view allows: always one that fits, and none more often than another."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.imagining import all_barred, booked, held_by, imagined_hands, imagined_with_stock
from protocol.cards import Hands, deck, suit
from protocol.outcome import totals
from protocol.streams import Stream
from tests.games.playing import Variant, random_match

DECK = deck({"R": range(3), "Y": range(3), "G": range(3)})
OWN = ("R0", "Y0", "G0")


def imagined(barred: dict[int, set[str]], stream: Stream) -> Hands:
    return imagined_hands(0, OWN, (3, 3, 3), DECK, [], barred, stream)


def allowed(barred: dict[int, set[str]]) -> set[Hands]:
    """Every deal of the other six cards to seats 1 and 2, three each, that bars nobody."""
    hidden = [card for card in DECK if card not in OWN]
    deals = set()
    for order in permutations(hidden):
        one, two = order[:3], order[3:]
        fits = not set(one) & barred.get(1, set()) and not set(two) & barred.get(2, set())
        if fits and list(one) == sorted(one, key=DECK.index) and list(two) == sorted(two, key=DECK.index):
            deals.add((OWN, one, two))
    return deals


@pytest.mark.parametrize(
    "barred",
    [
        {},
        {1: {"R1"}},
        {1: {"R1", "R2"}, 2: {"Y1"}},
        {1: {"R1", "Y1", "G1"}},
        {1: {"R1", "R2"}, 2: {"Y1", "Y2"}},
    ],
    ids=["nothing", "a card", "two seats", "a value", "two suits"],
)
def test_every_deal_that_fits_is_equally_likely(barred: dict[int, set[str]]) -> None:
    deals, n = allowed(barred), 3_000
    stream = Stream("uniform")
    counts = Counter(imagined(barred, stream) for _ in range(n))
    assert set(counts) == deals
    share = 1 / len(deals)
    bound = 4.5 * (n * share * (1 - share)) ** 0.5  # one of all these counts exceeds it once in 3,000 runs
    assert all(abs(count - n * share) <= bound for count in counts.values())


def test_a_ring_of_three_that_no_swap_turns_round_is_found_both_ways() -> None:
    cards = deck({"R": range(1), "Y": range(1), "G": range(1)})
    barred = {1: {"R0"}, 2: {"Y0"}, 3: {"G0"}}
    stream = Stream("ring")
    found = {imagined_hands(0, (), (0, 1, 1, 1), cards, [], barred, stream) for _ in range(200)}
    assert found == {((), ("Y0",), ("G0",), ("R0",)), ((), ("G0",), ("R0",), ("Y0",))}


def test_a_card_that_was_passed_on_lies_with_its_receiver_and_not_in_the_stock() -> None:
    barred = all_barred(held_by(2, {"R1"}, 3), {1: {"Y1"}})
    assert barred == {0: {"R1"}, 1: {"R1", "Y1"}, 3: {"R1"}}
    stream = Stream("passed")
    for _ in range(20):
        hands, stock = imagined_with_stock(0, OWN, (3, 2, 2), DECK, [], barred, stream)
        assert "R1" in hands[2]
        assert "Y1" not in hands[1]
        assert list(map(len, (*hands, stock))) == [3, 2, 2, 2]


def test_what_nobody_can_hold_is_an_error() -> None:
    with pytest.raises(ValueError, match="consistent"):
        imagined({1: {"R1"}, 2: {"R1"}}, Stream("impossible"))


@given(seats=st.integers(3, 6), key=st.text("abcdefgh", min_size=1, max_size=6), tightness=st.integers(0, 4))
def test_voids_of_a_true_deal_can_always_be_honoured(seats: int, key: str, tightness: int) -> None:
    """Each other seat bars so many of the suits it truly lacks late in a deal, however tight that is."""
    game = GAMES["david-and-goliath"]
    states = random_match(Variant(game, seats, game.options()), key, deals=1).states
    state = states[len(states) * (5 + tightness) // 10]
    truth = [state.view(seat).hand for seat in range(seats)]
    cards = game.deck(seats)
    seen = set(cards) - {card for hand in truth for card in hand}
    barred = {
        seat: {card for card in cards if suit(card) not in set(map(suit, truth[seat]))}
        for seat in range(1, seats)
    }
    hands = imagined_hands(0, truth[0], tuple(map(len, truth)), cards, [seen], barred, Stream(key))
    assert hands[0] == truth[0]
    assert list(map(len, hands)) == list(map(len, truth))
    assert not any(set(hand) & barred.get(seat, set()) for seat, hand in enumerate(hands))


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=6), st.integers(1, 9))
def test_booked_deals_add_up(points: list[int], finished: int) -> None:
    deals = booked(tuple(points), finished)
    assert len(deals) == finished
    assert totals(deals, len(points)) == tuple(points)
    assert booked((0, 0), 0) == ()
