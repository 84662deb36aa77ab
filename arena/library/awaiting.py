"""Makes calls awaitable, in asyncio or trio. A call runs in its own thread, and is aborted if the task that
awaits it is cancelled; the task resumes once everything that the call started has ended.

A function that takes a seat is called in that thread. Knows no particular call.
"""

import asyncio
import contextlib
import contextvars
import functools
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

import trio

from arena.library.caller import Stopper, stopper

P = ParamSpec("P")
T = TypeVar("T")


def asynchronous(call: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """An awaitable version of a call: `await arena.asynchronous(run.resume)()`."""

    @functools.wraps(call)
    async def awaited(*args: P.args, **kwargs: P.kwargs) -> T:
        stop = Stopper()
        context = contextvars.copy_context()
        context.run(stopper.set, stop)
        future = _in_thread(functools.partial(context.run, functools.partial(call, *args, **kwargs)))
        if trio.lowlevel.in_trio_task():
            return await _below_trio(future, stop)
        return await _below_asyncio(future, stop)

    return awaited


def _in_thread(work: Callable[[], T]) -> "Future[T]":
    """Run `work` in a daemon thread, for which the end of the interpreter does not wait; its result."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except StopIteration as error:
            # A coroutine cannot raise it, and asyncio would wait forever.
            future.set_exception(RuntimeError(f"a function raised {error!r}"))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="arena", daemon=True).start()
    return future


async def _below_asyncio(future: "Future[T]", stop: Stopper) -> T:
    waiting = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(waiting)
    except GeneratorExit:
        stop.stop()
        raise
    except BaseException:
        stop.stop()
        while not waiting.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([waiting])
        waiting.exception()  # Retrieved, so that asyncio does not warn about it.
        raise


async def _below_trio(future: "Future[T]", stop: Stopper) -> T:
    token, ended = trio.lowlevel.current_trio_token(), trio.Event()
    future.add_done_callback(lambda _: token.run_sync_soon(ended.set))
    try:
        await ended.wait()
    except GeneratorExit:
        stop.stop()
        raise
    except BaseException:
        stop.stop()
        with trio.CancelScope(shield=True):
            await ended.wait()
        raise
    return future.result()
