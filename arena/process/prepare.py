"""Prepares a process that starts bots, so that it does not depend on how it was itself started.

Knows neither commands nor bots.
"""

import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

from arena.process.tree import adopt_orphans, without_huge_pages
from arena.system.interruption import hear

UNCHANGED: Final = {signal.SIGKILL, signal.SIGSTOP, signal.SIGPIPE, signal.SIGXFSZ}
"""Signals whose handling cannot be changed, and those that Python sets at its start."""
ABANDONED: Final = "coroutine ignored GeneratorExit"
"""Python's words for a task that awaits something else while it is garbage-collected."""


def prepare_process() -> None:
    """Call this once, before anything else. Makes orphaned processes of bots our children, denies huge pages
    to all bots, and opens the standard streams if they are closed: otherwise a bot's pipe would get the
    descriptor of one of them."""
    hear()
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # Characters that the terminal's encoding does not have are printed as "?".
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    # We need no threads of OpenBLAS, which raises SIGINT if it cannot create them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.unraisablehook = partial(_complain_unless_abandoned, sys.unraisablehook)
    adopt_orphans()
    without_huge_pages()


def _complain_unless_abandoned(
    complain: Callable[["sys.UnraisableHookArgs"], object], what: "sys.UnraisableHookArgs"
) -> None:
    """Leave an error that nobody can catch to the hook that `hear` has set, except for a task that trio left
    as it was for lack of memory: the lack itself is reported."""
    if str(what.exc_value) != ABANDONED:
        complain(what)


def forget_caller() -> None:
    """Call this before `prepare_process` in a process that another program has started. Resets the signals
    that the program ignores or blocks, and redirects standard input to /dev/null and output to stderr."""
    for number in signal.valid_signals() - UNCHANGED:
        with contextlib.suppress(OSError):  # The C library keeps some of them to itself.
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)


def folder_is_gone() -> bool:
    """Whether the working folder has been removed."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False
