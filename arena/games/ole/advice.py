"""Advice for Olé! Lay the card that could be laid on the fewest others; near the end of a deal, the card that
costs most points in the hand. A card on which few others can be laid makes the next seats take chips. A
series gets rid of more cards, but may end with a chip. Never take a chip without need. Works on states, not
on views.
"""

import functools
from collections.abc import Mapping
from typing import Final, NamedTuple

from arena.games.game import Action
from arena.games.ole.rules import CHIP, ORDERS, SERIES, OleState, Top, rule
from protocol.cards import Card, Seat, suit, value

STICKS: Final = 9.0
"""The worth of laying a card that could be laid on no other card."""
COSTS: Final = 0.1
"""The worth of laying a card, for each point of its value."""
LATE: Final = 1.3
"""Added to COSTS near the end: divided by 1 + the number of cards in the shortest other hand."""
BLOCKS: Final = 1.2
"""The worth of a card on the table on which no other can be laid."""
STUCK: Final = 1.0
"""The cost of having to end a series with a chip."""


class Worths(NamedTuple):
    """What each card is worth, for one order of the colours."""

    shed: Mapping[Card, float]
    """The worth of laying it."""
    blocks: Mapping[Card, float]
    """The worth of having it on the table."""
    outranked_by: Mapping[Card, frozenset[Card]]
    """The cards that can be laid on it."""
    series_by: Mapping[Card, frozenset[Card]]
    """Those of them that begin a series."""


@functools.cache
def worths(deck: tuple[Card, ...]) -> Mapping[Top, Worths]:
    """The worths for each colour on top."""
    return {top: ordered_worths(deck, top) for top in ORDERS}


def ordered_worths(deck: tuple[Card, ...], top: Top) -> Worths:
    """The worths with the colour `top` on top."""
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
    """The legal card with the greatest worth, or a chip if no card is legal. As the colour on top, the one
    that ranks the cards in hand higher, weighted by their values."""
    if len(legal) == 1:
        return legal[0]
    hand, top, table = state.hands[seat], state.top, state.table
    if top is None or table is None:
        return max(ORDERS, key=lambda top: sum(value(card) * ORDERS[top].index(suit(card)) for card in hand))
    if len(hand) == 1:
        return legal[0]
    shed, blocks, outranked_by, series_by = worths(state.setting.deck)[top]
    late = LATE / (1 + min([len(other) for i, other in enumerate(state.hands) if i != seat]))
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
