"""The dialogue with one bot, with its clock: hello and ready, request and reply, end; for all matches of
its process.

Knows messages and time; not what a game is, nor what follows from a fault. A fault is returned like an
answer. All times are trio's, in seconds, unless a name says otherwise.
"""

import math
from collections.abc import Callable, Collection
from typing import Any, Final, Protocol

import msgspec
import trio

from protocol.codec import encode
from protocol.dialogue import REFEREE_SAYS, Phase
from protocol.faults import ENDED, Fault, FaultKind, illegal
from protocol.inbox import Inbox
from protocol.messages import LINE_BYTES, End, Hello, Limits, Ready, Reply, Request
from protocol.units import Us, ms_to_seconds, seconds_to_ms, seconds_to_us, us_to_seconds

HANDSHAKE: Final = 0
"""The request id of the handshake in records; ids of requests start at 1."""


REST_SECONDS: Final = 0.02
"""The maximum time that a conversation runs without a trio checkpoint. Otherwise a bot that always answers at
once, or keeps writing single bytes, could block the watchdog, Ctrl-C and the end of input forever."""
LONG_SECONDS: Final = 0.001
"""An exchange that takes longer may leave cold caches for the next bot on the same core."""
WAKE_SECONDS: Final = 0.0002
"""The CPU time that a woken bot may take until it waits for input again. If it takes more, it is charged."""


class Pipe(Protocol):
    """What a conversation needs of a process; BotProcess has the details."""

    def write(self, data: bytes) -> None:
        """Send data. Never blocks, and raises nothing that a bot may cause."""

    def read_now(self) -> bytes | None:
        """The available output; b"" at its end, None if there is none yet."""

    async def read(self, deadline: float) -> bytes | None:
        """Wait for output; b"" at its end, None if none has arrived by `deadline`."""

    def freeze(self) -> None:
        """Stop all of the bot's processes."""

    def thaw(self) -> None:
        """Resume them. Does nothing if they are not frozen."""

    def wake(self) -> float:
        """Thaw them, yield the core once, and return the seconds of CPU time that they used."""


class _Shared:
    """What all conversations share, since they share a thread and its core. These are no attributes of their
    class: whenever one of those is set, Python looks up all attributes of its objects anew."""

    def __init__(self) -> None:
        self.rest_at = -math.inf
        """When the next checkpoint is due."""
        self.was_long = False
        """Whether the last exchange was long."""


_shared: Final = _Shared()


def _nothing(begun: float) -> float:
    return 0.0


class Exchange(msgspec.Struct, frozen=True):
    """A line to the bot and its answer. `request_id`: counts within a match, as in a log; on the wire ids
    count over the life of the process. `us`: the time that the bot took."""

    request_id: int
    request: bytes
    answer: Ready | Reply | Fault
    us: Us


def judged(answer: Ready | Reply | Fault, legal: Collection[str]) -> Ready | Reply | Fault:
    """The answer, or a fault instead of a reply whose action is not legal."""
    if isinstance(answer, Reply) and answer.action not in legal:
        return illegal(answer.action)
    return answer


