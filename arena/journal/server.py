"""The end that takes orders: one line from each connection, one line back.

Only processes of the same user can connect. They may be broken all the same, so the number of connections,
and the bytes and the seconds of each, are bounded; a connection that keeps to no rule is closed.
"""

import contextlib
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import trio

from arena.journal.place import FOLDER, MESSAGE_LIMIT, SOCKET, address, entered, is_same_user

MOST_CONNECTIONS: Final = 16
"""Connections that are served at a time; further ones wait."""
LINE_SECONDS: Final = 10.0
"""For the whole order, and for the whole answer. The time until there is an answer is not bounded."""
EXHAUSTED_SECONDS: Final = 0.1
"""Pause after the system had no descriptor or memory for a connection."""
_CHUNK: Final = 1 << 16

Answerer: TypeAlias = Callable[[bytes], Awaitable[bytes]]
"""Carries out the order in a line, and returns the line of the answer; both without a line break."""


@contextlib.asynccontextmanager
async def taking_orders(folder: Path, answer: Answerer) -> AsyncIterator[None]:
    """While this is open, orders that come through the folder's control socket are passed to `answer`, some
    at a time. The caller must hold the folder's lock: whatever stands in the socket's place, such as the
    socket of a process that was killed, is replaced. Raises OSError where there can be no socket."""
    with contextlib.ExitStack() as opened:
        inside = opened.enter_context(entered(folder, make=True))
        listener = opened.enter_context(_listener(inside, folder))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_accept, trio.socket.from_stdlib_socket(listener), answer)
            try:
                yield
            finally:
                nursery.cancel_scope.cancel()


@contextlib.contextmanager
def _listener(inside: int, folder: Path) -> Iterator[socket.socket]:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(SOCKET, dir_fd=inside)
    with socket.socket(socket.AF_UNIX) as listener:
        # Until it listens, connections are refused, so nobody comes in before the mode is set.
        listener.bind(address(inside, folder))
        try:
            os.chmod(SOCKET, 0o600, dir_fd=inside)
            listener.listen(MOST_CONNECTIONS)
            listener.setblocking(False)
            yield listener
        finally:
            with contextlib.suppress(OSError):
                os.unlink(SOCKET, dir_fd=inside)
                os.rmdir(folder / FOLDER)


async def _accept(listener: trio.socket.SocketType, answer: Answerer) -> None:
    free = trio.Semaphore(MOST_CONNECTIONS)
    async with trio.open_nursery() as nursery:
        while True:
            await free.acquire()
            try:
                connection, _ = await listener.accept()
            except OSError:
                free.release()
                await trio.sleep(EXHAUSTED_SECONDS)
            else:
                nursery.start_soon(_serve, connection, answer, free)


async def _serve(connection: trio.socket.SocketType, answer: Answerer, free: trio.Semaphore) -> None:
    try:
        with connection, contextlib.suppress(OSError):
            if not is_same_user(connection):
                return
            order = None
            with trio.move_on_after(LINE_SECONDS):
                order = await _line(connection)
            if order is not None:
                line = await answer(order)
                # Shielded, so that an order that was carried out is answered although the server ends.
                with trio.move_on_after(LINE_SECONDS, shield=True):
                    await _send(connection, line + b"\n")
    finally:
        free.release()


async def _line(connection: trio.socket.SocketType) -> bytes | None:
    """The first line that arrives, without its line break; None if there is none within the limit."""
    received = bytearray()
    while b"\n" not in received:
        chunk = await connection.recv(_CHUNK)
        received += chunk
        if not chunk or len(received) > MESSAGE_LIMIT:
            return None
    return bytes(received.partition(b"\n")[0])


async def _send(connection: trio.socket.SocketType, data: bytes) -> None:
    sent = 0
    while sent < len(data):
        sent += await connection.send(data[sent:])
