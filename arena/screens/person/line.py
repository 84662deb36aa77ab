"""The screen's end of a person's dialogue: a socket. At its other end is the seat's program,
arena/players/house/seat.py, which the referee treats as a bot like any other.

Knows messages and a socket, but neither keys nor pictures, so that any kind of screen can use it.
"""

import os
import socket
from typing import Final

import trio

from arena.process.child import Lines
from arena.system.errors import UserError
from protocol.codec import decode_from_referee, encode
from protocol.messages import FromBot, FromReferee

SOCKET: Final = "seat"


class PersonLine:
    """Listens at a socket in `folder` for the seat's program, which the referee starts. The folder must be
    closed to other users. Must be ended by `close`."""

    def __init__(self, folder: str) -> None:
        """Raises UserError if the path is longer than a socket's may be."""
        self.path = os.path.join(folder, SOCKET)
        self._listener = socket.socket(socket.AF_UNIX)
        try:
            self._listener.bind(self.path)
        except OSError as error:
            self._listener.close()
            raise UserError(f"{self.path}: {error}; set TMPDIR to a shorter path, such as /tmp") from None
        # In a sandbox the seat's program runs as another user.
        os.chmod(self.path, 0o666)
        self._listener.listen(1)
        self._connected: trio.socket.SocketType | None = None
        self._lines: Lines | None = None

    async def accept(self) -> None:
        """Wait until the seat's program has connected; to be called once, before anything else."""
        listener = trio.socket.from_stdlib_socket(self._listener)
        self._connected, _ = await listener.accept()
        listener.close()
        self._lines = Lines(os.dup(self._connected.fileno()))

    async def receive(self) -> FromReferee | None:
        """The referee's next message; None when the seat's program has ended."""
        assert self._lines is not None
        try:
            line = await self._lines.next()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return None
        return None if line is None else decode_from_referee(line)

    async def send(self, message: FromBot) -> None:
        """Send a message. It is dropped if the seat's program has ended, which `receive` then reports."""
        assert self._connected is not None
        data = encode(message)
        try:
            while data:
                data = data[await self._connected.send(data) :]
        except OSError:
            pass

    async def close(self) -> None:
        """Close the socket, which ends the seat's program. Works also while being cancelled."""
        with trio.CancelScope(shield=True):
            self._listener.close()
            if self._connected is not None:
                self._connected.close()
            if self._lines is not None:
                await self._lines.aclose()
