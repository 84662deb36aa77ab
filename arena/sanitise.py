"""The one door for text from strangers: bots' captions, notes and output, logs from elsewhere.

What leaves here holds no control character, no escape sequence, nothing that turns the direction of
writing, and no line break where one line is due. It is still not trusted as markup: whoever prints it
prints it as plain text.
"""

import os
import shlex

CAPTION_LIMIT = 200


def shell_word(text: str) -> str:
    """A word as it may be pasted into a shell, whatever a file is called: what cannot be printed is written
    as bash, zsh and ksh read it, $'\\x1b'."""
    if text.isprintable():
        return shlex.quote(text)
    shown = "".join(
        ("\\" if char in "\\'" else "") + char
        if char.isprintable()
        else "".join(f"\\x{byte:02x}" for byte in os.fsencode(char))
        for char in text
    )
    return f"$'{shown}'"


def caption(text: str, limit: int = CAPTION_LIMIT) -> str:
    """One line of at most `limit` characters: white space is folded, what cannot be printed is left out."""
    folded = " ".join(text[: 8 * limit].split())
    return "".join(filter(str.isprintable, folded))[:limit].strip()


def visible(data: bytes, limit: int) -> str:
    """The last `limit` bytes as text that shows what is in them: line breaks stay, everything else that
    cannot be printed is written as an escape, `\\x1b`."""
    text = data[-limit:].decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)
