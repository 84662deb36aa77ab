"""The end of the socket that receives orders: one line from each connection, and one line back.

Only processes of the same user can connect. Since even they may misbehave, the number of connections and the
bytes and seconds of each are bounded; a connection that breaks a limit is closed.
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
"""Connections served at a time; more of them wait."""
LINE_SECONDS: Final = 10.0
"""Limit for receiving an order, and for sending the answer. The time in between is not bounded."""
EXHAUSTED_SECONDS: Final = 0.1
"""Delay after the system had no descriptor or memory for a connection."""
_CHUNK: Final = 1 << 16

Answerer: TypeAlias = Callable[[bytes], Awaitable[bytes]]
"""Carries out the order in a line and returns the line of the answer, both without line breaks."""


@contextlib.asynccontextmanager
async def taking_orders(folder: Path, answer: Answerer) -> AsyncIterator[None]:
    """While this context is open, pass orders from the folder's control socket to `answer`, several at a
    time.

    The caller must hold the folder's lock, since an existing socket, such as that of a killed process, is
    replaced. Raises OSError if no socket can be made.
    """
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
        # Connections are refused until it listens, so none precedes the chmod.
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
                # Shielded, so that an order that was carried out is answered even if the server ends.
                with trio.move_on_after(LINE_SECONDS, shield=True):
                    await _send(connection, line + b"\n")
    finally:
        free.release()


async def _line(connection: trio.socket.SocketType) -> bytes | None:
    """The first line without its line break; None if the connection ends or exceeds the limit before."""
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
