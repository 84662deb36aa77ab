"""The one door for text from strangers: bots' captions, notes and output, logs from elsewhere.

What leaves here holds no control character, no escape sequence, nothing that turns the direction of
writing, and no line break where one line is due. It is still not trusted as markup: whoever prints it
prints it as plain text.
"""

import os
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

CAPTION_LIMIT = 200
TITLE_COLUMNS: Final = 32
"""Of a terminal, in which wide characters take two."""
MARKS_ON_ONE: Final = 3
"""Marks above and below one letter; Hebrew needs three, and a tower of them covers other rows."""

_UNSEEN: Final = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)))
).union(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x1F3FB, 0x1F400))))
"""Printable by their category, yet nothing is seen of them by themselves: fillers, blanks, selectors of
variants, tones of skin."""
_WIDE: Final = frozenset(
    map(chr, (*range(0x2630, 0x2638), *range(0x268A, 0x2690), *range(0x4DC0, 0x4E00)))
).union(map(chr, (*range(0x1D300, 0x1D357), *range(0x1D360, 0x1D377))))
"""Trigrams, hexagrams and tallies, which Unicode 16 widened."""
_LEFT_TO_RIGHT: Final = "\u200e"
_OBEYED: Final = re.compile("[^\n -~\U00010000-\U0010ffff]")


def shell_word(text: str) -> str:
    """A word as it may be pasted into a shell, whatever a file is called: what cannot be printed is written
    as bash, zsh and ksh read it, $'\\x1b'."""
    if text.isprintable() and "".join(_without_towers(text)) == text:
        return shlex.quote(text)
    shown = "".join(
        ("\\" if char in "\\'" else "") + char
        if char.isprintable() and not unicodedata.category(char).startswith("M")
        else "".join(f"\\x{byte:02x}" for byte in os.fsencode(char))
        for char in text
    )
    return f"$'{shown}'"


def caption(text: str, limit: int = CAPTION_LIMIT) -> str:
    """One line of at most `limit` characters: white space is folded, and what cannot be printed is left out,
    as are more than MARKS_ON_ONE marks on a letter."""
    folded = " ".join(text[: 8 * limit].split())
    shown = "".join(filter(str.isprintable, folded))
    return "".join(shown if shown.isascii() else _without_towers(shown))[:limit].strip()


def _without_towers(text: str, cure: Callable[[str], str] = lambda mark: "") -> Iterator[str]:
    """The characters of a text, with the `cure` in the place of marks above and below one that has enough of
    them. A mark on nothing, or on a blank, is one too many."""
    marks = MARKS_ON_ONE
    for char in text:
        if not _is_mark(char):
            marks = MARKS_ON_ONE if char.isspace() else 0
            yield char
        elif marks < MARKS_ON_ONE:
            marks += 1
            yield char
        else:
            yield cure(char)


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) > 0 or unicodedata.category(char) in ("Mn", "Me")


def title(text: str) -> str:
    """A caption, in Unicode's form C, of at most TITLE_COLUMNS, with an ellipsis where it was longer. What
    cannot be seen is left out; so are joiners, since no two terminals agree how wide joined pictures are."""
    seen = "".join(char for char in caption(text) if char not in _UNSEEN)
    cleaned = "".join(_without_towers(unicodedata.normalize("NFC", seen)))
    cleaned = " ".join(cleaned.split())
    if columns(cleaned) <= TITLE_COLUMNS:
        return cleaned
    while columns(cleaned) >= TITLE_COLUMNS:
        cleaned = cleaned[:-1]
    return f"{cleaned.rstrip()}…"


def first_seen(text: str) -> str:
    """The first character that is more than a blank, or nothing."""
    return next((char for char in text if char.isprintable() and not _is_blank(char)), "")


def _is_blank(char: str) -> bool:
    return char.isspace() or char in _UNSEEN or _is_mark(char)


def padded(text: str, width: int) -> str:
    """With blanks behind it up to so many columns."""
    return text + " " * (width - columns(text))


def columns(text: str) -> int:
    """How many columns of a terminal a text takes at most."""
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me") or char == _LEFT_TO_RIGHT:
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") or char in _WIDE else 1


def called(name: str, title: str) -> str:
    """What people read: the title, or else the name. Behind a title that is written from right to left stands
    an invisible mark, without which a terminal or browser would draw the numbers after it to its left."""
    turns = any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in title)
    return f"{title}{_LEFT_TO_RIGHT}" if turns else title or name


def visible(data: bytes, limit: int) -> str:
    """The last `limit` bytes as text that shows what is in them: line breaks stay, everything else that
    cannot be printed is written as an escape, `\\x1b`, and so are towers of marks."""
    text = data[-limit:].decode("utf-8", "backslashreplace")
    return "".join(
        char if char.isprintable() or char == "\n" else _escape(char)
        for char in (text if text.isascii() else "".join(_without_towers(text, _escape)))
    )


def _escape(char: str) -> str:
    return ascii(char)[1:-1]


def escaped(text: str) -> str:
    """With every character that a terminal could obey, or that hides, written as JSON and TOML write it."""
    return _OBEYED.sub(lambda found: _harmless(found[0]), text)


def _harmless(character: str) -> str:
    if character.isprintable() or character == _LEFT_TO_RIGHT:
        return character
    return f"\\u{ord(character):04x}"
