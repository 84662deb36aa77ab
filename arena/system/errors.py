"""The two classes of errors that are not bugs of ours: a mistake of the user, and a machine that cannot do
what it is asked to do. Knows which errors of the system mean that the machine has run out of something.
"""

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
"""The error numbers of an operating system that has run out of something, or whose disk is broken."""

NO_THREAD: Final = "can't start new thread"
"""The message of the RuntimeError that CPython raises when it can start no thread; nothing else marks it."""

STARVED: Final = ("MemoryError", "failed to map segment", "annot allocate memory", NO_THREAD)
"""Phrases by which Python, the dynamic loader and the system say that there is no memory or no process left.
"""


NUMERIC: Final = ("numpy", "scipy")
"""Libraries that an installation may lack (docs/install.md): making, checking and playing bots, and replaying
matches, do without them."""


def require_numeric() -> None:
    """Raises ModuleNotFoundError where one of NUMERIC is missing; loads neither, since that takes long."""
    for name in NUMERIC:
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(name=name)


class UserError(Exception):
    """A mistake of the user. Printed as one line that names the place and the way out; the command exits
    with 2."""


class MachineError(UserError):
    """This machine, or its configuration, prevents an operation. It is never a bot's fault: the match is
    void."""


def machine_trouble(error: BaseException) -> str | None:
    """One line that says what is wrong with the machine, if that is why an operation failed; else None."""
    for one in leaves(error):
        if isinstance(one, MachineError):
            return str(one)
        if isinstance(one, ModuleNotFoundError) and one.name in NUMERIC:
            return f"{one.name} is needed here and is not installed: pip install numpy scipy"
        if isinstance(one, MemoryError) or (isinstance(one, ImportError) and is_starved(str(one))):
            return "this machine has no memory left"
        if isinstance(one, RuntimeError) and str(one) == NO_THREAD:
            return "this machine has no thread or process left for this user (ulimit -u)"
        if isinstance(one, OSError) and one.errno in EXHAUSTED:
            where = f"{one.filename}: " if one.filename else ""
            return f"{where}{one.strerror}"
    return None


def is_starved(text: str) -> bool:
    """Whether `text`, the end of a program's error output, says that the machine has no memory or processes
    left."""
    return any(words in text for words in STARVED)


def leaves(error: BaseException) -> Iterator[BaseException]:
    """All single errors of a group and of the groups in it; an error that is no group yields itself."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the most similar known word, or else all known words."""
    known = list(known)
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(known)}"
