"""Cards as text: a suit letter and a value, `G11`. The text *is* the card, on the wire and in the rules.

Knows no game: which suits and values make a deck is said by the rules.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Final, TypeAlias

Card: TypeAlias = str
Suit: TypeAlias = str
Seat: TypeAlias = int
Hands: TypeAlias = tuple[tuple[Card, ...], ...]
"""By seat, each in deck order."""

HIGHEST_VALUE: Final = 18

# Looking a value up is four times as fast as reading its digits, and search bots look up millions.
_VALUES: Final[Mapping[Card, int]] = {
    f"{letter}{value}": value for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for value in range(HIGHEST_VALUE + 1)
}


def suit(card: Card) -> Suit:
    return card[0]


def value(card: Card) -> int:
    return _VALUES[card]


def deck(suits: Mapping[Suit, range]) -> tuple[Card, ...]:
    """All cards in deck order: suit after suit as given, values ascending within a suit."""
    return tuple(f"{letter}{value}" for letter, values in suits.items() for value in values)


def without(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    """`cards` without one `card`. Raises ValueError if it is not there."""
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


def laid(hands: Hands, seat: Seat, card: Card) -> Hands:
    """`hands` after `seat` has laid `card`."""
    left = list(hands)
    left[seat] = without(left[seat], card)
    return tuple(left)


def ordered(cards: Iterable[Card], deck: Sequence[Card]) -> tuple[Card, ...]:
    """`cards` in deck order."""
    wanted = set(cards)
    return tuple([card for card in deck if card in wanted])


def cut(cards: Sequence[Card], sizes: Iterable[int], deck: Sequence[Card]) -> Hands:
    """`cards` cut into hands of these sizes, each in deck order."""
    ends = tuple(accumulate(sizes, initial=0))
    return tuple(ordered(cards[start:end], deck) for start, end in pairwise(ends))


def unseen(deck: Iterable[Card], *seen: Iterable[Card]) -> list[Card]:
    """The cards of `deck` that stand in none of `seen`, in deck order."""
    known = {card for cards in seen for card in cards}
    return [card for card in deck if card not in known]
