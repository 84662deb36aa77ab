"""A bot without a process, for the referee's end of the dialogue: it answers by a script, takes its time by
trio's clock, and complains when *we* break the protocol.
"""

import math
from collections.abc import Callable
from typing import Any

import msgspec
import trio

from protocol.codec import decode_from_referee
from protocol.messages import End, Hello, Request

Answer = list[tuple[float, bytes]]
"""What a bot does after a line: so many seconds later it writes these bytes. b"" ends its output."""


def after(seconds: float, *pieces: bytes) -> Answer:
    return [(seconds, piece) for piece in pieces]


def reply(request: Request, action: str | None = None) -> bytes:
    return (
        msgspec.json.encode({"type": "reply", "id": request.id, "action": action or request.legal[0]}) + b"\n"
    )


READY = b'{"type":"ready","name":"fake"}\n'


class FakePipe:
    """`script` maps a message of the referee to the bot's answer."""

    def __init__(self, script: Callable[[Hello | Request | End], Answer]) -> None:
        self.script = script
        self.heard: list[Hello | Request | End] = []
        self.lines: list[bytes] = []
        self.frozen = False
        self.ended = False
        self._due: list[tuple[float, bytes]] = []

    def write(self, data: bytes) -> None:
        assert data.endswith(b"\n")
        assert data.count(b"\n") == 1, "one line out at a time"
        assert data.isascii()
        message = decode_from_referee(data)
        self._check_order(message)
        self.heard.append(message)
        self.lines.append(data)
        at = trio.current_time()
        for seconds, piece in self.script(message):
            at += seconds
            self._due.append((at, piece))

    def read_now(self) -> bytes | None:
        assert not self.frozen, "a frozen bot was read"
        at, piece = self._due[0] if self._due else (math.inf, b"")
        if at > trio.current_time():
            return None
        if piece:
            self._due.pop(0)
        self.ended = not piece
        return piece

    async def read(self, deadline: float) -> bytes | None:
        at = self._due[0][0] if self._due else math.inf
        await trio.sleep_until(min(at, deadline))
        return self.read_now()

    def freeze(self) -> None:
        self.frozen = True

    def thaw(self) -> None:
        self.frozen = False

    def wake(self) -> float:
        self.thaw()
        return 0.0

    def _check_order(self, message: Any) -> None:
        before = self.heard[-1] if self.heard else None
        match message:
            case Hello():
                assert before is None or isinstance(before, End), "hello in the middle of a match"
            case Request(id=request_id):
                due = 1 + sum(isinstance(heard, Request) for heard in self.heard)
                assert request_id == due, f"request {request_id} where {due} was due"
            case End():
                assert before is not None, "end before hello"


class FakeProcess(FakePipe):
    """A fake that can be seated in a match: it is started, ended and told of in `ledger`, in the order in
    which that happens."""

    def __init__(
        self,
        seat: int,
        script: Callable[[Hello | Request | End], Answer],
        ledger: list[tuple[str, int]],
        *,
        hogs: bool = False,
    ) -> None:
        """`hogs`: when its output ends, that is because it used too much memory."""
        super().__init__(script)
        self.pid = 0
        self.hogs = hogs
        self.seat = seat
        self.ledger = ledger
        self.killed = False
        self.excess_seen = self.computed_billed = 0.0

    @property
    def memory_seen(self) -> int:
        return 1 << 30 if self.hogs and self.ended else 0

    def write(self, data: bytes) -> None:
        assert not self.killed, "a dead bot was written to"
        super().write(data)
        self.ledger.append(("told", self.seat))

    def close_input(self) -> None:
        assert isinstance(self.heard[-1], End), "the input of a bot that is still to play was closed"

    async def exited_by(self, deadline: float) -> bool:
        return True

    def status(self) -> int | None:
        """Alive, unless its output has ended."""
        return 0 if self.ended else None

    def kill(self) -> int:
        assert not self.killed, "killed twice"
        self.killed = True
        self.ledger.append(("killed", self.seat))
        return 0

    def has_closed_input(self) -> bool:
        return False

    def shortage(self) -> str | None:
        return None

    def computed(self) -> float:
        return 0.0

    def stderr_tail(self, size: int) -> bytes:
        return b""
