"""Seats that are functions of the program that calls the arena: a line to that program in place of a process.

All functions of a program share one socket. Each match of each function has a key, and what belongs to it is
a line of JSON: `[key, number of the function, message]` to the program, `[key, message]` back. So what is
left of a match that was broken off is never taken for an answer in the next.

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
"""How long a wait blocks in `poll` before it parks in trio, which costs more than the rest of a decision."""
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
        """By the key of each match that is being played, what was not looked at yet."""

    def start(self, entrant: Entrant, *, ponder: bool) -> FunctionBot:
        """Begins a match of a function; the next step is to greet it."""
        key = next(self._keys)
        self._came[key] = []
        line = FunctionLine(self, key, entrant.launch.argv[1])
        return FunctionBot(line, Conversation(line, UNTIMED, ponder=ponder))

    def send(self, line: bytes) -> None:
        """Sends a line, with its newline. The program reads whenever it is not asked. Raises MachineError."""
        try:
            self._socket.sendall(line)
        except OSError:
            raise MachineError("the program that called the arena has gone") from None

    def receive(self, key: int) -> bytes | None:
        """What has come for this match; None for nothing yet. Raises MachineError where the program has
        gone."""
        if not self._came[key]:
            self._read()
        came, self._came[key] = self._came[key], []
        return b"".join(came) or None

    def close(self, key: int) -> None:
        """What still comes for this match is dropped."""
        self._came.pop(key, None)

    def _read(self) -> None:
        try:
            data = self._socket.recv(READ_SIZE, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            raise MachineError("the program that called the arena has gone")
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            key, _, message = line[1:-1].partition(b",")
            if (came := self._came.get(int(key))) is not None:
                came.append(message + b"\n")

    def ready_within(self, seconds: float) -> bool:
        """Waits in the kernel until something has come."""
        return bool(self._poll.poll(seconds * 1000))

    async def wait(self) -> None:
        """Lets other tasks run until something has come."""
        await trio.lowlevel.wait_readable(self._socket)


class FunctionLine:
    """What a conversation and a referee need of a process, for a function in one match. It is never frozen,
    nobody measures it, and it ends with the program that calls: then reading and writing raise
    MachineError."""

    def __init__(self, functions: Functions, key: int, number: str) -> None:
        self.stderr_kept: Path | None = None
        self._functions = functions
        self._key = key
        self._prefix = f"[{key},{number},".encode()

    def write(self, data: bytes) -> None:
        """Sends a line. Raises MachineError."""
        self._functions.send(self._prefix + data[:-1] + b"]\n")

    def read_now(self) -> bytes | None:
        """The answer, if it is there."""
        return self._functions.receive(self._key)

    async def read(self, deadline: float) -> bytes | None:
        """The answer; None where none comes by `deadline`."""
        rest_at = trio.current_time() + POLL_SECONDS
        # It may have come already, together with that of another function.
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
        """Waits until the function has heard the end of the match, since it may raise something there."""
        await self.read(math.inf)

    def freeze(self) -> None:
        """Nothing is frozen."""

    def thaw(self) -> None:
        """Nothing was frozen."""

    def wake(self) -> float:
        """Nothing sleeps."""
        return 0.0

    def stderr_tail(self, size: int) -> bytes:
        """A function has no standard error of its own."""
        return b""

    def kill(self) -> None:
        """What still comes for this match is dropped."""
        self._functions.close(self._key)
