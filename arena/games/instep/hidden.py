"""Hidden cards, dealt at random to the seats that may hold them, for many deals at once. Knows no rules.

Shuffled deals are kept if no seat has a card that is barred for it: all such deals are equally likely. If few
shuffled deals are, random moves lead from one allowed deal to the next, or the plain rules imagine each.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np

from arena.games.imagining import Barred, imagined_hands
from arena.games.instep.batch import GONE, Mask, Owners
from protocol.cards import Card, Seat, unseen
from protocol.streams import Stream

SHUFFLES: Final = 40
"""A deal is shuffled again this often. Then it is imagined in another way, which takes about as long."""
FEW: Final = 96
"""Up to this many deals are imagined one by one: moves take some 20 ms, for however many deals."""
STARTS: Final = 8
"""Moves begin from this many deals."""
MOVES_PER_CARD: Final = 6


class QuickStream(Stream):
    """Random numbers without SHA-256, since they decide no deal and nobody has to repeat them."""

    def __init__(self, seed: bytes) -> None:
        self._random = random.Random(seed).random

    def word(self) -> int:
        """In 0 … 2³²−1."""
        return self.below(1 << 32)

    def below(self, n: int) -> int:
        """In 0 … n−1."""
        return int(self._random() * n)


def imagined_owners(
    seat: Seat,
    hand: tuple[Card, ...],
    sizes: Sequence[int],
    deck: tuple[Card, ...],
    seen: Iterable[Iterable[Card]],
    barred: Barred,
    size: int,
    rng: np.random.Generator,
) -> Owners:
    """The owners of cards in `size` random deals; `imagined_hands` has the other parameters and errors."""
    place = {card: i for i, card in enumerate(deck)}
    seen = [tuple(cards) for cards in seen]
    hidden = unseen(deck, hand, *seen)
    others = [other for other, held in enumerate(sizes) if other != seat for _ in range(held)]
    fits = np.ones((len(sizes), len(hidden)), np.bool_)
    for other, cards in barred.items():
        if other < len(sizes):  # After the last seat comes a stock, which these games do not have.
            fits[other] = [card not in cards for card in hidden]
    dealt = rng.permuted(np.tile(np.array(others, np.int8), (size, 1)), axis=1)

    def imagined(stream: Stream) -> list[Seat]:
        hands = imagined_hands(seat, hand, sizes, deck, seen, barred, stream)
        owner = {card: other for other, cards in enumerate(hands) for card in cards}
        return [owner[card] for card in hidden]

    if not fits[others].all():
        _repair(dealt, fits, imagined, rng)
    owners = np.full((size, len(deck)), GONE, np.int8)
    owners[:, [place[card] for card in hidden]] = dealt
    owners[:, [place[card] for card in hand]] = seat
    return owners


def _repair(
    dealt: Owners, fits: Mask, imagined: Callable[[Stream], list[Seat]], rng: np.random.Generator
) -> None:
    """Deal again in place until every card fits its seat. `imagined` gives one such deal, but is slow."""
    cards = np.arange(dealt.shape[1])
    wrong = np.flatnonzero(~fits[dealt, cards].all(axis=1))
    for _ in range(SHUFFLES):
        if not len(wrong):
            return
        dealt[wrong] = rng.permuted(dealt[wrong], axis=1)
        wrong = wrong[~fits[dealt[wrong], cards].all(axis=1)]
    if not len(wrong):
        return
    stream = QuickStream(rng.bytes(8))
    starts = [imagined(stream) for _ in range(len(wrong) if len(wrong) <= FEW else STARTS)]
    mixed = np.array(starts, np.int8)[np.arange(len(wrong)) % len(starts)]
    if len(wrong) > FEW:
        _mix(mixed, fits, rng)
    dealt[wrong] = mixed


def _mix(owners: Owners, fits: Mask, rng: np.random.Generator) -> None:
    """Make random allowed swaps of two cards and rotations of three in place: swaps alone do not always reach
    all allowed deals. Each move is as likely as its reverse."""
    size, cards = owners.shape
    flat, start = owners.reshape(-1), np.arange(size) * cards
    for _ in range(MOVES_PER_CARD * cards):
        one, two, three = rng.integers(cards, size=(3, size))
        first, second = flat[start + one], flat[start + two]
        fit = fits[second, one] & fits[first, two]
        flat[start + one] = np.where(fit, second, first)
        flat[start + two] = np.where(fit, first, second)
        first, second, third = flat[start + one], flat[start + two], flat[start + three]
        fit = fits[second, one] & fits[third, two] & fits[first, three]
        fit &= (one != two) & (two != three) & (one != three)
        flat[start + one] = np.where(fit, second, first)
        flat[start + two] = np.where(fit, third, second)
        flat[start + three] = np.where(fit, first, third)
