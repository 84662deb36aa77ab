"""Imagined deals, weighted by how well they explain what the other seats have decided. More are imagined than
wanted, and a deal is taken the more often, the likelier those decisions are in it
(arena/games/instep/likelihood). A deal that the view forbids is never imagined, and so never taken."""

from typing import Final

import numpy as np

from arena.games.game import Game, View
from arena.games.instep.batch import Batch, Deck, Indexes, Owners
from arena.games.instep.decisions import Decisions, Logs, log_likelihoods

DRAWN: Final = 8
"""How many deals are imagined for each that is wanted. Of a hundred hidden cards at a table of four, 4 find
3.4 more than blind chance in Sticheln and in Olé!, 8 find 3.8 and 4.2, and 16 find 4.3, at twice the cost."""
EFFECTIVE: Final = 0.5
"""The least effective number of deals, for each that is wanted: else weights are made more alike."""
HALVINGS: Final = 12


def imagine(
    kind: type[Batch],
    game: Game,
    view: View,
    decisions: Decisions | None,
    size: int,
    rng: np.random.Generator,
    *,
    copies: int = 1,
) -> Batch:
    """What `kind.imagine` returns, but with deals that explain these decisions more often than others."""
    if decisions is None:
        return kind.imagine(game, view, size, rng, copies=copies)
    owner = imagined(kind, game, view, decisions, size, rng)
    return kind.with_owners(game, view, np.repeat(owner, copies, axis=0))


def imagined(
    kind: type[Batch], game: Game, view: View, decisions: Decisions, size: int, rng: np.random.Generator
) -> Owners:
    """The owners of cards in these deals."""
    owner = kind.imagined(game, view, DRAWN * size, rng)
    return owner[taken(log_likelihoods(decisions, owner, Deck.of(game, view.seats)), size, rng)]


def taken(logs: Logs, size: int, rng: np.random.Generator) -> Indexes:
    """The numbers of `size` deals with these logarithms of weights. Each is taken about as often as its
    weight says: systematic resampling, which adds as little chance as can be."""
    weights = tempered(logs, EFFECTIVE * size)
    ends = np.cumsum(weights)
    wanted = (rng.random() + np.arange(size)) * (ends[-1] / size)
    rows: Indexes = np.minimum(np.searchsorted(ends, wanted, side="right"), len(logs) - 1)
    return rows


def tempered(logs: Logs, least: float) -> Logs:
    """The weights with these logarithms, if they leave an effective number of `least` deals; else with such a
    part of these logarithms that does."""
    logs = logs - logs.max()
    weights: Logs = np.exp(logs)
    if effective(weights) >= least:
        return weights
    weights, part, step = np.ones(len(logs)), 0.0, 0.5
    for _ in range(HALVINGS):
        more = np.exp((part + step) * logs)
        if effective(more) >= least:
            weights, part = more, part + step
        step /= 2
    return weights


def effective(weights: Logs) -> float:
    """How many deals of equal weight would say as much."""
    return float(weights.sum() ** 2 / (weights @ weights))
