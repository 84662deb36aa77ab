"""The two classes of errors that are not bugs of ours: mistakes of the user, and a machine that fails. Knows
which system errors mean that the machine has run out of something."""

import difflib
import errno
import importlib.util
from collections.abc import Iterable, Iterator
from typing import Final

EXHAUSTED: Final = frozenset(
    {
        errno.EAGAIN,  # processes and threads
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENOSPC,  # inodes too
        errno.EDQUOT,
        errno.EFBIG,
        errno.EIO,
        errno.EROFS,
        errno.ENOBUFS,
        errno.ESTALE,
    }
)
"""The errno values that mean that the system has run out of something, or that a disk is broken."""

NO_THREAD: Final = "can't start new thread"
"""The message of CPython's RuntimeError if it cannot start a thread, which nothing else identifies."""

STARVED: Final = ("MemoryError", "failed to map segment", "annot allocate memory", NO_THREAD)
"""What Python, the dynamic loader and the system print if there is no memory or process left."""


NUMERIC: Final = ("numpy", "scipy")
"""Optional libraries (docs/install.md). Making, checking and playing bots, and replays, do without them."""


def require_numeric() -> None:
    """Raises ModuleNotFoundError if one of NUMERIC is missing. Loads neither, since that is slow."""
    for name in NUMERIC:
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(name=name)


class UserError(Exception):
    """A mistake of the user. A command prints it as one line, which says where it is and how to fix it, and
    exits with 2."""


class MachineError(UserError):
    """A failure of this machine or its configuration, never of a bot. The match is void."""


def machine_trouble(error: BaseException) -> str | None:
    """One line on what is wrong with the machine, if that is why an operation failed, else None."""
    for leaf in leaves(error):
        if isinstance(leaf, MachineError):
            return str(leaf)
        if isinstance(leaf, ModuleNotFoundError) and leaf.name in NUMERIC:
            return f"{leaf.name} is needed here but is not installed: pip install numpy scipy"
        if isinstance(leaf, MemoryError) or (isinstance(leaf, ImportError) and is_starved(str(leaf))):
            return "this machine has no memory left"
        if isinstance(leaf, RuntimeError) and str(leaf) == NO_THREAD:
            return "this machine has no thread or process left for this user (ulimit -u)"
        if isinstance(leaf, OSError) and leaf.errno in EXHAUSTED:
            return f"{f'{leaf.filename}: ' if leaf.filename else ''}{leaf.strerror}"
    return None


MOST_KNOWN: Final = 24
"""Known words that an error lists."""


def is_starved(text: str) -> bool:
    """Whether `text`, the end of a program's standard error, says that there is no memory or process left."""
    return any(words in text for words in STARVED)


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors in a group and its nested groups; an error that is not a group yields itself."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the most similar known word, or else the known words."""
    known = list(known)
    if close := difflib.get_close_matches(word, known, 1):
        return f"; did you mean {close[0]!r}?"
    more = f" and {len(known) - MOST_KNOWN} more" if len(known) > MOST_KNOWN else ""
    return f"; choose from {', '.join(known[:MOST_KNOWN])}{more}"
