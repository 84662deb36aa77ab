"""Olé! Lay what sticks: the card that could be laid on the fewest others; the nearer the end, what costs most
instead. A card on which few others go makes the next seats take chips. A series sheds more, but may end in a
chip. Never take one freely.
"""

import functools
from collections.abc import Mapping
from typing import Final, NamedTuple

from arena.games.game import Action
from arena.games.ole import CHIP, ORDERS, SERIES, OleState, Top, rule
from protocol.cards import Card, Seat, suit, value

STICKS: Final = 9.0
"""What it is worth to be rid of a card that could be laid on no other."""
COSTS: Final = 0.1
"""What each value of a card is worth when it leaves the hand."""
LATE: Final = 1.3
"""The same, shared by the cards that the shortest other hand holds, and one more."""
BLOCKS: Final = 1.2
"""What a card on the table is worth on which no other can be laid."""
STUCK: Final = 1.0
"""What a series costs that cannot go on."""


class Worths(NamedTuple):
    """Of every card, in one order of the colours: what it is worth to be rid of it, what to have it on the
    table, which cards may be laid on it, and which of them begin a series."""

    shed: Mapping[Card, float]
    blocks: Mapping[Card, float]
    outranked_by: Mapping[Card, frozenset[Card]]
    series_by: Mapping[Card, frozenset[Card]]


@functools.cache
def worths(deck: tuple[Card, ...]) -> Mapping[Top, Worths]:
    return {top: ordered_worths(deck, top) for top in ORDERS}


def ordered_worths(deck: tuple[Card, ...], top: Top) -> Worths:
    above = {card: frozenset(other for other in deck if rule(other, card, top)) for card in deck}
    return Worths(
        {
            card: STICKS * sum(card not in above[other] for other in deck) / len(deck) + COSTS * value(card)
            for card in deck
        },
        {card: BLOCKS * (1 - len(above[card]) / len(deck)) for card in deck},
        above,
        {card: frozenset(other for other in deck if rule(other, card, top) == SERIES) for card in deck},
    )


def advise(state: OleState, seat: Seat, legal: tuple[Action, ...]) -> Action:
    if len(legal) == 1:
        return legal[0]
    hand, top, table = state.hands[seat], state.top, state.table
    if top is None or table is None:
        return max(ORDERS, key=lambda top: sum(value(card) * ORDERS[top].index(suit(card)) for card in hand))
    if len(hand) == 1:
        return legal[0]
    shed, blocks, outranked_by, series_by = worths(state.setting.deck)[top]
    late = LATE / (1 + min([len(other) for at, other in enumerate(state.hands) if at != seat]))
    opening = state.phase == "opening"
    best, most = legal[0], float("-inf")
    for card in legal:
        if card == CHIP:
            continue
        worth = shed[card] + late * value(card)
        if opening or card not in series_by[table]:
            worth += blocks[card]
        else:
            above = outranked_by[card]
            next_ones = [shed[other] + late * value(other) for other in hand if other in above]
            worth += max(next_ones, default=-STUCK)
        if worth > most:
            best, most = card, worth
    return best
