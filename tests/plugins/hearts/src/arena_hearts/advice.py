"""Advice for Hearts. Dangerous cards are passed: high spades without low ones beside them, high hearts, high
cards of short suits. In play a seat stays below the highest card of the trick as narrowly as it can, and
throws off the most dangerous card. It leads what others are likely to beat. It never tries to shoot the moon.

Uses the hand of its seat and what has been played; knows no view: it takes states.
"""

from collections.abc import Sequence
from typing import Final

from arena.games.api import Action, Card, Seat, suit, unseen, value
from arena_hearts.rules import QUEEN, HeartsState, penalty

GUARDS: Final = 4
"""With as many low spades the high ones are safe."""
HEART: Final = 3.0
"""What makes a heart more dangerous than another card of its value."""
SHORT: Final = 2.0
"""What a card is more dangerous for each card that its suit lacks to four."""
HIGH_SPADE: Final = 30.0
QUEEN_AHEAD: Final = 20.0
"""What it costs to play the king or the ace of spades while the queen may still fall on it."""


def advise(state: HeartsState, seat: Seat, legal: tuple[Action, ...]) -> Action:
    """The legal card that fits best; see the top of this file."""
    hand, trick = state.hands[seat], state.trick.cards
    if state.passing:
        return max(legal, key=lambda card: danger(card, hand))
    if not trick:
        return min(legal, key=lambda card: lead_risk(card, state, hand))
    led = suit(trick[0])
    if suit(legal[0]) != led:
        return max(legal, key=lambda card: danger(card, hand))
    high = max(value(card) for card in trick if suit(card) == led)
    if below := [card for card in legal if value(card) < high]:
        return QUEEN if QUEEN in below else below[-1]
    if len(trick) == 3:  # It takes the trick whatever it plays.
        return next((card for card in reversed(legal) if card != QUEEN), QUEEN)
    return next((card for card in legal if card != QUEEN), QUEEN)


def danger(card: Card, hand: Sequence[Card]) -> float:
    """How much a card is worth to be rid of."""
    own = [value(other) for other in hand if suit(other) == suit(card)]
    if suit(card) == "S":
        guarded = sum(other < value(QUEEN) for other in own) >= GUARDS
        return value(card) + HIGH_SPADE if value(card) >= value(QUEEN) and not guarded else 0.0
    return value(card) + SHORT * max(0, 4 - len(own)) + HEART * penalty(card)


def lead_risk(card: Card, state: HeartsState, hand: Sequence[Card]) -> float:
    """The share of the cards of its suit still out that are lower, and what is worse."""
    out = unseen(state.setting.deck, hand, state.trick.cards, *(trick.cards for trick in state.tricks))
    values = [value(other) for other in out if suit(other) == suit(card)]
    if not values:
        return 1.5  # Nobody can take it from us.
    risk = sum(other < value(card) for other in values) / len(values) + penalty(card) / 10
    return risk + QUEEN_AHEAD * (suit(card) == "S" and value(card) > value(QUEEN) and QUEEN in out)
