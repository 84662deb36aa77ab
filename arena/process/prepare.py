"""Prepares a process that starts bots, so that it does not depend on how it was started.

Knows neither commands nor bots.
"""

import contextlib
import io
import os
import signal
import sys
from types import FrameType
from typing import Final

from arena.process.tree import adopt_orphans

UNCHANGED: Final = {signal.SIGKILL, signal.SIGSTOP, signal.SIGPIPE, signal.SIGXFSZ}
"""Signals whose handling nobody can change, and those that Python sets at its start."""
ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)


def prepare_process() -> None:
    """To be called once, before anything else. Orphaned processes of bots become our children. SIGTERM and
    SIGHUP end a command as Ctrl-C does, with all its processes. The three standard streams are opened if they
    are closed, since a bot's pipe would get the number of one of them otherwise."""
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
    for number in ENDINGS:
        # A signal that is ignored, as by nohup, stays ignored.
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)
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


def discard_output(*descriptors: int) -> None:
    """Replace these descriptors by /dev/null, so that printing there does not fail when the reader is gone.
    By default standard output and standard error."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors or (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _end(number: int, _: FrameType | None) -> None:
    for other in ENDINGS:
        signal.signal(other, signal.SIG_IGN)  # We are exiting already.
    if number == signal.SIGHUP:
        discard_output()
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL):
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)
