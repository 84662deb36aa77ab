"""Cards, hands and seats as coloured text. A colour never says what its letter does not say too.

Knows no game: suits come with their names, and a name brings its colour.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

from rich.text import Text

from protocol.cards import Card, Suit, suit, value

Suits = Mapping[Suit, str]

STYLES: Final[Mapping[str, str]] = {
    "red": "bold bright_red",
    "orange": "bold dark_orange",
    "yellow": "bold yellow",
    "green": "bold green",
    "blue": "bold bright_blue",
    "purple": "bold magenta",
    "violet": "bold magenta",
    "grey": "bold bright_black",
}
"""By the name of a suit; a suit of another name goes without."""

NONE: Final = Text("–", "dim")


def style_of(letter: Suit, suits: Suits) -> str:
    return STYLES.get(suits.get(letter, ""), "")


def coloured(card: Card, suits: Suits) -> Text:
    return Text(card, style_of(suit(card), suits))


def by_suit(cards: Iterable[Card]) -> Iterator[tuple[Suit, list[Card]]]:
    """Cards in deck order, suit after suit."""
    for letter, group in groupby(cards, suit):
        yield letter, list(group)


def hand(cards: Iterable[Card], suits: Suits) -> Text:
    """A hand in short: each letter once, `R3 7 11  G0 4`."""
    parts = [
        Text(f"{letter}{' '.join(str(value(card)) for card in own)}", style_of(letter, suits))
        for letter, own in by_suit(cards)
    ]
    return Text("  ").join(parts) if parts else NONE
