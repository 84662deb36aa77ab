"""The process that a command runs in: what it may count on, whoever has started it and however.

Knows no command.
"""

import io
import os
import signal
import sys
from types import FrameType
from typing import Final

from arena.process.tree import adopt_orphans

ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)


def prepare_process() -> None:
    """To be called once, before anything else. What a bot leaves behind becomes our child; SIGTERM and SIGHUP
    end a command as Ctrl-C does, so that nothing is left of it; the three standard streams are open, or the
    pipe of a bot would get the number of one of them."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal without our characters shows others in their place.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    for number in ENDINGS:
        # What is ignored, as below nohup, stays so.
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)
    # Its threads are of no use here, and where none is to be had it raises SIGINT.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    adopt_orphans()


def folder_is_gone() -> bool:
    """Whether the working folder is no longer there."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def hang_up(*descriptors: int) -> None:
    """Nobody reads there any more: whatever is printed goes nowhere, and does not fail. It holds for standard
    output and standard error, unless one of them is named."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors or (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _end(number: int, _: FrameType | None) -> None:
    for other in ENDINGS:
        signal.signal(other, signal.SIG_IGN)  # We are on the way out.
    if number == signal.SIGHUP:
        hang_up()
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL):
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)
