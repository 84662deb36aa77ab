"""Handles Ctrl-C, SIGTERM and SIGHUP in a command, from its first line to its last. One handler records the
interruption, so that it is known even if a library converts the exception into another one.

Knows no command and imports almost nothing, since it is loaded first after `leaving`. The effect of an
interruption depends on what is running:

    the command is being loaded     the process ends at once, since there is nothing to undo
    `listening`                     the listener is called, and nothing is raised
    `held`, or an import            KeyboardInterrupt is raised after it. A module written in C would print
                                    one raised while it is loaded, and continue with an ImportError
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

from arena.system.leaving import leave

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN_SECONDS: Final = 0.01
"""How often a deferred interruption is tried again."""
PATIENCE_SECONDS: Final = 5.0
"""How long an import may defer an interruption, and how long the cleaning up runs undisturbed."""

_asked = False
_begun = False
_held = 0
_waiting = 0
"""The deferred signal; 0 if there is none."""
_since = 0.0
"""When it arrived."""
_raised = -PATIENCE_SECONDS
"""When KeyboardInterrupt was last raised."""
_listeners: list[Callable[[int], None]] = []


def hear() -> None:
    """Install the handlers. Call it in a command's first line, and again after anything else has set
    handlers. SIGTERM and SIGHUP act like Ctrl-C. A signal that is ignored stays ignored: SIGHUP by nohup,
    SIGINT by a shell's `&`."""
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, leave):
            signal.signal(number, _on_signal)
    signal.signal(signal.SIGALRM, _on_signal)
    sys.unraisablehook = _on_unraisable


def begin() -> None:
    """Declare that the command is loaded: from now on there is something to undo."""
    global _begun
    _begun = True


def asked() -> bool:
    """Whether this process was interrupted."""
    return _asked


def ignore() -> None:
    """Ignore interruptions from now on, since the command is about to end. At its end the interpreter
    restores the system's handlers, except for ignored signals."""
    _listeners.append(lambda number: None)
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in (*SIGNALS, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Defer interruptions while this context is open. For code that creates or removes something that must
    not be left behind, such as a process."""
    global _held
    ours = threading.current_thread() is threading.main_thread()  # Only this thread receives signals.
    _held += ours
    try:
        yield
    finally:
        _held -= ours


@contextlib.contextmanager
def listening(listener: Callable[[int], None]) -> Iterator[None]:
    """While this context is open, call `listener` with the number of each signal, at any point of the main
    thread. This includes a SIGINT that was ignored, so that a long run in the background can be asked to
    stop."""
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
    """Redirect these descriptors, by default standard output and standard error, to /dev/null, so that
    printing does not fail once the reader is gone."""
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
        leave()
    elif _held or (_importing(frame) and now - _since < PATIENCE_SECONDS):
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        _waiting = 0
        if now - _raised > PATIENCE_SECONDS:
            _raised = now
            raise KeyboardInterrupt


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _on_unraisable(unraisable: "UnraisableHookArgs") -> None:
    """Raise a KeyboardInterrupt again that Python could not propagate, as from a destructor."""
    global _waiting, _since, _raised
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _waiting, _since, _raised = signal.SIGINT, time.monotonic(), -PATIENCE_SECONDS
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(unraisable)
