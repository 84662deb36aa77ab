"""A bot that says what it would do in a person's place. It gets only the messages of that seat.

Knows one process and its dialogue. A wrong answer is shown to the person and has no other consequence.
"""

from typing import NamedTuple

import msgspec
import trio

from arena.entrants.entrant import Entrant
from arena.playing.exit_cause import exit_cause
from arena.playing.running_bot import RunningBot, start
from arena.process.sandbox import Sandbox
from arena.process.watchdog import Watchdog
from arena.system.machine import MIB
from arena.system.text import caption
from protocol.faults import Fault
from protocol.messages import NOTE_LIMIT, Hello, Limits, Reply, Request


class Advice(NamedTuple):
    """`action`: a legal action, or "" if the bot failed. `words`: the bot's note, or what went wrong."""

    action: str
    words: str


class Adviser:
    """The bot is started when it is first asked. Must be ended by `shut_down`."""

    def __init__(self, bot: Entrant, limits: Limits, sandbox: Sandbox) -> None:
        self.name = bot.called
        self._bot = bot
        self._limits = limits
        self._sandbox = sandbox
        self._hello: Hello | None = None
        self._unsent: list[msgspec.Raw] = []
        self._running: RunningBot | None = None
        self._fault = ""
        self._lock = trio.Lock()

    def receive(self, message: Hello | Request) -> None:
        """Keep a message to the person. Its events go to the bot with the next request, since a bot may
        remember all of them."""
        if isinstance(message, Hello):
            self._hello = msgspec.structs.replace(message, limits=self._limits)
        else:
            self._unsent += message.events

    async def advise(self, request: Request) -> Advice:
        """What the bot would do. After a fault it is not asked again. Only one request runs at a time."""
        async with self._lock:
            if self._running is None and not self._fault:
                await self._start()
            if self._running is None:
                return Advice("", self._fault)
            events, self._unsent = self._unsent, []
            conversation = self._running.conversation
            exchange = await conversation.ask(request.decision, request.legal, events, request.view)
            match exchange.answer:
                case Reply(action=action, note=note):
                    return Advice(action, caption(note, NOTE_LIMIT))
                case Fault() as fault:
                    await self._fail(fault)
            return Advice("", self._fault)

    async def watch(self) -> None:
        """Enforce the memory limit on the bot, as on any other; never returns."""
        await Watchdog(
            lambda: {} if self._running is None else {0: self._running.process},
            self._sandbox.memory_mb * MIB,
        ).watch()

    def shut_down(self) -> None:
        """Kill the bot's process, if there is one."""
        running, self._running = self._running, None
        if running is not None:
            running.process.kill()

    async def _start(self) -> None:
        assert self._hello is not None
        running = start(self._bot.launch, self._limits, self._sandbox)
        if isinstance(running, Fault):
            self._fault = running.detail
            return
        self._running = running
        greeting = (await running.conversation.greet(self._hello)).answer
        if isinstance(greeting, Fault):
            await self._fail(greeting)

    async def _fail(self, fault: Fault) -> None:
        if self._running is not None:
            fault, _ = await exit_cause(fault, self._running.process, self._sandbox.memory_mb)
        self._fault = f"{fault.kind}: {caption(fault.detail)}"
        self.shut_down()
