"""The one door for text from strangers: bots' captions, notes and output, logs from elsewhere.

What leaves here holds no control character, no escape sequence, nothing that turns the direction of
writing, and no line break where one line is due. It is still not trusted as markup: whoever prints it
prints it as plain text.
"""

CAPTION_LIMIT = 200


def caption(text: str, limit: int = CAPTION_LIMIT) -> str:
    """One line of at most `limit` characters: white space is folded, what cannot be printed is left out."""
    folded = " ".join(text[: 8 * limit].split())
    return "".join(filter(str.isprintable, folded))[:limit].strip()


def visible(data: bytes, limit: int) -> str:
    """The last `limit` bytes as text that shows what is in them: line breaks stay, everything else that
    cannot be printed is written as an escape, `\\x1b`."""
    text = data[-limit:].decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)
