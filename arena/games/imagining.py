"""What a game needs to imagine a random state that a view allows: hidden hands dealt again, and points per
deal that add up to the totals.

Knows no rules: the game says which cards a seat cannot hold.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from protocol.cards import Card, Hands, Seat, gathered, unseen
from protocol.outcome import Deals
from protocol.streams import Stream

SWAPS_PER_CARD: Final = 8

Barred = Mapping[Seat, Collection[Card]]
"""The cards that each seat cannot hold, as play has shown. The number after the last seat is a stock."""


def held_by(seat: Seat, cards: Collection[Card], seats: int) -> Barred:
    """If `seat` holds `cards`, such as cards passed to it, they are barred for other seats and a stock."""
    return {other: cards for other in range(seats + 1) if other != seat}


def all_barred(*several: Barred) -> Barred:
    """For each seat, the cards that any of `several` bars."""
    seats = {seat for barred in several for seat in barred}
    return {seat: {card for barred in several for card in barred.get(seat, ())} for seat in sorted(seats)}


def imagined_hands(
    seat: Seat,
    hand: tuple[Card, ...],
    sizes: Sequence[int],
    deck: tuple[Card, ...],
    seen: Iterable[Iterable[Card]],
    barred: Barred,
    stream: Stream,
) -> Hands:
    """The hands of all seats if only `hand` of `seat` is known. The cards of the deck that are not in `seen`
    are dealt to the other seats by `sizes`, so that no seat gets a card that is barred for it. Raises
    ValueError if no such deal exists."""
    owners = [other for other, size in enumerate(sizes) if other != seat for _ in range(size)]
    cards = list(stream.shuffled(unseen(deck, hand, *seen)))
    if barred and _repaired(cards, owners, barred):
        _mix(cards, owners, barred, stream)
    owner = dict(zip(cards, owners, strict=True)) | dict.fromkeys(hand, seat)
    return gathered(owner, len(sizes), deck)


def imagined_with_stock(
    seat: Seat,
    hand: tuple[Card, ...],
    sizes: Sequence[int],
    deck: tuple[Card, ...],
    seen: Iterable[Iterable[Card]],
    barred: Barred,
    stream: Stream,
) -> tuple[Hands, tuple[Card, ...]]:
    """Like `imagined_hands`, with a stock: all cards in no hand that were not seen, in random order."""
    cards = tuple(map(tuple, seen))
    left = len(unseen(deck, hand, *cards)) - (sum(sizes) - len(hand))
    *hands, stock = imagined_hands(seat, hand, (*sizes, left), deck, cards, barred, stream)
    return tuple(hands), stream.shuffled(stock)


def _repaired(cards: list[Card], owners: Sequence[Seat], barred: Barred) -> bool:
    """Move `cards` in place until no seat has a card that is barred for it; whether any had to move.
    `owners[i]` has `cards[i]`. Kuhn's augmenting paths: a card may displace others until one finds an empty
    place."""
    lying: list[Card | None] = []
    homeless = []
    for card, owner in zip(cards, owners, strict=True):
        fits = card not in barred.get(owner, ())
        lying.append(card if fits else None)
        if not fits:
            homeless.append(card)

    def place(card: Card, tried: set[int]) -> bool:
        for i, owner in enumerate(owners):
            if i in tried or card in barred.get(owner, ()):
                continue
            tried.add(i)
            other = lying[i]
            if other is None or place(other, tried):
                lying[i] = card
                return True
        return False

    for card in homeless:
        if not place(card, set()):
            raise ValueError("no deal of the hidden cards is consistent with what was shown")
    cards[:] = [card for card in lying if card is not None]
    return bool(homeless)


def _mix(cards: list[Card], owners: Sequence[Seat], barred: Barred, stream: Stream) -> None:
    """Make random allowed swaps in place. Each swap is as likely as its reverse, so in the long run all
    reachable deals are equally likely. A shuffled deal that needs no repair is uniform already."""
    for _ in range(SWAPS_PER_CARD * len(cards)):
        one, two = stream.below(len(cards)), stream.below(len(cards))
        if cards[one] not in barred.get(owners[two], ()) and cards[two] not in barred.get(owners[one], ()):
            cards[one], cards[two] = cards[two], cards[one]


def booked(totals: tuple[int, ...], finished: int) -> Deals:
    """Points of `finished` deals that add up to `totals`: all in the first, since a view has only sums."""
    zero = (0,) * len(totals)
    return (totals,) + (zero,) * (finished - 1) if finished else ()
