"""Cards and hands as coloured text. Colour is never the only sign: every card has its suit's letter.

Knows no game: suits come with their names, and the name decides the colour.
"""

import re
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
    "clubs": "bold green",
    "diamonds": "bold bright_blue",
    "hearts": "bold bright_red",
    "spades": "bold bright_black",
}
"""rich styles by the name of a suit; any other suit has none."""

NONE: Final = Text("–", "dim")


def style_of(letter: Suit, suits: Suits) -> str:
    """The rich style of a suit; "" if it has none."""
    return STYLES.get(suits.get(letter, ""), "")


def coloured(card: Card, suits: Suits) -> Text:
    """A card, letter and value, in the colour of its suit."""
    return Text(card, style_of(suit(card), suits))


def coloured_words(text: str, suits: Suits) -> Text:
    """A line of text with every word that is a card in the colour of its suit."""
    parts = re.split(r"([A-Z]\d{1,2})\b", text)
    styles = [style_of(part[:1], suits) if at % 2 else "" for at, part in enumerate(parts)]
    return Text.assemble(*zip(parts, styles, strict=True))


def by_suit(cards: Iterable[Card]) -> Iterator[tuple[Suit, list[Card]]]:
    """Cards by suit. The cards must be in deck order."""
    for letter, group in groupby(cards, suit):
        yield letter, list(group)


def hand(cards: Iterable[Card], suits: Suits) -> Text:
    """A hand with each letter once: `R3 7 11  G0 4`. The cards must be in deck order."""
    parts = [
        Text(f"{letter}{' '.join(str(value(card)) for card in own)}", style_of(letter, suits))
        for letter, own in by_suit(cards)
    ]
    return Text("  ").join(parts) if parts else NONE
