"""Runs trio tasks so that an interruption cancels them, and they can clean up. Knows no bots."""

import contextlib
import math
import signal
import sys
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Final, TypeVar

import trio

from arena.system.errors import MachineError
from arena.system.interruption import asked, listening

T = TypeVar("T")

STUCK_SECONDS: Final = 1.0
"""If the tasks have not been cancelled this long after an interruption, the next one raises
KeyboardInterrupt."""
SHUTDOWN_SECONDS: Final = 10.0
"""Time limit for trio's own shutdown. It is normally immediate, but trio waits forever if a lack of memory
has killed its task for callbacks."""


def run_tasks(tasks: Callable[..., Awaitable[T]], *arguments: Any) -> T:
    """Like trio.run, but an interruption cancels the tasks and then raises KeyboardInterrupt. Raises
    MachineError if trio cannot shut down."""

    async def cancellable() -> T:
        token, first = trio.lowlevel.current_trio_token(), math.inf
        with trio.CancelScope() as everything:

            def on_signal(number: int) -> None:
                nonlocal first
                now = time.monotonic()
                if now - first > STUCK_SECONDS and not everything.cancel_called:
                    raise KeyboardInterrupt
                first = min(first, now)
                token.run_sync_soon(everything.cancel)

            with listening(on_signal):
                try:
                    return await tasks(*arguments)
                finally:
                    # None of our code runs in trio from here on, so nothing else uses this timer.
                    signal.signal(signal.SIGALRM, _give_up)
                    signal.setitimer(signal.ITIMER_REAL, SHUTDOWN_SECONDS)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGALRM)
    try:
        return trio.run(cancellable)
    except trio.TrioInternalError as error:
        if not isinstance(error.__cause__, MachineError | KeyboardInterrupt):
            raise
        # Abandoned tasks cause warnings when they are garbage-collected.
        warnings.simplefilter("ignore", RuntimeWarning)
        sys.unraisablehook = lambda _: None
        raise error.__cause__ from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _give_up(_number: int, _frame: object) -> None:
    if asked():
        raise KeyboardInterrupt
    raise MachineError("the event loop could not end: this machine has no memory left (ulimit -d, ulimit -v)")


@contextlib.contextmanager
def signals() -> Iterator[AsyncIterator[int]]:
    """Yield the numbers of interrupting signals as they arrive; they have no other effect in this context."""
    token = trio.lowlevel.current_trio_token()
    send, receive = trio.open_memory_channel[int](math.inf)
    with listening(lambda number: token.run_sync_soon(send.send_nowait, number)):
        yield receive


def end_with_task() -> None:
    """If this thread was started by a trio task that is cancelled, raise trio.Cancelled; in any other thread,
    do nothing."""
    with contextlib.suppress(RuntimeError):
        trio.from_thread.check_cancelled()
