"""Sticheln. The longest colour hurts least, since what I hold of it nobody puts into my tricks; its lowest
card becomes the pain card. A trick that others still add to is a trap, which a high card of my colour may
close. So low cards first, in the hope that somebody else takes the trick, and the high ones kept for playing
last. What hurts another seat, or keeps points from it, is as good as a gain of mine.
"""

from collections.abc import Sequence
from typing import Final

from arena.games.game import Action
from arena.games.sticheln import StichelnState
from protocol.cards import Card, Seat, suit, value

TRAP: Final = 2.0
"""Points that each seat still to play is expected to cost the one who takes the trick."""
KEEP: Final = 0.4
"""What each value of a card is worth in the hand, unless it is of my pain colour."""
LEAD_OWN: Final = (-1.7, 0.3)
"""What it costs to lead a card of my pain colour: any, and for each value."""


def advise(state: StichelnState, seat: Seat, legal: tuple[Action, ...]) -> Action:
    if not state.pain:
        return pain_card(legal)
    own = suit(state.pain[seat])
    return follow(state, seat, legal, own) if state.trick else lead(legal, own)


def pain_card(hand: Sequence[Card]) -> Card:
    suits = list(map(suit, hand))
    return max(hand, key=lambda card: (suits.count(suit(card)), -value(card)))


def lead(hand: Sequence[Card], own: str) -> Card:
    """The card that costs least to lose: whatever is led, another colour takes it."""
    any_own, each_value = LEAD_OWN
    return min(
        hand,
        key=lambda card: any_own + each_value * value(card) if suit(card) == own else KEEP * value(card),
    )


def follow(state: StichelnState, seat: Seat, hand: Sequence[Card], own: str) -> Card:
    """The best of taking the trick as it lies and of leaving it to the seat that has it now."""
    pain, trick = state.pain, state.trick
    led = suit(trick[0])
    highest, other, at = 0, 0, 0  # of the led suit, of all others, and where the one that takes is
    for position, card in enumerate(trick):
        height = value(card)
        if suit(card) == led:
            if height > highest:
                highest = height
                at = position if not other else at
        elif height > other:
            other, at = height, position
    theirs = suit(pain[(state.leader + at) % len(pain)])
    to_come = len(pain) - len(trick) - 1
    trap = TRAP * to_come
    mine = sum([-value(card) if suit(card) == own else 1 for card in trick]) - trap
    # A led card that somebody can still beat with any other colour is taken to be beaten.
    lost = not other and to_come > 0
    pile = 0.0 if lost else sum([-value(card) if suit(card) == theirs else 1 for card in trick]) - trap
    best, most = hand[0], float("-inf")
    for card in hand:
        colour, height = suit(card), value(card)
        takes = height > other if colour != led else not other and not to_come and height > highest
        if takes:
            worth = mine + (-height if colour == own else 1)
        else:
            worth = -pile - (-height if colour == theirs else 1)
        if colour != own:
            worth -= KEEP * height
        if worth > most:
            best, most = card, worth
    return best
