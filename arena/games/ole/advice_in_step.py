"""Advice for Olé! in step; arena/games/ole/advice.py says what it is and why."""

import functools
from typing import NamedTuple

import numpy as np

from arena.games.instep.batch import Indexes, Mask, Worths, best_of
from arena.games.ole.advice import LATE, STUCK, worths
from arena.games.ole.batch import OleBatch
from arena.games.ole.rules import ORDERS, Ole
from protocol.cards import suit


class OleWorths(NamedTuple):
    """By the colour on top and a card: what it is worth to lay it, and to have it on the table. By the number
    of a position (the colour on top and a card) and a card: what may be laid on it, and begins a series."""

    shed: Worths
    blocks: Worths
    outranked_by: Mask
    series_by: Mask
    ranks: Indexes


@functools.cache
def _tables(game: Ole, seats: int) -> OleWorths:
    deck = game.deck(seats)
    known = [worths(deck)[top] for top in ORDERS]
    return OleWorths(
        np.array([[one.shed[card] for card in deck] for one in known]),
        np.array([[one.blocks[card] for card in deck] for one in known]),
        np.array([[card in one.outranked_by[table] for card in deck] for one in known for table in deck]),
        np.array([[card in one.series_by[table] for card in deck] for one in known for table in deck]),
        np.array([[order.index(suit(card)) for card in deck] for order in ORDERS.values()]),
    )


def advise(batch: OleBatch) -> Indexes:
    """By deal, the action of the seat in turn."""
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
    """By deal and card that begins a series: the worth of the best card in hand to go on with."""
    found = np.zeros(worth.shape)
    deals, cards = np.nonzero(series)
    hands = batch.hands()[deals]
    above = tables.outranked_by[batch.top[deals] * worth.shape[1] + cards]
    best = np.where(hands & above, worth[deals], -np.inf).max(axis=1, initial=-np.inf)
    found[deals, cards] = np.where(best == -np.inf, -STUCK, best)
    return found


def _top(batch: OleBatch, tables: OleWorths) -> Indexes:
    """The colour that ranks the cards in hand higher, weighted by their values."""
    hands, values = batch.hands(), batch.deck.values
    scores = np.stack([(hands * (values * ranks)).sum(axis=1) for ranks in tables.ranks], axis=1)
    tops: Indexes = batch.actions.index(next(iter(ORDERS))) + scores.argmax(axis=1)
    return tops
