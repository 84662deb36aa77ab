"""How likely it is, with certain hands, that the other seats decided as they did. Knows no rules.

In the model, an action is worth the same to a player whatever its hand, but the length of the suit may count.
So hands matter only by sums over their cards, and a thousand imagined deals cost little more than one.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from arena.games.instep.batch import GONE, Deck, Indexes, Mask, Owners, Worths

Logs = npt.NDArray[np.float64]

LEAST: Final = 1e-9
"""The least probability of a decision."""
FACTORS: Final = 16
"""This many probabilities can be multiplied without underflow: LEAST ** FACTORS is a float."""
TINY: Final = 1e-300
RARE: Final = 0.02
"""The weight of a word, relative to a card, in a random choice: hardly anyone takes a chip without need."""


class Player(NamedTuple):
    """How a player decides: the probability of an action is proportional to the exponential of its worth; but
    with probability `error` the player decides at random."""

    worths: Worths
    """By decision and action."""
    lengths: Worths
    """For each decision, what each card of the same suit in hand adds to the worth of a card."""
    error: float


class Decisions(NamedTuple):
    """The decisions of the other seats in a deal, in order."""

    seats: Indexes
    actions: Indexes
    allowed: Mask
    """By decision and action, whether a seat that holds the card may play it there."""
    players: Sequence[Player]
    """Each seat is one of these throughout the deal; all are equally likely."""


def log_likelihoods(decisions: Decisions, owner: Owners, deck: Deck) -> Logs:
    """The logarithm of the probability of all decisions in each deal. `owner`: who holds each card now. The
    same cards are GONE in all deals. At a decision a seat also held what it has played since."""
    total = np.zeros(len(owner))
    hidden = np.flatnonzero(owner[0] != GONE)
    owner = np.ascontiguousarray(owner[:, hidden].T)
    for seat in sorted(set(decisions.seats.tolist())):
        mine = np.flatnonzero(decisions.seats == seat)
        hands = _Hands.of(decisions.actions[mine], decisions.allowed[mine], hidden, owner == seat, deck)
        random = _at_random(hands)
        by_player = []
        for player in decisions.players:
            chances = player.error * random
            chances += (1 - player.error) * _chosen(hands, player.worths[mine], player.lengths[mine])
            # A logarithm takes ten times as long as a product.
            starts = np.arange(0, len(mine), FACTORS)
            products = np.multiply.reduceat(np.maximum(chances, LEAST), starts, axis=0)
            by_player.append(np.log(products).sum(axis=0))
        total += np.logaddexp.reduce(by_player, axis=0) - np.log(len(by_player))
    return total


class _Hands(NamedTuple):
    """What a seat held at its decisions, when it chose `actions` among those `allowed`. Cells are 0 or 1."""

    actions: Indexes
    allowed: Mask
    laid: Worths
    """By decision and action: a word, or a card that it held then and has played since."""
    hidden: Indexes
    """The cards that are in a hand now."""
    held: Worths
    """By card of `hidden` and deal: what it holds now."""
    suits: Worths
    """By suit and action: the cards of the suit."""

    @classmethod
    def of(cls, actions: Indexes, allowed: Mask, hidden: Indexes, held: Mask, deck: Deck) -> Self:
        suits = np.zeros((deck.suits.max() + 1, allowed.shape[1]))
        suits[deck.suits, np.arange(len(deck.suits))] = 1.0
        laid = np.zeros(allowed.shape)
        laid[:, len(deck.suits) :] = 1.0
        for i, action in enumerate(actions):
            laid[: i + 1, action] = 1.0
        return cls(actions, allowed, laid, hidden, held.astype(np.float64), suits)

    def sums(self, of: Worths, laid: Worths) -> Worths:
        """The sum of each row of `of`, in each deal, over the actions that the seat could choose."""
        sums: Worths = of[:, self.hidden] @ self.held
        sums += (of * laid).sum(axis=1)[:, None]
        return sums


def _at_random(hands: _Hands) -> Worths:
    """By decision and deal, the probability that a seat decides so if it decides at random."""
    weights = np.where(hands.suits.any(axis=0), 1.0, RARE) * hands.allowed
    chosen = weights[np.arange(len(weights)), hands.actions]
    chances: Worths = chosen[:, None] / hands.sums(weights, hands.laid)
    return chances


def _chosen(hands: _Hands, worths: Worths, lengths: Worths) -> Worths:
    """By decision and deal, the probability that a seat decides so if it makes no errors."""
    worths = np.where(hands.allowed, worths, -np.inf)
    shares = np.exp(worths - worths.max(axis=1, keepdims=True))
    chosen = shares[np.arange(len(worths)), hands.actions]
    chances: Worths = chosen[:, None] / np.maximum(hands.sums(shares, hands.laid), TINY)
    for decision in np.flatnonzero(lengths).tolist():
        chances[decision] = _by_length(hands, decision, shares[decision], lengths[decision])
    return chances


def _by_length(hands: _Hands, decision: int, shares: Worths, length: float) -> Worths:
    """The probability of a decision in each deal, if the lengths of suits count."""
    lengths = length * hands.sums(hands.suits, hands.laid[decision])
    grown = np.exp(lengths - lengths.max(axis=0))
    total = (grown * hands.sums(hands.suits * shares, hands.laid[decision])).sum(axis=0)
    action = hands.actions[decision]
    chances: Worths = shares[action] * grown[hands.suits[:, action].argmax()] / np.maximum(total, TINY)
    return chances
