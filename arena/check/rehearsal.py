"""One match played for a check: one process of the bot at one seat, the others choose at random as house
bots do. Every line of the dialogue is kept, and after a fault the process is watched a little longer, since
what it does when its input ends explains more than that it was late.

Knows processes and the order of a match; not what its symptoms mean (diagnosis.py).
"""

import math
import resource
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import msgspec
import trio

from arena.check.symptoms import Symptoms
from arena.entrants.entrant import Entrant
from arena.games.events import Event
from arena.games.game import Game, State
from arena.log.hello import hello
from arena.match.conversation import HANDSHAKE, Conversation, Exchange
from arena.match.exit_cause import WAITED, exit_cause
from arena.process.botprocess import BotProcess
from arena.process.sandbox import Sandbox
from arena.process.spawn import spawn
from arena.process.tree import load, running, tree
from arena.system.text import visible
from protocol.codec import decode_from_referee, encode, raw
from protocol.dialogue import Phase
from protocol.faults import EVIDENCE_LIMIT, Fault, FaultKind, illegal
from protocol.inbox import Inbox
from protocol.messages import End, Hello, Limits, Ready, Reply, Request
from protocol.outcome import totals
from protocol.streams import DealSource, match_key, pod_key, substitute_stream

POD_KEY: Final = pod_key("check", 0, 0)
"""Every check deals the same cards, so that what was mended can be seen to be mended."""
KEY: Final = match_key(POD_KEY, 1)

RANDOM_MATCHES: Final = 50
LATE_FACTOR: Final = 2
"""A bot that is three times too slow is heard out: after its time it gets as much again, twice."""
LATE_SECONDS: Final = (2.0, 20.0)
"""But no less and no more than this: a check must not take minutes."""
HEARD_SECONDS: Final = 0.5
"""Within which a bot that waits for a line has begun to read it."""
NUDGE_SECONDS: Final = (0.2, 2.0)
PRESSING: Final = 400
"""Lines whose answers fill a buffer of 8 KiB, which is what languages have."""
PRESSING_SECONDS: Final = 1.0
LAST_WORDS_SECONDS: Final = 1.0
GOODBYE_SECONDS: Final = 1.0
LATE_GOODBYE_SECONDS: Final = 5.0
"""Who goes after this is slow, who does not stays."""


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


class Silence(NamedTuple):
    """What a bot did when its time was over and nothing was sent to it: so many seconds it had, `said` came,
    and `took` in all until a line was there, 0 if none came."""

    seconds: float = 0.0
    said: bytes = b""
    took: float = 0.0


