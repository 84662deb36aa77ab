"""Ctrl-C, SIGTERM and SIGHUP in a command, from its first line to its last. One handler records that it was
interrupted, so that this is known also where a library turns the exception into another one.

Knows no command and imports next to nothing, since it stands before everything else. What an interruption
does depends on what runs:

    while the command is loaded     nothing is to be undone: the process ends at once
    `listening`                     whoever listens is told, and nothing is raised
    `held`, or within an import     KeyboardInterrupt is raised behind it. A module written in C prints one
                                    that comes while it is loaded, and goes on with an ImportError
    otherwise                       KeyboardInterrupt is raised, and a second one only much later
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STATUS: Final = 130
"""The exit status of a command that was interrupted."""
AGAIN_SECONDS: Final = 0.01
"""Between two looks whether what defers an interruption is over."""
PATIENCE_SECONDS: Final = 5.0
"""How long an import may defer an interruption, and how long the way out may take undisturbed."""

_asked = False
_begun = False
_held = 0
_waiting = 0
"""The signal that is deferred; 0 if none is."""
_since = 0.0
"""When it came."""
_raised = -PATIENCE_SECONDS
"""When KeyboardInterrupt was raised last."""
_listeners: list[Callable[[int], None]] = []


def hear() -> None:
    """To be called by a command's first line, and again by whatever sets handlers anew. SIGTERM and SIGHUP
    are as Ctrl-C. A signal that is ignored stays ignored: SIGHUP by nohup, SIGINT by a shell's `&`."""
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _on_signal)
    signal.signal(signal.SIGALRM, _on_signal)
    sys.unraisablehook = _on_unraisable


def begin() -> None:
    """To be called once the command itself is loaded: from now on there is something to undo."""
    global _begun
    _begun = True


def asked() -> bool:
    """Whether this process was interrupted."""
    return _asked


def ignore() -> None:
    """The command is about to end: from now on nothing interrupts it. The interpreter would restore the
    handlers at its end that the system has for signals which are not ignored."""
    _listeners.append(lambda number: None)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """What begins here ends here: meanwhile an interruption waits. For what makes or removes something that
    must not be left, such as a process."""
    global _held
    ours = threading.current_thread() is threading.main_thread()  # Signals come to no other thread.
    _held += ours
    try:
        yield
    finally:
        _held -= ours


@contextlib.contextmanager
def listening(listener: Callable[[int], None]) -> Iterator[None]:
    """Meanwhile `listener` is called with the number of each signal, at any point of the main thread. Also
    where SIGINT was ignored: what plays for hours can be asked to stop by it."""
    before = {
        number: signal.signal(number, _on_signal)
        for number in SIGNALS
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN
    }
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
        for number, handler in before.items():
            signal.signal(number, handler)


def discard_output(*descriptors: int) -> None:
    """Replace these descriptors by /dev/null, so that printing there does not fail when the reader is gone.
    By default standard output and standard error."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors or (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _on_signal(number: int, frame: FrameType | None) -> None:
    global _asked, _waiting, _since, _raised
    now = time.monotonic()
    if number != signal.SIGALRM:
        _asked, _waiting, _since = True, number, _since if _waiting else now
    elif not _waiting:
        return
    if number == signal.SIGHUP:
        discard_output()  # The terminal is gone.
    if _listeners:
        heard, _waiting = _waiting, 0
        _listeners[-1](heard)
    elif not _begun:
        _leave()
    elif _held or (_importing(frame) and now - _since < PATIENCE_SECONDS):
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        _waiting = 0
        if now - _raised > PATIENCE_SECONDS:
            _raised = now
            raise KeyboardInterrupt


def _leave() -> None:
    with contextlib.suppress(OSError):
        os.write(2, b"arena: interrupted\n")
        if "--json" in sys.argv:
            os.write(1, b'{"error": "interrupted", "exit": %d}\n' % STATUS)
    os._exit(STATUS)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _on_unraisable(unraisable: "UnraisableHookArgs") -> None:
    """One that was raised where nothing can be raised, as in a destructor, is raised again."""
    global _waiting, _since, _raised
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _waiting, _since, _raised = signal.SIGINT, time.monotonic(), -PATIENCE_SECONDS
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(unraisable)
