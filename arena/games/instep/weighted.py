"""Imagined deals, weighted by how well they explain the other seats' decisions. More deals are imagined than
wanted, and sampled by the probability of those decisions in them (arena/games/instep/decisions.py). A deal
that the view forbids is never imagined."""

from typing import Final

import numpy as np

from arena.games.game import Game, View
from arena.games.instep.batch import Batch, Deck, Indexes, Owners
from arena.games.instep.decisions import Decisions, Logs, log_likelihoods

PER_WANTED: Final = 8
"""The number of deals imagined for each that is wanted. Of a hundred hidden cards at a table of four, 4 place
3.4 more right than blind chance in Sticheln and in Olé!, 8 place 3.8 and 4.2, and 16 place 4.3, at twice the
cost."""
EFFECTIVE: Final = 0.5
"""The least effective number of deals for each that is wanted. With fewer, weights are made more alike."""
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
    """Like `kind.imagine`, but deals that explain these decisions are more frequent."""
    if decisions is None:
        return kind.imagine(game, view, size, rng, copies=copies)
    owner = imagined(kind, game, view, decisions, size, rng)
    return kind.with_owners(game, view, np.repeat(owner, copies, axis=0))


def imagined(
    kind: type[Batch], game: Game, view: View, decisions: Decisions, size: int, rng: np.random.Generator
) -> Owners:
    """The owners of cards in such deals."""
    owner = kind.imagined(game, view, PER_WANTED * size, rng)
    return owner[resampled(log_likelihoods(decisions, owner, Deck.of(game, view.seats)), size, rng)]


def resampled(logs: Logs, size: int, rng: np.random.Generator) -> Indexes:
    """The indices of `size` deals, sampled by the logarithms of their weights (systematic resampling)."""
    weights = tempered(logs, EFFECTIVE * size)
    ends = np.cumsum(weights)
    wanted = (rng.random() + np.arange(size)) * (ends[-1] / size)
    rows: Indexes = np.minimum(np.searchsorted(ends, wanted, side="right"), len(logs) - 1)
    return rows


def tempered(logs: Logs, least: float) -> Logs:
    """The weights with these logarithms, if their effective number of deals is at least `least`; else the
    logarithms are multiplied by a factor below 1 with which it is."""
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
    """The effective number of deals: how many of equal weight would say as much."""
    return float(weights.sum() ** 2 / (weights @ weights))
