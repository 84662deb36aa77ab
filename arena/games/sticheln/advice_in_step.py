"""Advice for Sticheln in step. It gives the same actions as advice.py, which explains them."""

from collections.abc import Callable

import numpy as np

from arena.games.instep.batch import Deck, Indexes, Worths
from arena.games.sticheln.advice import KEEP, LEAD_OWN, TRAP
from arena.games.sticheln.batch import StichelnBatch


def advise(batch: StichelnBatch) -> Indexes:
    """The action of the seat in turn in each deal."""
    hand = batch.hand
    if not batch.pain_is_known:
        worths = _as_pain_cards(batch, hand)
    else:
        own = batch.deck.suits.take(batch.pain_of(batch.turn))
        worths = _playing(batch, hand, own)
    best: Indexes = np.take_along_axis(hand, worths.argmax(axis=1)[:, None], axis=1)[:, 0]
    return best


def _playing(batch: StichelnBatch, hand: Indexes, own: Indexes) -> Worths:
    if not len(batch.trick):
        return leading(batch.deck, hand, own)

    def colour_of(place: Indexes) -> Indexes:
        return batch.deck.suits.take(batch.pain_of((batch.leader + place) % batch.seats))

    to_come = batch.seats - len(batch.trick) - 1
    return following(batch.deck, batch.trick, colour_of, to_come, hand, own)


def _as_pain_cards(batch: StichelnBatch, hand: Indexes) -> Worths:
    """The lowest card of the longest colour is worth most."""
    suits, values = batch.deck
    colours = suits.take(hand)
    lengths = (colours[:, :, None] == colours[:, None, :]).sum(axis=2)
    worths: Worths = lengths * (values.max() + 1.0) - values.take(hand)
    return worths


def leading(deck: Deck, hand: Indexes, own: Indexes) -> Worths:
    """The worth of leading each of these cards, by deal. `own`: the leader's pain colour."""
    any_own, each_value = LEAD_OWN
    heights = deck.values.take(hand)
    return -np.where(deck.suits.take(hand) == own[:, None], any_own + each_value * heights, KEEP * heights)


def following(
    deck: Deck,
    trick: Indexes,
    colour_of: Callable[[Indexes], Indexes],
    to_come: int,
    hand: Indexes,
    own: Indexes,
) -> Worths:
    """The worth of playing each of these cards to a trick, by deal. `trick`: its cards by place and deal;
    `colour_of`: the pain colour of the seat at a place in each; `to_come`: how many seats play later; `own`:
    the pain colour of the seat that plays."""
    suits, values = deck
    led = suits.take(trick[0])
    colours, heights = suits.take(trick), values.take(trick)
    is_led = colours == led
    of_led, of_others = np.where(is_led, heights, -1), np.where(is_led, 0, heights)
    highest, other = of_led.max(axis=0), of_others.max(axis=0)
    # So far the first of the highest cards takes: those of other colours, or else of the led one.
    theirs = colour_of(np.where(other > 0, of_others.argmax(axis=0), of_led.argmax(axis=0)))
    trap = TRAP * to_come
    mine = np.where(colours == own, -heights, 1).sum(axis=0) - trap
    pile = np.where(colours == theirs, -heights, 1).sum(axis=0) - trap
    if to_come:
        pile = np.where(other == 0, 0.0, pile)
    colours, heights = suits.take(hand), values.take(hand)
    takes = (colours != led[:, None]) & (heights > other[:, None])
    if not to_come:
        takes |= (colours == led[:, None]) & ((other == 0)[:, None] & (heights > highest[:, None]))
    is_own = colours == own[:, None]
    taking = mine[:, None] + np.where(is_own, -heights, 1)
    leaving = -pile[:, None] - np.where(colours == theirs[:, None], -heights, 1)
    worths: Worths = np.where(takes, taking, leaving) - np.where(is_own, 0.0, KEEP * heights)
    return worths
