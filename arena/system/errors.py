"""The two classes of errors that are not ours to mend: a user's mistake, with the way out that many of them
name, and a machine that cannot do what it is asked.
"""

import difflib
import errno
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
"""What an operating system answers when it has run out of something, or its disk is broken."""

NO_THREAD: Final = "can't start new thread"
"""All that CPython says of it, in a RuntimeError."""

STARVED: Final = ("MemoryError", "failed to map segment", "annot allocate memory", NO_THREAD)
"""Words in which Python, a loader of libraries and the system say that there is no memory, or no process."""


class UserError(Exception):
    """Printed as one line, which names the place and the way out; the command exits with 2."""


class MachineError(UserError):
    """This machine, or how it is set up, stands in the way. It is never a bot's fault: a match that meets it
    is void."""


def machine_trouble(error: BaseException) -> str | None:
    """What is wrong with the machine, in a line, where that is why an operation failed; None where it is
    not."""
    for one in leaves(error):
        if isinstance(one, MachineError):
            return str(one)
        if isinstance(one, MemoryError) or (isinstance(one, ImportError) and is_starved(str(one))):
            return "this machine has no memory left"
        if isinstance(one, RuntimeError) and str(one) == NO_THREAD:
            return "this machine has no thread or process left for this user (ulimit -u)"
        if isinstance(one, OSError) and one.errno in EXHAUSTED:
            where = f"{one.filename}: " if one.filename else ""
            return f"{where}{one.strerror}"
    return None


def is_starved(text: str) -> bool:
    """Whether these last words tell of a machine without memory or processes left."""
    return any(words in text for words in STARVED)


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors of a group, and of the groups in it; one that is no group by itself."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def meant(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the known one it is like, or all that are known."""
    known = list(known)
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(known)}"
