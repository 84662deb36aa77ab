"""A dealer who stacks the deck is caught, in two ways: by what the seats gain where every deal is
played once, and by dealing again from the key as SPEC.md says.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.events import Dealt
from arena.games.game import Game
from protocol.streams import DealSource, Stream, pod_key
from tests.spec.text import by_the_listing
from tournaments.results import MatchResult
from tournaments.seat_gains import seat_gains

SEATS, DEALS, PODS = 4, 4, 100


class Stacking(DealSource):
    """Exchanges the three lowest cards of seat 0 for the highest of the others, which bots that choose
    anything can only lose by."""

    def deck(self, deal_no: int, cards: Sequence[Any]) -> tuple[Any, ...]:
        deck = list(super().deck(deal_no, cards))
        size = len(deck) // SEATS
        for _ in range(3):
            lowest = min(range(size), key=lambda at: int(deck[at][1:]))
            highest = max(range(size, len(deck)), key=lambda at: int(deck[at][1:]))
            deck[lowest], deck[highest] = deck[highest], deck[lowest]
        return tuple(deck)


def played(game: Game, source: DealSource, pod_no: int) -> MatchResult:
    """By bots that choose anything."""
    chance = Stream(f"dealer/{pod_no}")
    state, _ = game.start(SEATS, game.options(), DEALS, source)
    while pending := state.pending:
        state, _ = state.apply({seat: chance.choice(state.legal(seat)) for seat in pending})
    outcome = state.outcome()
    assert outcome is not None
    return MatchResult(1, pod_no, 1, ("a", "b", "c", "d"), outcome.gains, outcome.placings, ())


@pytest.mark.parametrize(("dealer", "honest"), [(DealSource, True), (Stacking, False)])
def test_gains_by_seat_show_a_stacked_deck(dealer: type[DealSource], honest: bool) -> None:
    game = GAMES["sticheln"]
    results = [played(game, dealer(pod_key("7", 1, pod_no)), pod_no) for pod_no in range(1, PODS + 1)]
    p = [seat.p for seat in seat_gains(results)]
    if honest:
        assert all(one is not None and one > 0.01 for one in p)
    else:
        assert p[0] is not None
        assert p[0] < 1e-6


@pytest.mark.parametrize(("dealer", "honest"), [(DealSource, True), (Stacking, False)])
def test_dealing_again_by_the_specification_shows_it_too(dealer: type[DealSource], honest: bool) -> None:
    game, spec = GAMES["sticheln"], by_the_listing()
    key = spec["derive"]("7", "1/1")
    deck = spec["shuffled"](spec["words"](f"arena1/{key}/deal/1"), game.deck(SEATS))
    size = len(deck) // SEATS
    _, events = game.start(SEATS, game.options(), DEALS, dealer(key))
    hands = [event.hand for event in events if isinstance(event, Dealt)]
    expected = [deck[seat * size : (seat + 1) * size] for seat in range(SEATS)]
    assert (list(map(sorted, hands)) == list(map(sorted, expected))) == honest
