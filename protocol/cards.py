"""Cards as text: a suit letter and a value, `G11`. The text *is* the card, on the wire and in the rules.

Knows no game: the rules say which suits and values make a deck.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Annotated, Final, TypeAlias

import msgspec

Card: TypeAlias = str
Suit: TypeAlias = str
Seat: TypeAlias = int
IN_DECK_ORDER: Final = msgspec.Meta(extra={"order": "deck"})
"""Marks a list of cards whose order means nothing, so that learners need no numbers for it."""
Hands: TypeAlias = Annotated[tuple[tuple[Card, ...], ...], IN_DECK_ORDER]
"""The hand of each seat, in deck order."""

HIGHEST_VALUE: Final = 99
"""A value has at most two digits."""

# Search bots look up millions of values: a table is four times as fast as parsing the digits, and its own
# method is twice as fast as a function around it.
_VALUES: Final[Mapping[Card, int]] = {
    f"{letter}{value}": value for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for value in range(HIGHEST_VALUE + 1)
}

suit: Final[Callable[[Card], Suit]] = itemgetter(0)
value: Final[Callable[[Card], int]] = _VALUES.__getitem__


def deck(suits: Mapping[Suit, range]) -> tuple[Card, ...]:
    """All cards in deck order: suit after suit as given, values ascending within a suit."""
    return tuple(f"{letter}{value}" for letter, values in suits.items() for value in values)


def without(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    """`cards` without `card`. Raises ValueError if `cards` does not hold it."""
    left = list(cards)  # Faster than two slices.
    left.remove(card)
    return tuple(left)


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
    """Every seat's hand, in the order of `deck`. `owner` maps each card that is in a hand to its seat."""
    hands: list[list[Card]] = [[] for _ in range(seats)]
    for card in deck:
        if card in owner:
            hands[owner[card]].append(card)
    return tuple(map(tuple, hands))


def unseen(deck: Iterable[Card], *seen: Iterable[Card]) -> list[Card]:
    """The cards of `deck` that none of `seen` holds, in deck order."""
    known = {card for cards in seen for card in cards}
    return [card for card in deck if card not in known]
