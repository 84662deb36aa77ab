"""One match played for a check: one process of the bot at one seat, the others choose at random as house
bots do. Every line of the dialogue is kept, and after a fault the process is watched a little longer, since
what it does when its input ends explains more than that it was late.

Knows processes and the order of a match; not what its symptoms mean (diagnosis.py).
"""

import math
import resource
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import msgspec
import trio

from arena.botprocess import BotProcess
from arena.check.symptoms import Symptoms
from arena.conversation import HANDSHAKE, Conversation, Exchange
from arena.descendants import load, tree, usage
from arena.games.events import Event
from arena.games.game import Game, State
from arena.greeting import hello
from arena.inquest import inquest
from arena.job import Entrant
from arena.sandbox import Sandbox
from arena.sanitise import visible
from arena.spawn import spawn
from protocol.codec import encode, raw
from protocol.faults import EVIDENCE_LIMIT, Fault, FaultKind, illegal
from protocol.messages import End, Hello, Limits, Ready, Reply, Request
from protocol.outcome import totals
from protocol.streams import DealSource, match_key, pod_key, substitute_stream

POD_KEY: Final = pod_key("check", 0, 0)
"""Every check deals the same cards, so that what was mended can be seen to be mended."""
KEY: Final = match_key(POD_KEY, 1)

RANDOM_MATCHES: Final = 50
NUDGE_SECONDS: Final = 0.2
PRESSING: Final = 400
"""Lines whose answers fill a buffer of 8 KiB, which is what languages have."""
LAST_WORDS_SECONDS: Final = 1.0
GOODBYE_SECONDS: Final = 1.0


class Scene(NamedTuple):
    """What is played: `seat` is the bot's own."""

    game: Game
    seats: int
    seat: int
    deals: int
    limits: Limits


class Manner(NamedTuple):
    """How a line reaches the bot: altered, in two pieces, after a rest of so many seconds."""

    alter: Callable[[bytes], bytes] = lambda line: line
    in_pieces: bool = False
    rest: float = 0.0


PLAIN: Final = Manner()
PIECES_SECONDS: Final = 0.05


class Ending(NamedTuple):
    """How a bot went after its `end`. `seconds` is None for one that had to be killed."""

    seconds: float | None
    status: int | None
    said: bytes


class Recorder:
    """The pipe between us and a bot, with an ear on it."""

    def __init__(self, process: BotProcess, manner: Manner, lines: list[str]) -> None:
        self.lines = lines
        self.said = b""
        """What came since our last line."""
        self._process = process
        self._manner = manner
        self._second_piece = b""

    def write(self, data: bytes) -> None:
        self.settle()
        line = self._manner.alter(data)
        self.lines.append("<- " + visible(line.rstrip(b"\n"), len(line)))
        at = len(line) // 2 if self._manner.in_pieces else len(line)
        self._process.write(line[:at])
        self._second_piece = line[at:]

    def read_now(self) -> bytes | None:
        data = self._process.read_now()
        self.said += data or b""
        return data

    async def read(self, deadline: float) -> bytes | None:
        if self._second_piece:
            await trio.sleep(PIECES_SECONDS)
            self._process.write(self._second_piece)
            self._second_piece = b""
        data = await self._process.read(deadline)
        self.said += data or b""
        return data

    def freeze(self) -> None:
        self._process.freeze()

    def thaw(self) -> None:
        self._process.thaw()

    def settle(self) -> None:
        """What came since our last line goes into the record."""
        self.lines += [f"-> {visible(line, len(line))}" for line in self.said.splitlines()]
        self.said = b""


def moment(scene: Scene, decision: str = "") -> Request | None:
    """The first request for a kind of decision, or for any, that comes to the seat in some matches played at
    random, with all that has happened before it."""
    for number in range(RANDOM_MATCHES):
        key = match_key(POD_KEY, number)
        streams = [substitute_stream(key, seat) for seat in range(scene.seats)]
        state, events = scene.game.start(scene.seats, scene.game.options(), scene.deals, DealSource(key))
        told = events_for(scene.seat, events)
        while state.pending:
            asked = state.pending.get(scene.seat)
            if asked is not None and decision in (asked, ""):
                return Request(1, asked, state.legal(scene.seat), told, state.view(scene.seat), 0)
            state, events = state.apply(
                {seat: streams[seat].choice(state.legal(seat)) for seat in state.pending}
            )
            told += events_for(scene.seat, events)
    return None


def events_for(seat: int, events: Sequence[Event]) -> list[msgspec.Raw]:
    return [raw(event) for event in events if event.known_to(seat)]


