"""Cards as text: a suit letter and a value, `G11`. The text *is* the card, on the wire and in the rules.

Knows no game: which suits and values make a deck is said by the rules.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Final, TypeAlias

Card: TypeAlias = str
Suit: TypeAlias = str
Seat: TypeAlias = int
Hands: TypeAlias = tuple[tuple[Card, ...], ...]
"""By seat, each in deck order."""

HIGHEST_VALUE: Final = 18

# Search bots look up millions: a table is four times as fast as reading digits, and a built-in callable twice
# as fast as a function around it.
_VALUES: Final[Mapping[Card, int]] = {
    f"{letter}{value}": value for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for value in range(HIGHEST_VALUE + 1)
}

suit: Final[Callable[[Card], Suit]] = itemgetter(0)
value: Final[Callable[[Card], int]] = _VALUES.__getitem__


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


def gathered(owner: Mapping[Card, Seat], seats: int, deck: Iterable[Card]) -> Hands:
    """Every seat's hand, when `owner` says who holds a card; a card that nobody holds is left out."""
    hands: list[list[Card]] = [[] for _ in range(seats)]
    for card in deck:
        if card in owner:
            hands[owner[card]].append(card)
    return tuple(map(tuple, hands))


def unseen(deck: Iterable[Card], *seen: Iterable[Card]) -> list[Card]:
    """The cards of `deck` that stand in none of `seen`, in deck order."""
    known = {card for cards in seen for card in cards}
    return [card for card in deck if card not in known]
