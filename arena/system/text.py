"""Sanitises text from strangers once, where it enters: bots' captions, notes and output, logs from elsewhere.

The results contain no control character, no escape sequence, nothing that changes the writing direction, and
no line break if one line is wanted. They are not safe as markup: print them as plain text. Knows characters
and terminals, not where a text comes from.
"""

import os
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

CAPTION_LIMIT = 200
SENTENCE_LIMIT: Final = 2000
"""Characters of a sentence about what happened in a match."""
TITLE_COLUMNS: Final = 32
"""In columns of a terminal, of which wide characters take two."""
TITLE_END: Final = 10
"""A shortened title keeps this many columns at its end, which may be what distinguishes it."""
MARKS_ON_ONE: Final = 3
"""The most combining marks on one letter. Hebrew needs three; a tall stack would cover other rows."""

_UNSEEN: Final = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)))
).union(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x1F3FB, 0x1F400))))
"""Characters whose category is printable but that are invisible when alone: fillers, blanks, variation
selectors, skin tones."""
_WIDE: Final = frozenset(
    map(chr, (*range(0x2630, 0x2638), *range(0x268A, 0x2690), *range(0x4DC0, 0x4E00)))
).union(map(chr, (*range(0x1D300, 0x1D357), *range(0x1D360, 0x1D377))))
"""Trigrams, hexagrams and tallies. They are wide since Unicode 16; Python's tables may be older."""
_LEFT_TO_RIGHT: Final = "\u200e"
_OBEYED: Final = re.compile("[^\n -~\U00010000-\U0010ffff]")


def in_utf8(path: str) -> str:
    """The path with `?` for each byte that is not valid UTF-8, so that it can be written as JSON."""
    return path.encode("utf-8", "replace").decode()


def shell_word(path: str | os.PathLike[str]) -> str:
    r"""A path or another text, quoted for pasting into a shell as one word. Unprintable characters are
    written as bash, zsh and ksh read them: $'\x1b'."""
    text = os.fspath(path)
    if text.isprintable() and "".join(_without_stacks(text)) == text:
        return shlex.quote(text)
    shown = "".join(
        ("\\" if char in "\\'" else "") + char
        if char.isprintable() and not unicodedata.category(char).startswith("M")
        else "".join(f"\\x{byte:02x}" for byte in os.fsencode(char))
        for char in text
    )
    return f"$'{shown}'"


def caption(text: str, limit: int = CAPTION_LIMIT) -> str:
    """`text` as one line of at most `limit` characters. White space is folded; unprintable characters, and
    marks on a letter beyond MARKS_ON_ONE, are removed."""
    # Only process the beginning, since a bot may send megabytes.
    folded = " ".join(text[: 8 * limit].split())
    shown = "".join(filter(str.isprintable, folded))
    return "".join(shown if shown.isascii() else _without_stacks(shown))[:limit].strip()


def _without_stacks(text: str, replacement: Callable[[str], str] = lambda mark: "") -> Iterator[str]:
    """The characters of `text`; marks on a letter beyond MARKS_ON_ONE are passed through `replacement`. At
    the beginning and on a blank no mark is allowed."""
    marks = MARKS_ON_ONE
    for char in text:
        if not _is_mark(char):
            marks = MARKS_ON_ONE if char.isspace() else 0
            yield char
        elif marks < MARKS_ON_ONE:
            marks += 1
            yield char
        else:
            yield replacement(char)


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) > 0 or unicodedata.category(char) in ("Mn", "Me")


def title(text: str) -> str:
    """`text` as a caption in Unicode's form C, of at most TITLE_COLUMNS; an ellipsis replaces the middle of a
    longer one. Invisible characters are removed, and so are joiners, since terminals differ in the width of
    joined pictures."""
    seen = "".join(char for char in caption(text) if char not in _UNSEEN)
    cleaned = "".join(_without_stacks(unicodedata.normalize("NFC", seen)))
    cleaned = " ".join(cleaned.split())
    if columns(cleaned) <= TITLE_COLUMNS:
        return cleaned
    end = cleaned
    # Without its letter, a mark would sit on the ellipsis.
    while columns(end) > TITLE_END or _is_mark(end[0]):
        end = end[1:]
    while columns(cleaned) + 1 + columns(end) > TITLE_COLUMNS:
        cleaned = cleaned[:-1]
    return f"{cleaned.rstrip()}…{end.lstrip()}"


def first_seen(text: str) -> str:
    """The first visible character, or "" if there is none."""
    return next((char for char in text if char.isprintable() and not _is_blank(char)), "")


def _is_blank(char: str) -> bool:
    return char.isspace() or char in _UNSEEN or _is_mark(char)


def padded(text: str, width: int) -> str:
    """`text` padded with blanks to `width` columns of a terminal."""
    return text + " " * (width - columns(text))


def columns(text: str) -> int:
    """The greatest number of terminal columns that `text` can take."""
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me") or char == _LEFT_TO_RIGHT:
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") or char in _WIDE else 1


def called(name: str, title: str) -> str:
    """The text shown to people: the title, or else `name`. A title written from right to left is followed by
    an invisible mark, without which a terminal or browser would show numbers after it to its left."""
    turns = any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in title)
    return f"{title}{_LEFT_TO_RIGHT}" if turns else title or name


def visible(data: bytes, limit: int) -> str:
    r"""The last `limit` bytes as text in which everything is visible. Line breaks stay; other unprintable
    characters, and marks beyond MARKS_ON_ONE, become escapes: `\x1b`."""
    text = data[-limit:].decode("utf-8", "backslashreplace")
    return "".join(
        char if char.isprintable() or char == "\n" else _escape(char)
        for char in (text if text.isascii() else "".join(_without_stacks(text, _escape)))
    )


def _escape(char: str) -> str:
    return ascii(char)[1:-1]


def escaped(text: str) -> str:
    """`text` with characters that are invisible or that a terminal obeys escaped as in JSON and TOML."""
    return _OBEYED.sub(lambda found: _harmless(found[0]), text)


def _harmless(character: str) -> str:
    if character.isprintable() or character == _LEFT_TO_RIGHT:
        return character
    return f"\\u{ord(character):04x}"