class Stirred(NamedTuple):
    """What a silent bot said to one more line, to many more, and to the end of its input. `heard`: it was
    waiting for a line, and read that one."""

    heard: bool = False
    nudged: bytes = b""
    pressed: bytes = b""
    ended: bool = False
    afterwards: bytes = b""


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

    def __init__(self, bot: Entrant, scene: Scene, sandbox: Sandbox, manner: Manner = PLAIN) -> None:
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
        self._manner = manner
        self._process: BotProcess | str = "not started"
        self._others = [substitute_stream(KEY, seat) for seat in range(scene.seats)]
        self._offered: set[str] = set()
        self._lines: list[str] = []

    def __enter__(self) -> Self:
        self._ended_cpu = _cpu_of_the_ended()
        self._process = spawn(self.bot.launch, None, self._sandbox)
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
        self._cpu_before, self._queued_before = self._cpu(), self._queued()
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
        gone = await self.process.exited_by(begun + LATE_GOODBYE_SECONDS)
        seconds = trio.current_time() - begun
        self._pipe.said += said
        return Ending(seconds if gone else None, self.process.status(), said)

    async def _greet(self, hello: Hello) -> Exchange:
        self._cpu_before, self._queued_before = self._cpu(), self._queued()
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
            case Fault() as wrong:
                fault = wrong
            case Reply(action=action) if action not in legal:
                fault = illegal(action)
            case _:
                return None
        # A mistake that has been found is worth the time that its cause takes.
        with trio.CancelScope(shield=True):
            symptoms = await self._inquest(exchange, legal, fault, new)
        return symptoms

    async def _inquest(self, exchange: Exchange, legal: tuple[str, ...], fault: Fault, new: str) -> Symptoms:
        """Watch the process longer, then end it. First it is left alone, so that an answer that comes by
        itself is never taken for one that something else has brought forth."""
        cpu = self._cpu() - self._cpu_before
        queued = 0.0
        said, silence, stirred = self._pipe.said, Silence(), Stirred()
        fault, status = await exit_cause(fault, self.process, self._sandbox.memory_mb)
        waited_for = fault.kind in WAITED and not fault.evidence
        if waited_for:
            silence = await self._left_alone(exchange)
            cpu, queued = self._cpu() - self._cpu_before, self._queued() - self._queued_before
            if self.process.status() is not None:
                ended = Fault(FaultKind.EXITED, f"{fault.detail}, and then it ended")
                fault, status = await exit_cause(ended, self.process, self._sandbox.memory_mb)
        if status is None:
            # One that has closed its pipes may take longer to go than a match can wait for.
            status = await self._status(LAST_WORDS_SECONDS if fault.kind is FaultKind.EXITED else 0)
        stderr = visible(self.stderr(EVIDENCE_LIMIT), EVIDENCE_LIMIT)
        if status is None and fault.kind is not FaultKind.EXITED:
            if waited_for and not said and not silence.said:
                stirred = await self._stir(exchange)
            elif not silence.took:
                self._pipe.thaw()
                stirred = Stirred(afterwards=await self._last_words())
        self._pipe.said += silence.said + stirred.nudged + stirred.pressed + stirred.afterwards
        self.kill()
        seconds = exchange.us / 1e6 + silence.seconds
        if not self._cpu_before and not cpu:
            # Without /proc (macOS) this is all there is to know, what it did before and afterwards included.
            earlier = sum(before.us for before in self.exchanges[:-1]) / 1e6
            cpu = _cpu_of_the_ended() - self._ended_cpu - earlier
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
            had=self._had(exchange),
            waited=silence.seconds,
            late=silence.said,
            took=silence.took,
            queued=max(queued, 0.0),
            heard=stirred.heard,
            nudged=stirred.nudged,
            pressed=stirred.pressed,
            ended=stirred.ended,
            afterwards=stirred.afterwards,
            status=status,
            stderr=stderr,
            busy=cpu / max(seconds, 0.001),
            new=new,
        )

    def _had(self, exchange: Exchange) -> float:
        """Seconds in which the answer was due."""
        if exchange.request_id == HANDSHAKE:
            return self.scene.limits.start_ms / 1000
        return _request(exchange).ms / 1000

    async def _left_alone(self, exchange: Exchange) -> Silence:
        """Whether a line comes by itself: the bot runs, its input is open, and nothing is written to it."""
        limits = self.scene.limits
        greeting = exchange.request_id == HANDSHAKE
        most = (limits.start_ms if greeting else limits.decision_ms + limits.bank_ms) / 1000
        inbox = Inbox()
        inbox.open(Phase.STARTING if greeting else Phase.ASKED, exchange.request_id)
        inbox.feed(self._pipe.said)
        self._pipe.thaw()
        begun = trio.current_time()
        deadline = begun + _between(LATE_FACTOR * most, LATE_SECONDS)
        said, line, data = b"", inbox.take(), None
        while line is None and (data := await self._read_alone(deadline)):
            said += data
            inbox.feed(data)
            line = inbox.take()
        if data == b"":
            await self._status(LAST_WORDS_SECONDS)
        seconds = trio.current_time() - begun
        return Silence(seconds, said, exchange.us / 1e6 + seconds if line else 0.0)

    async def _read_alone(self, deadline: float) -> bytes | None:
        """One that computes at the deadline has a moment more: it may just be about to answer, or to wait."""
        data = await self.process.read(deadline)
        while data is None and running(tree(self.process.pid)):
            if trio.current_time() > deadline + HEARD_SECONDS:
                break
            data = await self.process.read(trio.current_time() + HEARD_SECONDS / 50)
        return data

    async def _stir(self, exchange: Exchange) -> Stirred:
        """What a silent bot says to one more line, to many more, and to the end of its input. One that has
        not greeted is told its `hello` again, and then sent a request, as it may pass over every `hello`."""
        greeting = exchange.request_id == HANDSHAKE
        at_work = running(tree(self.process.pid))
        if at_work or not await self._hears(exchange.request if greeting else b"\n"):
            # It would say to all this what it was about to say anyway.
            return Stirred()
        nudged = await self._said(_between(self.scene.limits.decision_ms / 1000, NUDGE_SECONDS))
        if nudged and await self._status(NUDGE_SECONDS[0]) is not None:
            # The line was too much for it, and its output left the buffer as it ended.
            return Stirred(True, pressed=nudged, ended=True)
        pressed = b""
        # A bot that takes long for an answer is quick to greet.
        for lines in (encode(self.hello) * PRESSING, self._another(exchange)):
            if not nudged and not pressed and self.process.status() is None:
                self.process.write(lines)
                pressed = await self._said(PRESSING_SECONDS)
        afterwards = await self._last_words() if self.process.status() is None else b""
        return Stirred(True, nudged, pressed, afterwards=afterwards)

    def _another(self, exchange: Exchange) -> bytes:
        """Its request many times; or one, where it was a `hello`."""
        if exchange.request_id != HANDSHAKE:
            return exchange.request * PRESSING
        request = moment(self.scene)
        assert request is not None
        return encode(request)

    async def _hears(self, line: bytes) -> bool:
        """Whether it was waiting for this line: one still at work on the last leaves it in the pipe."""
        self.process.write(line)
        waiting = self.process.unread()
        patience = trio.current_time() + HEARD_SECONDS
        while waiting and self.process.unread() >= waiting and trio.current_time() < patience:
            if self.process.status() is not None:
                return False
            await trio.sleep(HEARD_SECONDS / 50)
        return not waiting or self.process.unread() < waiting

    async def _said(self, seconds: float) -> bytes:
        return await self.process.read(trio.current_time() + seconds) or b""

    async def _last_words(self) -> bytes:
        return await self.process.last_words(trio.current_time() + LAST_WORDS_SECONDS)

    def _cpu(self) -> float:
        """Seconds in which the living processes of the bot have computed so far, or would have if the machine
        had had a core for them; those behind a wall too, of which nobody tells us when they have ended."""
        found = load(tree(self.process.pid))
        return max(found.cpu, sum(map(sum, found.threads.values())))

    def _queued(self) -> float:
        """Seconds for which they have waited for a core so far."""
        return sum(queued for _, queued in load(tree(self.process.pid)).threads.values())

    async def _status(self, patience: float) -> int | None:
        await self.process.exited_by(trio.current_time() + patience)
        return self.process.status()


def _request(exchange: Exchange) -> Request:
    message = decode_from_referee(exchange.request)
    assert isinstance(message, Request)
    return message


def _between(seconds: float, ends: tuple[float, float]) -> float:
    lowest, highest = ends
    return min(max(seconds, lowest), highest)


def _cpu_of_the_ended() -> float:
    """Seconds that all children that have ended, and those these have waited for, have used so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
