"""How seats decide in Olé!: about as advised (arena/games/ole/advice.py). Chips reveal most about a hand:
hardly anyone who can lay a card takes one."""

from typing import Final, NamedTuple

import numpy as np

from arena.games.instep.batch import Deck
from arena.games.instep.decisions import Decisions, Player
from arena.games.ole.advice import LATE, worths
from arena.games.ole.rules import CHIP, Ole, OleView


class OlePlayer(NamedTuple):
    """A kind of player."""

    cards: float
    """The factor of the advised worths."""
    error: float


KINDS: Final = (OlePlayer(15.0, 0.27), OlePlayer(0.6, 0.15), OlePlayer(0.0, 1.0))
"""Fitted by likelihood to 1836 decisions in 33 matches of `heuristic`, `search` and the bots of bots/, with
three, four and eight seats. The first is mostly the heuristic, the second mostly `search`; the third, which
lays any card, is counter, modest and random."""
SERIES: Final = 3.0
"""The worth of beginning a series, besides that of the card: about that of the card that continues it."""
CHIP_COSTS: Final = 20.0
"""A chip is worth this much less than any card."""


def decisions(game: Ole, view: OleView) -> Decisions | None:
    """The other seats' decisions that a view shows; None if there are none. Two are left out: the choice of
    the colour on top, since the view does not show whose it was, and chips that were forced."""
    if view.top is None:
        return None
    deck = game.deck(view.seats)
    number = {action: i for i, action in enumerate((*deck, *game.words))}
    known, values = worths(deck)[view.top], Deck.of(game, view.seats).values
    shed, blocks = (np.array([by_card[card] for card in deck]) for by_card in (known.shed, known.blocks))
    sizes = list(view.sizes)
    for play in view.plays:
        sizes[play.seat] += play.action != CHIP
    seats, actions, advised, fits, chips = [], [], [], [], []
    table = ""
    for place, play in enumerate(view.plays):
        # The first card was laid without a choice, and the second without chips and series.
        if place and play.seat != view.seat and not (view.forced_play and play.action == CHIP):
            late = LATE / (1 + min(size for seat, size in enumerate(sizes) if seat != play.seat))
            series = [place > 1 and card in known.series_by[table] for card in deck]
            seats.append(play.seat)
            actions.append(number[play.action])
            advised.append(shed + late * values + np.where(series, SERIES, blocks))
            fits.append([card in known.outranked_by[table] for card in deck])
            chips.append(place > 1 and not view.forced_play)
        if play.action != CHIP:
            table = play.action
            sizes[play.seat] -= 1
    if not seats:
        return None
    by_card, least = np.array(advised), np.min(advised, axis=1)
    allowed = np.zeros((len(seats), len(number)), np.bool_)
    allowed[:, : len(deck)], allowed[:, number[CHIP]] = fits, chips
    players = []
    for kind in KINDS:
        worth = np.zeros(allowed.shape)
        worth[:, : len(deck)] = kind.cards * by_card
        worth[:, number[CHIP]] = kind.cards * least - CHIP_COSTS
        players.append(Player(worth, np.zeros(len(seats)), kind.error))
    return Decisions(np.array(seats), np.array(actions), allowed, players)
