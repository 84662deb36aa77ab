"""The dialogue with one bot, with its clock: hello and ready, request and reply, end; for as many matches as
its process lives.

Knows messages and time; not what a game is, nor what follows from a fault. A fault is returned like an
answer. All times are trio's, in seconds, unless a name says otherwise.
"""

import math
from collections.abc import Callable
from typing import Any, ClassVar, Final, Protocol

import msgspec
import trio

from protocol.codec import encode
from protocol.dialogue import Phase, bot_says, referee_says
from protocol.faults import ENDED, Fault, FaultKind
from protocol.inbox import Inbox
from protocol.messages import End, Hello, Limits, Ready, Reply, Request

HANDSHAKE: Final = 0
"""The request id under which the handshake stands in records; real ids count from 1."""


REST_SECONDS: Final = 0.02
"""Bots must not keep the watchdog, Ctrl-C and the end of input waiting longer than this, whether they always
answer at once or say a byte now and then."""


class Pipe(Protocol):
    """What a conversation needs of a process; BotProcess says what each does."""

    def write(self, data: bytes) -> None: ...
    def read_now(self) -> bytes | None: ...
    async def read(self, deadline: float) -> bytes | None: ...
    def freeze(self) -> None: ...
    def thaw(self) -> None: ...


def _nothing(begun: float) -> float:
    return 0.0


class Exchange(msgspec.Struct, frozen=True):
    """One line out and what came of it. `request_id` counts the requests of one match, as a log does; on the
    wire they are counted over the life of the process. `us`: the time it took the bot, in microseconds."""

    request_id: int
    request: bytes
    answer: Ready | Reply | Fault
    us: int


class Conversation:
    """The referee's end of one bot's pipes."""

    _rested: ClassVar[float] = -math.inf
    """When one of them gave the thread away last: it is the same for all."""

    def __init__(self, pipe: Pipe, limits: Limits, *, ponder: bool = False) -> None:
        """`ponder`: it is not frozen between its turns."""
        self._pipe = pipe
        self._limits = limits
        self._ponder = ponder
        self._limit = limits.decision_ms / 1000
        self._bank = 0.0
        self._inbox = Inbox()
        self._phase = Phase.NEW
        self._last_id = 0
        self._earlier = 0
        self.lost_since: Callable[[float], float] = _nothing
        """Seconds since some moment that are not the bot's, because the machine stood still. Each match sets
        its own."""

    @property
    def dropped(self) -> int:
        """Lines that were passed over: blank ones, and replies that came too late."""
        return self._inbox.dropped

    async def greet(self, hello: Hello) -> Exchange:
        """Say hello and wait for `ready`. The answer is a Ready or a Fault."""
        self._phase = referee_says(self._phase, "hello")
        self._bank = self._limits.bank_ms / 1000
        self._earlier = self._last_id
        return await self._exchange(HANDSHAKE, encode(hello), self._limits.start_ms / 1000)

    async def ask(
        self, decision: str, legal: tuple[str, ...], events: list[msgspec.Raw], view: Any
    ) -> Exchange:
        """Ask for one decision. The answer is a Reply, legal or not, or a Fault."""
        self._phase = referee_says(self._phase, "request")
        self._last_id += 1
        left = self._limit + self._bank
        request = Request(self._last_id, decision, legal, events, view, int(left * 1000))
        exchange = await self._exchange(self._last_id, encode(request), left)
        if (spent := exchange.us / 1e6) > self._limit:
            self._bank -= min(spent, left) - self._limit
        return exchange

    def end(self, end: End) -> None:
        """Say how the match ended. The bot reads it when it is thawed; whatever it still writes is not
        looked at."""
        self._phase = referee_says(self._phase, "end")
        self._pipe.write(encode(end))

    async def _exchange(self, request_id: int, line: bytes, seconds: float) -> Exchange:
        """Write, thaw, read up to the answer, freeze. The clock starts before the first byte is written and
        stops when the answer's newline has been read. Thawed first, a bot would be woken twice: to find
        nothing, and then for the line."""
        self._inbox.open(self._phase, request_id)
        begun = trio.current_time()
        self._pipe.write(line)
        self._pipe.thaw()
        if self._rest_is_due(begun):
            await self._rest()
        # A fast bot on our own core has answered before it gave the core back.
        self._inbox.feed(self._pipe.read_now() or b"")
        answer = self._inbox.take() or await self._answer(begun, seconds)
        taken = trio.current_time() - begun
        if taken > self._limit:
            taken -= self.lost_since(begun)
        us = round(taken * 1e6)
        if not self._ponder:
            self._pipe.freeze()
        # After a fault the request is closed all the same: a forgiven bot goes on with the next one.
        self._phase = bot_says(self._phase, "ready" if request_id == HANDSHAKE else "reply") or self._phase
        return Exchange(max(HANDSHAKE, request_id - self._earlier), line, answer, us)

    async def _answer(self, begun: float, seconds: float) -> Ready | Reply | Fault:
        now, deadline = begun, begun + seconds
        while True:
            # The read that begins after the deadline is the last, however much a bot has to say.
            over = now >= deadline
            data = await self._pipe.read(deadline)
            if data == b"":
                last_words = self._inbox.take(at_end=True)
                return last_words or ENDED
            if data is not None:
                self._inbox.feed(data)
                if verdict := self._inbox.take():
                    return verdict
            now = trio.current_time()
            if data is None or over:
                deadline = begun + seconds + self.lost_since(begun)
                if now >= deadline:
                    return self._timeout()
            # A bot that says a byte now and then would keep the thread as one that answers at once.
            if self._rest_is_due(now):
                await self._rest()

    def _rest_is_due(self, now: float) -> bool:
        return not 0 <= now - Conversation._rested <= REST_SECONDS  # Another run may have an earlier clock.

    async def _rest(self) -> None:
        """Give the thread away."""
        await trio.lowlevel.checkpoint()
        Conversation._rested = trio.current_time()

    def _timeout(self) -> Fault:
        if self._phase is Phase.STARTING:
            return Fault(FaultKind.HANDSHAKE, f"no `ready` within {self._limits.start_ms} ms")
        detail = f"no reply within {self._limits.decision_ms} ms"
        if bank := self._limits.bank_ms:  # How much of it was left was measured, and would not repeat.
            detail += f" and what was left of a bank of {bank} ms"
        return Fault(FaultKind.TIMEOUT, detail)
