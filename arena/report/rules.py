"""The rules of a game for readers of a page who may not know it, from the game's own text without what only
bots and their authors need. Knows no match."""

import functools
import re
from collections.abc import Iterator
from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup

from arena.games import GAMES, registry

_FOR_BOTS: Final = re.compile(r"^(\*\*Decisions\*\*|#+ On the wire)$", re.MULTILINE)
"""The text from this line on is about messages."""

_LISTING: Final = re.compile(r"((?<=\.)\s[^.]*:)?\n\n```python\n.*?\n```$", re.DOTALL | re.MULTILINE)
"""A rule as a program, with the sentence that introduces it."""
_OF_A_LISTING: Final = re.compile(r"\s\([^()]*\[listing\]\([^()]*\)[^()]*\)")
"""The sentence about the listing of another game."""

_LINK: Final = re.compile(r"\]\(#([a-z0-9-]+)\)")

# Without HTML and pictures, so that a package's text stays text and the page loads nothing.
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_HEADING: Final = 2
"""Headings on the page are lower than in the text by this many levels."""


@functools.cache
def rules_html(id: str) -> Markup:
    """The rules as HTML; "" if the game's package brings none."""
    tokens = _MARKDOWN.parse("\n".join(_texts(id)))
    for token in tokens:
        # A page's policy allows no inline styles, and links lead to places that are not on the page.
        token.attrs.pop("style", None)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + _HEADING)}"
        if token.children:
            links = ("link_open", "link_close")
            token.children = [child for child in token.children if child.type not in links]
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def _texts(id: str) -> Iterator[str]:
    """The text of the game, and of the arena's other games to which it refers."""
    yield (text := _for_people(id))
    for other in dict.fromkeys(_LINK.findall(text)):
        if other in GAMES and other != id:
            yield _for_people(other)


def _for_people(id: str) -> str:
    text = _FOR_BOTS.split(registry.rules_of(id))[0]
    text = _OF_A_LISTING.sub("", _LISTING.sub("", text))
    # Keep a range such as 1 … 13 in one line.
    return text.replace(" … ", "\N{NO-BREAK SPACE}…\N{NO-BREAK SPACE}")
