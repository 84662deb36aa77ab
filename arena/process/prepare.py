"""Prepares a process that starts bots, so that it does not depend on how it was started.

Knows neither commands nor bots.
"""

import contextlib
import io
import os
import signal
import sys
from typing import Final

from arena.process.tree import adopt_orphans
from arena.system.interruption import hear

UNCHANGED: Final = {signal.SIGKILL, signal.SIGSTOP, signal.SIGPIPE, signal.SIGXFSZ}
"""Signals whose handling nobody can change, and those that Python sets at its start."""


def prepare_process() -> None:
    """To be called once, before anything else. Orphaned processes of bots become our children. The three
    standard streams are opened if they are closed, since a bot's pipe would get the number of one of them
    otherwise."""
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
    # We do not need OpenBLAS's threads, and it raises SIGINT if it cannot create them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    adopt_orphans()


def forget_caller() -> None:
    """To be called before `prepare_process` where another program has started this process: signals that it
    ignores or blocks are as they are by default, and its standard streams are not ours."""
    for number in signal.valid_signals() - UNCHANGED:
        with contextlib.suppress(OSError):  # The C library keeps some of them to itself.
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)


def folder_is_gone() -> bool:
    """Whether the working folder has been removed."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False
