"""Runs tasks that an interruption cancels, so that they end what they have started, and nothing is raised in
the middle of them. Knows no bots.
"""

import contextlib
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Final, TypeVar

import trio

from arena.system.interruption import listening

T = TypeVar("T")

STUCK_SECONDS: Final = 1.0
"""If the tasks do not hear of an interruption for so long, another one is raised where they compute."""


def run_tasks(tasks: Callable[..., Awaitable[T]], *arguments: Any) -> T:
    """As trio.run. Raises KeyboardInterrupt where an interruption has cancelled the tasks."""

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
                return await tasks(*arguments)
        raise KeyboardInterrupt

    return trio.run(cancellable)


@contextlib.contextmanager
def signals() -> Iterator[AsyncIterator[int]]:
    """The numbers of the signals that interrupt, as they come; meanwhile they do nothing else."""
    token = trio.lowlevel.current_trio_token()
    send, receive = trio.open_memory_channel[int](math.inf)
    with listening(lambda number: token.run_sync_soon(send.send_nowait, number)):
        yield receive
