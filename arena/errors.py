"""The one class of errors that are a user's to mend, and the way out that many of them name."""

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Printed as one line, which names the place and the way out; the command exits with 2."""


def meant(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the known one it is like, or all that are known."""
    known = list(known)
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(known)}"
