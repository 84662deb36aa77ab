"""Advice for Sticheln. The longest colour is the best pain colour, since nobody can add my own cards of it to
my tricks; its lowest card becomes the pain card. Taking a trick is dangerous while other seats can still add
to it. So low cards are played first, in the hope that another seat takes the trick, and high ones are kept
until I play last. Points that another seat loses are as good as my own gains. Works on states, not on views.
"""

from collections.abc import Sequence
from typing import Final

from arena.games.game import Action
from arena.games.sticheln.rules import StichelnState
from protocol.cards import Card, Seat, suit, value

TRAP: Final = 2.0
"""The points that the seat that takes the trick is expected to lose to each seat still to play."""
KEEP: Final = 0.4
"""The worth of keeping a card, for each point of its value, unless it has my pain colour."""
LEAD_OWN: Final = (-1.7, 0.3)
"""The cost of leading a card of my pain colour: a constant, and for each point of its value."""


def advise(state: StichelnState, seat: Seat, legal: tuple[Action, ...]) -> Action:
    """The best action: the pain card, the card to lead, or the card to follow with."""
    if not state.pain:
        return pain_card(legal)
    own = suit(state.pain[seat])
    return follow(state, seat, legal, own) if state.trick.cards else lead(legal, own)


def pain_card(hand: Sequence[Card]) -> Card:
    """The lowest card of the longest colour."""
    suits = list(map(suit, hand))
    return max(hand, key=lambda card: (suits.count(suit(card)), -value(card)))


def lead(hand: Sequence[Card], own: str) -> Card:
    """The card that costs least to lose, if another colour takes the trick. `own` is my pain colour."""
    any_own, each_value = LEAD_OWN
    return min(
        hand,
        key=lambda card: any_own + each_value * value(card) if suit(card) == own else KEEP * value(card),
    )


def follow(state: StichelnState, seat: Seat, hand: Sequence[Card], own: str) -> Card:
    """The card that is worth most, by taking the trick or by leaving it to the seat that takes it now. `own`
    is my pain colour."""
    pain, trick = state.pain, state.trick.cards
    led = suit(trick[0])
    # The highest value of the led suit, that of all other suits, and the place of the card that takes so far.
    highest, other, taking = 0, 0, 0
    for place, card in enumerate(trick):
        height = value(card)
        if suit(card) == led:
            if height > highest:
                highest = height
                taking = place if not other else taking
        elif height > other:
            other, taking = height, place
    theirs = suit(pain[(state.trick.leader + taking) % len(pain)])
    to_come = len(pain) - len(trick) - 1
    trap = TRAP * to_come
    mine = sum([-value(card) if suit(card) == own else 1 for card in trick]) - trap
    # While all cards are of the led suit, a seat still to come is assumed to beat them with another colour.
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
