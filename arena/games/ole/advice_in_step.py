"""Advice for Olé! in step. It gives the same actions as arena/games/ole/advice.py, which explains them."""

import functools
from typing import NamedTuple

import numpy as np

from arena.games.instep.batch import Indexes, Mask, Worths, best_of
from arena.games.ole.advice import LATE, STUCK, worths
from arena.games.ole.batch import OleBatch
from arena.games.ole.rules import ORDERS, Ole
from protocol.cards import suit


class OleWorths(NamedTuple):
    """The worths of advice.py. A position is one number: a colour on top and a card on the table."""

    shed: Worths
    blocks: Worths
    """Like `shed`, by the colour on top and card."""
    outranked_by: Mask
    series_by: Mask
    """Like `outranked_by`, by position and card."""
    ranks: Indexes
    """By the colour on top and card: the rank of the card's colour, from 0."""


@functools.cache
def _tables(game: Ole, seats: int) -> OleWorths:
    deck = game.deck(seats)
    known = [worths(deck)[top] for top in ORDERS]
    return OleWorths(
        np.array([[worth.shed[card] for card in deck] for worth in known]),
        np.array([[worth.blocks[card] for card in deck] for worth in known]),
        np.array([[card in worth.outranked_by[on] for card in deck] for worth in known for on in deck]),
        np.array([[card in worth.series_by[on] for card in deck] for worth in known for on in deck]),
        np.array([[order.index(suit(card)) for card in deck] for order in ORDERS.values()]),
    )


def advise(batch: OleBatch) -> Indexes:
    """The action of the seat in turn in each deal."""
    assert isinstance(batch.match.game, Ole)
    tables, legal = _tables(batch.match.game, batch.seats), batch.legal()
    if batch.is_choosing:
        return _top(batch, tables)
    values = batch.deck.values
    others = np.where(np.arange(batch.seats) == batch.turn[:, None], len(values), batch.sizes)
    late = LATE / (1 + others.min(axis=1))
    worth = tables.shed[batch.top] + late[:, None] * values
    row = batch.top * len(values) + batch.table
    series = tables.series_by[row] & ~batch.is_opening[:, None]
    rest = np.where(series, _next_in_series(batch, tables, worth, series & legal[:, : len(values)]), 0.0)
    return best_of(legal, worth + np.where(series, rest, tables.blocks[batch.top]))


def _next_in_series(batch: OleBatch, tables: OleWorths, worth: Worths, series: Mask) -> Worths:
    """For each deal and card that begins a series: the worth of the best card in hand to continue it with."""
    following = np.zeros(worth.shape)
    deals, cards = np.nonzero(series)
    hands = batch.hands()[deals]
    above = tables.outranked_by[batch.top[deals] * worth.shape[1] + cards]
    best = np.where(hands & above, worth[deals], -np.inf).max(axis=1, initial=-np.inf)
    following[deals, cards] = np.where(best == -np.inf, -STUCK, best)
    return following


def _top(batch: OleBatch, tables: OleWorths) -> Indexes:
    """The colour that ranks the cards in hand higher, weighted by their values."""
    hands, values = batch.hands(), batch.deck.values
    scores = np.stack([(hands * (values * ranks)).sum(axis=1) for ranks in tables.ranks], axis=1)
    tops: Indexes = batch.actions.index(next(iter(ORDERS))) + scores.argmax(axis=1)
    return tops
