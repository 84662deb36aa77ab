"""Seats that are functions of the calling program: a connection to that program replaces the process.

All functions of a program share one socket. Each match of each function has a key, and its messages are lines
of JSON: `[key, number of the function, message]` to the program, `[key, message]` back. So late messages of
an aborted match are never mistaken for answers in the next.

Knows bytes and descriptors; neither messages nor games.
"""

import itertools
import math
import select
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import trio

from arena.entrants.entrant import UNTIMED, Entrant
from arena.playing.conversation import Conversation
from arena.system.errors import MachineError

POLL_SECONDS: Final = 0.02
"""How long a wait blocks in `poll` before it parks in trio. Parking costs more than the rest."""
READ_SIZE: Final = 64 * 1024


class FunctionBot(NamedTuple):
    """A function in one match."""

    process: "FunctionLine"
    conversation: Conversation


class Functions:
    """The functions of the program at the other end of a socket."""

    def __init__(self, connected: socket.socket) -> None:
        """`connected` must be blocking."""
        self._socket = connected
        self._poll = select.poll()
        self._poll.register(connected, select.POLLIN)
        self._rest = b""
        self._keys: Iterator[int] = itertools.count(1)
        self._came: dict[int, list[bytes]] = {}
        """By the key of each running match, the messages that were not yet received."""

    def start(self, entrant: Entrant, *, ponder: bool) -> FunctionBot:
        """Begin a match of a function; the next step is to greet it."""
        key = next(self._keys)
        self._came[key] = []
        line = FunctionLine(self, key, entrant.launch.argv[1])
        return FunctionBot(line, Conversation(line, UNTIMED, ponder=ponder))

    def send(self, line: bytes) -> None:
        """Send a line with its newline. The program reads unless it decides. Raises MachineError."""
        try:
            self._socket.sendall(line)
        except OSError:
            raise MachineError("the program that called the arena is gone") from None

    def receive(self, key: int) -> bytes | None:
        """What has arrived for this match; None for nothing yet. Raises MachineError if the program is
        gone."""
        if not self._came[key]:
            self._read()
        came, self._came[key] = self._came[key], []
        return b"".join(came) or None

    def close(self, key: int) -> None:
        """Drop whatever still arrives for this match."""
        self._came.pop(key, None)

    def _read(self) -> None:
        try:
            data = self._socket.recv(READ_SIZE, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            raise MachineError("the program that called the arena is gone")
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            key, _, message = line[1:-1].partition(b",")
            if (came := self._came.get(int(key))) is not None:
                came.append(message + b"\n")

    def ready_within(self, seconds: float) -> bool:
        """Block until something has arrived; False after `seconds`."""
        return bool(self._poll.poll(seconds * 1000))

    async def wait(self) -> None:
        """Let other tasks run until something has arrived."""
        await trio.lowlevel.wait_readable(self._socket)


class FunctionLine:
    """What a conversation and a referee need of a process, for a function in one match. It is never frozen or
    measured. When the calling program has ended, reading and writing raise MachineError."""

    def __init__(self, functions: Functions, key: int, number: str) -> None:
        self.stderr_kept: Path | None = None
        self._functions = functions
        self._key = key
        self._prefix = f"[{key},{number},".encode()

    def write(self, data: bytes) -> None:
        """Send a line. Raises MachineError."""
        self._functions.send(self._prefix + data[:-1] + b"]\n")

    def read_now(self) -> bytes | None:
        """The answer; None if there is none yet."""
        return self._functions.receive(self._key)

    async def read(self, deadline: float) -> bytes | None:
        """Wait for the answer; None if none has arrived by `deadline`."""
        rest_at = trio.current_time() + POLL_SECONDS
        # It may already have arrived, together with that of another function.
        while (data := self._functions.receive(self._key)) is None:
            if (now := trio.current_time()) >= deadline:
                return None
            if now >= rest_at:
                await trio.lowlevel.checkpoint()
                rest_at = now + POLL_SECONDS
            if not self._functions.ready_within(POLL_SECONDS):
                await self._functions.wait()
        return data

    async def acknowledged(self) -> None:
        """Wait until the function has received the end of the match, since it may raise there."""
        await self.read(math.inf)

    def freeze(self) -> None:
        """Does nothing: functions are not frozen."""

    def thaw(self) -> None:
        """Does nothing: functions are not frozen."""

    def wake(self) -> float:
        """Does nothing: functions do not sleep."""
        return 0.0

    def stderr_tail(self, size: int) -> bytes:
        """Empty, since a function has no standard error of its own."""
        return b""

    def kill(self) -> None:
        """Drop whatever still arrives for this match."""
        self._functions.close(self._key)