class Conversation:
    """The referee's end of one bot's pipes."""

    def __init__(self, pipe: Pipe, limits: Limits, *, ponder: bool = False) -> None:
        """`ponder`: do not freeze the bot between its turns."""
        self._pipe = pipe
        self._limits = limits
        self._ponder = ponder
        self._limit = ms_to_seconds(limits.decision_ms)
        self._limit_us = seconds_to_us(self._limit)
        self._set_bank(0.0)
        # `trio.current_time` looks up the clock at each call, which costs more than reading it. No
        # conversation outlives its trio run, which has its own clock.
        self._now = trio.lowlevel.current_clock().current_time
        _shared.rest_at = -math.inf  # An earlier trio run may have had a later clock.
        self._inbox = Inbox()
        self._phase: Phase = "new"
        self._last_id = 0
        self._earlier = 0
        self.lost_since: Callable[[float], float] = _nothing
        """Returns the uncounted seconds since a time, when the machine was paused. Set by each match."""

    @property
    def dropped(self) -> int:
        """The number of lines that were ignored: blank ones, and replies to earlier requests."""
        return self._inbox.dropped

    async def greet(self, hello: Hello) -> Exchange:
        """Send `hello` and wait for `ready`. The answer is a Ready or a Fault."""
        self._phase = REFEREE_SAYS[self._phase, "hello"]
        self._set_bank(ms_to_seconds(self._limits.bank_ms))
        self._earlier = self._last_id
        return await self._exchange(HANDSHAKE, encode(hello), ms_to_seconds(self._limits.start_ms))

    async def ask(
        self, decision: str, legal: tuple[str, ...], events: list[msgspec.Raw], view: Any
    ) -> Exchange:
        """Request one decision. The answer is a Reply with a legal action, or a Fault. Raises ValueError if
        the line exceeds LINE_BYTES, which bots need not be able to read."""
        self._phase = REFEREE_SAYS[self._phase, "request"]
        self._last_id += 1
        request = Request(self._last_id, decision, legal, events, view, self._left_ms)
        if len(line := encode(request)) > LINE_BYTES:
            raise ValueError(
                f"a request of {len(line) // 1024} KiB; bots read lines of {LINE_BYTES // 1024} KiB"
            )
        exchange = await self._exchange(self._last_id, line, self._left, legal)
        if exchange.us > self._limit_us:
            self._set_bank(max(0.0, self._left - us_to_seconds(exchange.us)))
        return exchange

    def end(self, end: End) -> None:
        """Send the result of the match. The bot reads it once it is thawed; its later output is ignored."""
        self._phase = REFEREE_SAYS[self._phase, "end"]
        self._pipe.write(encode(end))

    def _set_bank(self, bank: float) -> None:
        """Set what is left of the bank, in seconds, which a decision may take on top of its own limit."""
        self._left = self._limit + bank
        self._left_ms = seconds_to_ms(self._left)

    async def _exchange(
        self, request_id: int, line: bytes, seconds: float, legal: tuple[str, ...] = ()
    ) -> Exchange:
        """Write, thaw, read until the answer, freeze. The clock starts before the first byte is written, and
        stops when the answer's newline has been read."""
        self._inbox.open(self._phase, request_id)
        begun = self._now()
        # Before the clock starts: the watchdog needs milliseconds for a bot with many processes.
        if begun >= _shared.rest_at:
            begun = await self._rest()
        if _shared.was_long and not self._ponder:
            begun = self._wake()
        # Write first: a bot that was thawed first would be woken twice, to find nothing, and for the line.
        self._pipe.write(line)
        self._pipe.thaw()
        # A fast bot on our own core answers before it gives the core back.
        answer = self._inbox.take(self._pipe.read_now() or b"") or await self._answer(begun, seconds)
        taken = self._now() - begun
        if taken > self._limit:
            # A loss may end just after `taken` was measured.
            taken = max(0.0, taken - self.lost_since(begun))
        _shared.was_long = taken > LONG_SECONDS
        us = seconds_to_us(taken)
        if not self._ponder:
            self._pipe.freeze()
        self._phase = "idle"  # Also after a fault: if it is forgiven, the bot gets the next request.
        return Exchange(self._last_id - self._earlier, line, judged(answer, legal), us)

    def _wake(self) -> float:
        """Wake the bot before an exchange that follows a long one; the time at which its clock starts. The
        core's caches and address translations are then another bot's, and reloading them can cost more than a
        decision, so the bot is run until it waits for its line again. If it computes instead, it is charged
        for that, but not for what other processes do meanwhile."""
        spent = self._pipe.wake()
        return self._now() - (spent if spent > WAKE_SECONDS else 0.0)

    async def _answer(self, begun: float, seconds: float) -> Ready | Reply | Fault:
        now, deadline = begun, begun + seconds
        while True:
            # A read that begins after the deadline is the last, however much the bot writes.
            over = now >= deadline
            data = await self._pipe.read(deadline)
            if data == b"":
                unfinished = self._inbox.take(at_end=True)
                return unfinished or ENDED
            if data is not None and (verdict := self._inbox.take(data)):
                return verdict
            now = self._now()
            if data is None or over:
                deadline = begun + seconds + self.lost_since(begun)
                if now >= deadline:
                    return self._timeout()
            # A read that finds output makes no checkpoint: see REST_SECONDS.
            if now >= _shared.rest_at:
                await self._rest()

    async def _rest(self) -> float:
        """Let other tasks run; the time afterwards."""
        await trio.lowlevel.checkpoint()
        now = self._now()
        _shared.rest_at = now + REST_SECONDS
        return now

    def _timeout(self) -> Fault:
        if self._phase == "starting":
            return Fault(FaultKind.HANDSHAKE, f"no `ready` within {self._limits.start_ms} ms")
        detail = f"no reply within {self._limits.decision_ms} ms"
        if bank := self._limits.bank_ms:
            # The rest of the bank depends on measured times, which are not reproducible.
            detail += f" and what was left of a bank of {bank} ms"
        return Fault(FaultKind.TIMEOUT, detail)
