"""Moments of real deals, and what of hidden cards each seat lacks."""

from typing import Any

import numpy as np

from arena.games.game import State
from arena.games.ole.rules import CHIP
from protocol.cards import suit, value
from protocol.streams import DealSource
from tests.games.playing import Variant

OLE_ORDER = {"red": "YGBR", "yellow": "RBGY"}


def moments(variant: Variant, key: str) -> list[tuple[State, int]]:
    """Some moments of two deals, each with a seat in turn."""
    rng = np.random.default_rng(len(key))
    state = variant.game.start(variant.seats, variant.options, 2, DealSource(key)).state
    found = []
    while state.pending:
        found.append((state, next(iter(state.pending))))
        state = state.apply({seat: rng.choice(state.legal(seat)).item() for seat in state.pending}).state
    return found[:: max(1, len(found) // 24)]


def lacks(state: State, variant: Variant) -> dict[int, set[str]]:
    """By seat, the cards that it has shown not to hold. Told here a second time, card by card."""
    deck, shown = variant.game.deck(variant.seats), {}
    seen: Any = state.view(0)
    if variant.game.id == "david-and-goliath":
        for trick in (*seen.tricks, seen):
            cards = trick.cards if trick is not seen else seen.trick
            for place, card in enumerate(cards):
                if card[0] != cards[0][0]:
                    seat = (trick.leader + place) % variant.seats
                    shown.setdefault(seat, set()).update(other for other in deck if other[0] == cards[0][0])
    if variant.game.id == "ole" and seen.forced_play:
        table = None
        for play in seen.plays:
            if play.action != CHIP:
                table = play.action
                continue
            order = OLE_ORDER[seen.top]
            shown.setdefault(play.seat, set()).update(
                card
                for card in deck
                if order.index(suit(card)) > order.index(suit(table)) or value(card) > value(table)
            )
    return shown
