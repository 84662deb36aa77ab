"""A bot that is asked what it would do in a person's place. It gets the messages of that seat and nothing
else.

Knows one process and its dialogue. A wrong answer is shown to the person and has no other consequence.
"""

from typing import NamedTuple

import msgspec
import trio

from arena.entrants.entrant import Entrant
from arena.match.conversation import Conversation
from arena.match.exit_cause import exit_cause
from arena.process.botprocess import BotProcess
from arena.process.sandbox import Sandbox
from arena.process.spawn import spawn
from arena.process.watchdog import Watchdog
from arena.system.machine import MIB
from arena.system.text import caption
from protocol.faults import Fault
from protocol.messages import NOTE_LIMIT, Hello, Limits, Reply, Request


class Advice(NamedTuple):
    """`action` is legal, or "" if the bot failed. `words` is the bot's note, or what went wrong."""

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
        self._process: BotProcess | None = None
        self._conversation: Conversation | None = None
        self._fault = ""
        self._lock = trio.Lock()

    def receive(self, message: Hello | Request) -> None:
        """Keep a message to the person. Its events go to the bot with the next request, as a bot with a
        memory needs all of them."""
        if isinstance(message, Hello):
            self._hello = msgspec.structs.replace(message, limits=self._limits)
        else:
            self._unsent += message.events

    async def advise(self, request: Request) -> Advice:
        """What the bot would do. After a fault it is not asked again. One request at a time: others wait."""
        async with self._lock:
            if self._conversation is None and not self._fault:
                await self._start()
            if self._conversation is None or self._fault:
                return Advice("", self._fault)
            events, self._unsent = self._unsent, []
            exchange = await self._conversation.ask(request.decision, request.legal, events, request.view)
            answer = exchange.answer
            if isinstance(answer, Fault):
                await self._fail(answer)
            elif isinstance(answer, Reply) and answer.action in request.legal:
                return Advice(answer.action, caption(answer.note, NOTE_LIMIT))
            else:
                self._fault = "its answer was not legal"
            return Advice("", self._fault)

    async def watch(self) -> None:
        """Enforce the memory limit on the bot, as on any other; never returns."""
        await Watchdog(
            lambda: {} if self._process is None else {0: self._process}, self._sandbox.memory_mb * MIB
        ).watch()

    def shut_down(self) -> None:
        """Kill the bot's process, if there is one."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()

    async def _start(self) -> None:
        assert self._hello is not None
        process = spawn(self._bot.launch, None, self._sandbox)
        if isinstance(process, str):
            self._fault = process
            return
        self._process = process
        self._conversation = Conversation(process, self._limits)
        greeting = (await self._conversation.greet(self._hello)).answer
        if isinstance(greeting, Fault):
            await self._fail(greeting)

    async def _fail(self, fault: Fault) -> None:
        if self._process is not None:
            fault, _ = await exit_cause(fault, self._process, self._sandbox.memory_mb)
        self._fault = f"{fault.kind}: {caption(fault.detail)}"
        self.shut_down()
