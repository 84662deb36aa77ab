"""Advice for Oh Hell. A bid is the sum of the chances that each card takes its trick. In play a seat that
needs tricks takes them, and one that has its tricks stays below as narrowly as it can. The numbers are those
with which seats that all play by them made most of their bids.

Uses the hand of its seat and what is public; knows no view: it takes states.
"""

from collections.abc import Sequence
from typing import Final

from arena.games.api import Action, Card, Seat, Suit, highest, suit, unseen, value
from arena_oh_hell.rules import NO_BID, OhHellState, won

RUFFED: Final = 0.35
"""The chance, for each other seat, that it has to ruff a winner of a side suit at once."""
LONG_TRUMP: Final = 0.4
"""The least chance of a trump to take a trick."""


def advise(state: OhHellState, seat: Seat, legal: tuple[Action, ...]) -> Action:
    """The legal action that fits best; see the top of this file."""
    if len(legal) == 1:
        return legal[0]
    if state.bids[seat] == NO_BID:
        hoped = sum(chance(card, state, seat) for card in state.hands[seat])
        return min(legal, key=lambda bid: abs(int(bid) - hoped))
    trump, trick = suit(state.turned), state.trick.cards
    strength = {card: chance(card, state, seat) for card in legal}
    needed = state.bids[seat] - won(state.tricks, state.setting.seats)[seat]
    if not trick:
        return max(legal, key=strength.__getitem__) if needed > 0 else min(legal, key=strength.__getitem__)
    taking = [card for card in legal if takes(card, trick, trump)]
    losing = [card for card in legal if card not in taking]
    if needed > 0 and taking:
        last = len(trick) == state.setting.seats - 1
        return min(taking, key=strength.__getitem__) if last else max(taking, key=strength.__getitem__)
    if needed > 0:
        return min(losing, key=strength.__getitem__)
    return max(losing, key=strength.__getitem__) if losing else min(taking, key=strength.__getitem__)


def takes(card: Card, trick: Sequence[Card], trump: Suit) -> bool:
    """Whether the card beats all of the trick so far."""
    return highest((*trick, card), trump) == len(trick)


def chance(card: Card, state: OhHellState, seat: Seat) -> float:
    """A rough probability that the card takes a trick."""
    trump, hand, seats = suit(state.turned), state.hands[seat], state.setting.seats
    out = unseen(
        state.setting.deck,
        hand,
        (state.turned,),
        state.trick.cards,
        *(trick.cards for trick in state.tricks),
    )
    others = (seats - 1) * len(hand)
    share = min(1.0, others / len(out))  # Of the cards that are out, those in other hands.
    higher = sum(suit(other) == suit(card) and value(other) > value(card) for other in out)
    alone: float = (1 - share) ** higher
    if suit(card) == trump:
        return max(alone, LONG_TRUMP)
    return alone * (1 - RUFFED) ** (seats - 1)
