"""Matches by random play, and small literal deals, for the tests of this room."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.events import Event
from arena.games.game import State
from arena.laws.trial import Trajectory, Trial, Variant, variants
from protocol.streams import DealSource

__all__ = ["REGISTERED", "Packs", "Trajectory", "Variant", "cards", "each", "hands", "play", "random_match"]


class Packs(DealSource):
    """Decks and lot as given instead of drawn."""

    def __init__(self, packs: Sequence[Sequence[str]], lot: int) -> None:
        super().__init__("given")
        self.packs, self.named = packs, lot

    def deck(self, deal_no: int, cards: Sequence[Any]) -> tuple[Any, ...]:
        assert sorted(cards) == sorted(self.packs[deal_no - 1])
        return tuple(self.packs[deal_no - 1])

    def lot(self, seats: int) -> int:
        return self.named


def play(state: State, actions: str) -> tuple[State, list[Event]]:
    """The actions in turn, by whoever is the one to act; all events."""
    events: list[Event] = []
    for action in actions.split():
        (seat,) = state.pending
        state, more = state.apply({seat: action})
        events += more
    return state, events


def cards(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def hands(*texts: str) -> tuple[tuple[str, ...], ...]:
    return tuple(map(cards, texts))


REGISTERED = variants(*GAMES.values())


def each(variants: Sequence[Variant]) -> pytest.MarkDecorator:
    """With each of them as `variant`. What differs with the seats differs most where they are fewest or most;
    a game has up to six numbers of them, so those between are thorough."""
    return pytest.mark.parametrize(
        "variant",
        [
            pytest.param(one, marks=[pytest.mark.thorough] * (min(seats) < one.seats < max(seats)))
            for one in variants
            for seats in [one.game.seats]
        ],
        ids=str,
    )


@cache
def random_match(variant: Variant, key: str = "laws", deals: int = 2) -> Trajectory:
    return Trial(variant, key, deals).record
