"""How likely it is, given certain hands, that the other seats have decided as they did. Knows no rules.

A model of a player says what each action is worth to it, whatever the hand, except that the length of its
suit may count. So hands enter by sums over the cards in them alone, and a thousand imagined deals cost little
more than one.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from arena.games.instep.batch import GONE, Deck, Indexes, Mask, Owners, Worths

Logs = npt.NDArray[np.float64]

LEAST: Final = 1e-9
"""A probability below this counts as this one."""
FEW: Final = 16
"""The product of so many probabilities is no smaller than what a number can be."""
TINY: Final = 1e-300
RARE: Final = 0.02
"""How often a word is chosen at random for each time that a card is: hardly anyone takes a needless chip."""


class Player(NamedTuple):
    """How a player decides: it chooses an action with a probability in proportion to the exponential of its
    worth, but at random as often as `error` says.

    `worths`: by decision and action. `lengths`: by decision, what each card of the same suit in hand adds to
    the worth of a card."""

    worths: Worths
    lengths: Worths
    error: float


class Decisions(NamedTuple):
    """What other seats have decided in a deal, in order. Each seat is one of these players throughout the
    deal, and all are equally likely. `seats`, `actions`: by decision. `allowed`: by decision and action,
    whether a seat that can choose it may do so there."""

    seats: Indexes
    actions: Indexes
    allowed: Mask
    players: Sequence[Player]


def log_likelihoods(decisions: Decisions, owner: Owners, deck: Deck) -> Logs:
    """By deal, the logarithm of the probability of all decisions. `owner`: who holds each card now. The cards
    that are GONE are the same in all deals; at a decision a seat also held what it has played since."""
    found = np.zeros(len(owner))
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
            few = np.multiply.reduceat(np.maximum(chances, LEAST), np.arange(0, len(mine), FEW), axis=0)
            by_player.append(np.log(few).sum(axis=0))
        found += np.logaddexp.reduce(by_player, axis=0) - np.log(len(by_player))
    return found


class _Hands(NamedTuple):
    """What one seat held at its decisions, in which it has chosen `actions` among those `allowed`. `laid`: by
    decision and action, 1 for what it could choose then, and holds no more: a card that it has played since,
    or a word. `held`: by card of `hidden` and deal, 1 for what it holds now. `suits`: by suit and action, 1
    for a card of the suit."""

    actions: Indexes
    allowed: Mask
    laid: Worths
    hidden: Indexes
    held: Worths
    suits: Worths

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
        """By row of `of` and deal, the sum over the actions that the seat could choose."""
        sums: Worths = of[:, self.hidden] @ self.held
        sums += (of * laid).sum(axis=1)[:, None]
        return sums


def _at_random(hands: _Hands) -> Worths:
    """By decision and deal, the probability of what a seat has decided if it decides at random."""
    weights = np.where(hands.suits.any(axis=0), 1.0, RARE) * hands.allowed
    chosen = weights[np.arange(len(weights)), hands.actions]
    chances: Worths = chosen[:, None] / hands.sums(weights, hands.laid)
    return chances


def _chosen(hands: _Hands, worths: Worths, lengths: Worths) -> Worths:
    """By decision and deal, the probability of what a seat has decided if it makes no errors."""
    worths = np.where(hands.allowed, worths, -np.inf)
    shares = np.exp(worths - worths.max(axis=1, keepdims=True))
    chosen = shares[np.arange(len(worths)), hands.actions]
    chances: Worths = chosen[:, None] / np.maximum(hands.sums(shares, hands.laid), TINY)
    for one in np.flatnonzero(lengths).tolist():
        chances[one] = _by_length(hands, one, shares[one], lengths[one])
    return chances


def _by_length(hands: _Hands, one: int, shares: Worths, length: float) -> Worths:
    """By deal, the probability of the decision of this number, where the lengths of suits count."""
    lengths = length * hands.sums(hands.suits, hands.laid[one])
    grown = np.exp(lengths - lengths.max(axis=0))
    total = (grown * hands.sums(hands.suits * shares, hands.laid[one])).sum(axis=0)
    action = hands.actions[one]
    chances: Worths = shares[action] * grown[hands.suits[:, action].argmax()] / np.maximum(total, TINY)
    return chances
