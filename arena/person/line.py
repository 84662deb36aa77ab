"""A person at a seat: the screen's end of the dialogue. The other end is the seat's program,
arena/house/seat.py, which the referee takes for a bot like any other.

Knows messages and a socket; neither keys nor pictures, so that a terminal and a browser can sit here alike.
"""

import os
import socket
from typing import Final

import trio

from arena.system.errors import UserError
from arena.workers.worker import Lines
from protocol.codec import decode_from_referee, encode
from protocol.messages import FromBot, FromReferee

SOCKET: Final = "seat"


class PersonLine:
    """Listens in `folder`, which nobody else may enter, for the one that the referee starts. Must be ended by
    `hang_up`."""

    def __init__(self, folder: str) -> None:
        """Raises UserError where the path of the folder is longer than a socket's may be."""
        self.path = os.path.join(folder, SOCKET)
        self._listener = socket.socket(socket.AF_UNIX)
        try:
            self._listener.bind(self.path)
        except OSError as error:
            self._listener.close()
            raise UserError(f"{self.path}: {error}; set TMPDIR to a shorter path, as /tmp") from None
        # In a sandbox it is a user of the seat's own who comes.
        os.chmod(self.path, 0o666)
        self._listener.listen(1)
        self._connected: trio.socket.SocketType | None = None
        self._lines: Lines | None = None

    async def arrive(self) -> None:
        """Wait until the seat's program has been started."""
        listener = trio.socket.from_stdlib_socket(self._listener)
        self._connected, _ = await listener.accept()
        listener.close()
        self._lines = Lines(os.dup(self._connected.fileno()))

    async def hear(self) -> FromReferee | None:
        """The referee's next line; None when there is none to come."""
        assert self._lines is not None
        try:
            line = await self._lines.next()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return None
        return None if line is None else decode_from_referee(line)

    async def say(self, message: FromBot) -> None:
        """Nothing happens where nobody listens any more: then `hear` says so."""
        assert self._connected is not None
        data = encode(message)
        try:
            while data:
                data = data[await self._connected.send(data) :]
        except OSError:
            pass

    async def hang_up(self) -> None:
        """The person leaves, and the seat's program ends."""
        with trio.CancelScope(shield=True):
            self._listener.close()
            if self._connected is not None:
                self._connected.close()
            if self._lines is not None:
                await self._lines.aclose()