class Rehearsal:
    """One process and its match. Used as a context manager, behind which the process is gone."""

    def __init__(
        self, bot: Entrant, scene: Scene, sandbox: Sandbox, stderr: Path, manner: Manner = PLAIN
    ) -> None:
        self.bot = bot
        self.scene = scene
        self.hello = hello(
            scene.game,
            msgspec.to_builtins(scene.game.options()),
            seats=scene.seats,
            seat=scene.seat,
            deals=scene.deals,
            limits=scene.limits,
            match_key=KEY,
            entrant=bot.name,
        )
        self.exchanges: list[Exchange] = []
        """The handshake, then every request."""
        self.decisions: set[str] = set()
        self.over = False
        self._sandbox = sandbox
        self._stderr = stderr
        self._manner = manner
        self._process: BotProcess | str = "not started"
        self._others = [substitute_stream(KEY, seat) for seat in range(scene.seats)]
        self._offered: set[str] = set()
        self._lines: list[str] = []

    def __enter__(self) -> Self:
        self._ended_cpu = _cpu_of_the_ended()
        self._process = spawn(self.bot.launch, self._stderr, self._sandbox)
        if isinstance(self._process, BotProcess):
            self._pipe = Recorder(self._process, self._manner, self._lines)
            self._conversation = Conversation(self._pipe, self.scene.limits)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def kill(self) -> None:
        if isinstance(self._process, BotProcess):
            self._process.kill()
            self._pipe.settle()
            self._process = "ended"

    @property
    def transcript(self) -> tuple[str, ...]:
        """The dialogue, `<- ` before our lines and `-> ` before the bot's."""
        return tuple(self._lines)

    @property
    def ready(self) -> Ready:
        answer = self.exchanges[0].answer
        assert isinstance(answer, Ready)
        return answer

    @property
    def replies(self) -> list[Reply]:
        return [exchange.answer for exchange in self.exchanges if isinstance(exchange.answer, Reply)]

    @property
    def process(self) -> BotProcess:
        assert isinstance(self._process, BotProcess)
        return self._process

    def processes(self) -> Mapping[int, BotProcess]:
        """By seat, while it lives."""
        return {self.scene.seat: self._process} if isinstance(self._process, BotProcess) else {}

    def stderr(self, size: int) -> bytes:
        return self.process.stderr_tail(size)

    async def begin(self, other: Hello | None = None) -> Symptoms | None:
        """Shake hands, over this match or as `other` says."""
        if isinstance(self._process, str):
            return Symptoms(FaultKind.SPAWN, self._process)
        return await self._look(await self._greet(other or self.hello))

    async def ask_as(self, request: Request) -> Symptoms | None:
        """Ask what was asked elsewhere, under the id that is due here."""
        return await self.ask(request.decision, request.legal, request.events, request.view)

    async def ask(
        self, decision: str, legal: tuple[str, ...], events: list[msgspec.Raw], view: Any
    ) -> Symptoms | None:
        await trio.sleep(self._manner.rest)
        self._cpu_before = self._cpu()
        exchange = await self._conversation.ask(decision, legal, events, view)
        new = decision if self.decisions and decision not in self.decisions else ""
        self.decisions.add(decision)
        symptoms = await self._look(exchange, legal, new)
        self._offered.update(legal)
        return symptoms

    async def play(self, requests: float = math.inf) -> Symptoms | None:
        """Play on until the match is over, or the bot has been asked so often, or does something wrong."""
        scene = self.scene
        state, events = scene.game.start(scene.seats, scene.game.options(), scene.deals, DealSource(POD_KEY))
        untold = events_for(scene.seat, events)
        while state.pending:
            actions = {}
            for seat in state.pending:
                if seat != scene.seat:
                    actions[seat] = self._others[seat].choice(state.legal(seat))
                    continue
                if len(self.exchanges) > requests:
                    return None
                told, untold = untold, []
                wrong = await self.ask(state.pending[seat], state.legal(seat), told, state.view(seat))
                if wrong:
                    return wrong
                actions[seat] = self.replies[-1].action
            state, events = state.apply(actions)
            untold += events_for(scene.seat, events)
        self._final, self._untold = state, untold
        self.over = True
        return None

    async def unasked(self, seconds: float) -> bytes:
        """What the bot says behind its answer, when nobody has asked it."""
        self._pipe.thaw()
        more = await self.process.read(trio.current_time() + seconds)
        self._pipe.freeze()
        return self._pipe.said.lstrip().partition(b"\n")[2] + (more or b"")

    async def end(self) -> Ending:
        """Say `end`, close the input, see the bot off."""
        self._say_end()
        return await self.leave()

    async def again(self) -> Symptoms | None:
        """Say `end` and, at once, the next `hello`."""
        self._say_end()
        return await self._look(await self._greet(self.hello))

    async def leave(self) -> Ending:
        """Close the input, see the bot off."""
        begun = trio.current_time()
        self._pipe.thaw()
        said = await self.process.last_words(begun + GOODBYE_SECONDS)
        gone = await self.process.exited_by(begun + GOODBYE_SECONDS)
        seconds = trio.current_time() - begun
        self._pipe.said += said
        return Ending(seconds if gone else None, self.process.status(), said)

    async def _greet(self, hello: Hello) -> Exchange:
        self._cpu_before = self._cpu()
        return await self._conversation.greet(hello)

    def _say_end(self) -> None:
        final: State = self._final
        outcome = final.tally()
        points = totals(outcome.points, self.scene.seats)
        self._conversation.end(End(self._untold, points, outcome.placings, "finished"))

    async def _look(self, exchange: Exchange, legal: tuple[str, ...] = (), new: str = "") -> Symptoms | None:
        """None for an answer that is as it has to be; else everything that can be found out."""
        self.exchanges.append(exchange)
        match exchange.answer:
            case Fault() as fault:
                return await self._inquest(exchange, legal, fault, new)
            case Reply(action=action) if action not in legal:
                return await self._inquest(exchange, legal, illegal(action), new)
        return None

    async def _inquest(self, exchange: Exchange, legal: tuple[str, ...], fault: Fault, new: str) -> Symptoms:
        """Watch the process a moment longer, then end it."""
        cpu = self._cpu() - self._cpu_before
        said, nudged, pressed, afterwards = self._pipe.said, b"", b"", b""
        fault, status = await inquest(fault, self.process, self._sandbox.memory_mb)
        gone = status is not None or fault.kind is FaultKind.EXITED
        if not gone:
            status = await self._status(0)
        stderr = visible(self.stderr(EVIDENCE_LIMIT), EVIDENCE_LIMIT)
        if not gone:
            self._pipe.thaw()
            nudged, pressed = (b"", b"") if said or status is not None else await self._nudge(exchange)
            if await self._status(0) is None:
                afterwards = await self.process.last_words(trio.current_time() + LAST_WORDS_SECONDS)
        self._pipe.said += nudged + pressed + afterwards
        self.kill()
        # Without /proc (macOS) this is all there is to know, what it did before and afterwards included.
        earlier = sum(before.us for before in self.exchanges[:-1]) / 1e6
        cpu = max(cpu, _cpu_of_the_ended() - self._ended_cpu - earlier)
        return Symptoms(
            kind=fault.kind,
            detail=fault.detail,
            request_id=exchange.request_id,
            sent=exchange.request,
            line=fault.evidence,
            legal=legal,
            offered=tuple(sorted(self._offered)),
            answered=len(self.exchanges) - 1,
            said=said,
            nudged=nudged,
            pressed=pressed,
            afterwards=afterwards,
            status=status,
            stderr=stderr,
            busy=cpu / max(exchange.us / 1e6, 0.001),
            new=new,
        )

    async def _nudge(self, exchange: Exchange) -> tuple[bytes, bytes]:
        """What a silent bot says to one more line, and to many more. One that has not greeted is sent a
        request, as it may have passed over the `hello`."""
        more, many = b"\n", exchange.request
        if exchange.request_id == HANDSHAKE:
            request = moment(self.scene)
            assert request is not None
            more = many = encode(request)
        nudged = await self._said_to(more, NUDGE_SECONDS)
        if nudged and await self._status(NUDGE_SECONDS) is not None:
            # The line was too much for it, and its output left the buffer as it ended.
            return b"", nudged
        if nudged or self.process.status() is not None:
            return nudged, b""
        return b"", await self._said_to(many * PRESSING, LAST_WORDS_SECONDS)

    async def _said_to(self, lines: bytes, seconds: float) -> bytes:
        self.process.write(lines)
        return await self.process.read(trio.current_time() + seconds) or b""

    def _cpu(self) -> float:
        """Seconds in which the living processes of the bot have computed so far, or would have if the machine
        had had a core for them; those behind a wall too, of which nobody tells us when they have ended."""
        pids = list(tree(self.process.pid))
        return max(usage(pids).cpu, _wanted_seconds(pids))

    async def _status(self, patience: float) -> int | None:
        await self.process.exited_by(trio.current_time() + patience)
        return self.process.status()


def _wanted_seconds(pids: Sequence[int]) -> float:
    """Seconds in which their threads had a core or stood in the queue for one. 0 where the kernel does not
    say."""
    return sum(ran + queued for ran, queued in load(pids).threads.values())


def _cpu_of_the_ended() -> float:
    """Seconds that all children that have ended, and those these have waited for, have used so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
