"""Hidden cards, dealt at random to the seats that may hold them, for many deals at once. Knows no rules.

A shuffled deal in which no seat holds a card that is barred for it is one of all such deals, each as likely.
Where few shuffled deals are such, random swaps lead from one to the next; each is as likely as its reverse.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from arena.batches.batch import GONE, Owners
from arena.games.imagining import Barred, imagined_hands
from protocol.cards import Card, Seat, unseen
from protocol.streams import Stream

SHUFFLES: Final = 4
"""How often a deal is shuffled before swaps lead to one that is allowed."""
SWAPS_PER_CARD: Final = 8


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
    """Owners in `size` random deals; the other parameters are those of `imagined_hands`. Raises ValueError if
    no such deal exists."""
    place = {card: at for at, card in enumerate(deck)}
    seen = [tuple(cards) for cards in seen]
    hidden = unseen(deck, hand, *seen)
    others = [other for other, held in enumerate(sizes) if other != seat for _ in range(held)]
    fits = np.ones((len(sizes), len(hidden)), np.bool_)
    for other, cards in barred.items():
        fits[other] = [card not in cards for card in hidden]
    dealt = rng.permuted(np.tile(np.array(others, np.int8), (size, 1)), axis=1)
    at = np.arange(len(hidden))
    if not fits[others].all():
        wrong = np.flatnonzero(~fits[dealt, at].all(axis=1))
        for _ in range(SHUFFLES):
            dealt[wrong] = rng.permuted(dealt[wrong], axis=1)
            wrong = wrong[~fits[dealt[wrong], at].all(axis=1)]
        if len(wrong):
            known = imagined_hands(seat, hand, sizes, deck, seen, barred, Stream(f"{rng.bytes(8).hex()}"))
            owner = {card: other for other, cards in enumerate(known) for card in cards}
            walked = np.tile(np.array([owner[card] for card in hidden], np.int8), (len(wrong), 1))
            _swap(walked, fits, rng)
            dealt[wrong] = walked
    owners = np.full((size, len(deck)), GONE, np.int8)
    owners[:, [place[card] for card in hidden]] = dealt
    owners[:, [place[card] for card in hand]] = seat
    return owners


def _swap(owners: Owners, fits: np.ndarray, rng: np.random.Generator) -> None:
    """Make random allowed swaps in place, in every deal some."""
    size, cards = owners.shape
    flat, start = owners.reshape(-1), np.arange(size) * cards
    for one, two in rng.integers(cards, size=(SWAPS_PER_CARD * cards, 2, size)):
        first, second = flat[start + one], flat[start + two]
        fit = fits[first, two] & fits[second, one]
        flat[start + one] = np.where(fit, second, first)
        flat[start + two] = np.where(fit, first, second)
