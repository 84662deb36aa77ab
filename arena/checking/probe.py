"""Plays one match for a check, with the bot at one seat and random choices at the others. Records every line
of the dialogue. After a fault it watches the process a little longer: how it reacts to more input, or to the
end of its input, shows the cause.

Knows processes and the order of a match; does not know what its symptoms mean (cures.py).
"""

import math
import resource
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import msgspec
import trio

from arena.checking.symptoms import Symptoms
from arena.entrants.entrant import Entrant
from arena.games.events import Event
from arena.games.game import Game, State
from arena.log.hello import hello
from arena.playing.conversation import HANDSHAKE, Conversation, Exchange
from arena.playing.exit_cause import exit_cause
from arena.process.botprocess import BotProcess
from arena.process.obstacle import Obstacle
from arena.process.sandbox import Sandbox
from arena.process.spawn import spawn
from arena.process.tree import Load, load, running, tree
from arena.system.text import visible
from protocol.codec import decode_from_referee, encode, raw
from protocol.faults import EVIDENCE_LIMIT, SILENT, Fault, FaultKind
from protocol.inbox import Inbox
from protocol.messages import End, Hello, Limits, Ready, Reply, Request
from protocol.outcome import totals
from protocol.streams import DealSource, match_key, pod_key, substitute_stream
from protocol.units import Ms, ms_to_seconds, us_to_seconds

POD_KEY: Final = pod_key("check", 0, 0)
"""All checks deal the same cards, so that a second check shows whether a mistake was fixed."""
KEY: Final = match_key(POD_KEY, 1)

RANDOM_MATCHES: Final = 50
"""The number of matches in which `sample_request` looks for a kind of decision."""
LATE_FACTOR: Final = 2
"""After its time a bot gets this many times as long again, so that an answer three times too slow is seen."""
LATE_SECONDS: Final = (2.0, 20.0)
"""The minimum and maximum of that extra time: a check must not take minutes."""
STARVED_SECONDS: Final = 10.0
"""The maximum that is added for a bot for which the machine has no core."""
HEARD_SECONDS: Final = 0.5
"""A bot that waits for a line starts to read it within this time."""
NUDGE_SECONDS: Final = (0.2, 2.0)
"""The minimum and maximum time for an answer to one more line."""
PRESSING: Final = 400
"""The number of lines whose answers fill an output buffer of 8 KiB, the usual size."""
PRESSING_SECONDS: Final = 1.0
LAST_WORDS_SECONDS: Final = 1.0
GOODBYE_SECONDS: Final = 1.0
"""A bot that takes longer than this to exit is reported."""
LATE_GOODBYE_SECONDS: Final = 5.0
"""A bot that has not exited by then is killed."""


class Setup(NamedTuple):
    """The match to play. `seat`: the bot's own."""

    game: Game
    seats: int
    seat: int
    deals: int
    limits: Limits


class Delivery(NamedTuple):
    """How lines are sent to the bot: altered, in two pieces, after a pause of `rest` seconds."""

    alter: Callable[[bytes], bytes] = lambda line: line
    in_pieces: bool = False
    rest: float = 0.0


PLAIN: Final = Delivery()
PIECES_SECONDS: Final = 0.05


class Silence(NamedTuple):
    """What a bot did in the `seconds` after its time was over, while nothing was sent to it. `said`: its
    output. `took`: the seconds from the request until a line arrived, 0 if none did."""

    seconds: float = 0.0
    said: bytes = b""
    took: float = 0.0


class ProvokedOutput(NamedTuple):
    """The reactions of a silent bot to one more line (`nudged`), to many more (`pressed`), and to the end of
    its input. `heard`: whether it read the one line. `ended`: whether it exited then."""

    heard: bool = False
    nudged: bytes = b""
    pressed: bytes = b""
    ended: bool = False
    afterwards: bytes = b""


class _Watched(NamedTuple):
    """The observation of a process after its fault: the corrected fault, and the exit status if it exited.
    `load`: of its processes when its time was over."""

    fault: Fault
    status: int | None
    stderr: str
    silence: Silence
    provoked: ProvokedOutput
    load: Load


class Ending(NamedTuple):
    """How a bot exited after `end`. `seconds`: None if it had to be killed."""

    seconds: float | None
    status: int | None
    said: bytes


class Recorder:
    """A bot's pipe that records both directions in `lines`. A conversation uses it instead of the process."""

    def __init__(self, process: BotProcess, delivery: Delivery, lines: list[str]) -> None:
        self.lines = lines
        self.said = b""
        """The output since our last line."""
        self._process = process
        self._manner = delivery
        self._second_piece = b""

    def write(self, data: bytes) -> None:
        """Send a line according to the delivery; the next `read` sends the second piece."""
        self.settle()
        line = self._manner.alter(data)
        self.lines.append("<- " + visible(line.rstrip(b"\n"), len(line)))
        size = len(line) // 2 if self._manner.in_pieces else len(line)
        self._process.write(line[:size])
        self._second_piece = line[size:]

    def read_now(self) -> bytes | None:
        """As BotProcess.read_now, recorded."""
        data = self._process.read_now()
        self.said += data or b""
        return data

    async def read(self, deadline: float) -> bytes | None:
        """As BotProcess.read, recorded."""
        if self._second_piece:
            await trio.sleep(PIECES_SECONDS)
            self._process.write(self._second_piece)
            self._second_piece = b""
        data = await self._process.read(deadline)
        self.said += data or b""
        return data

    def freeze(self) -> None:
        """As BotProcess.freeze."""
        self._process.freeze()

    def thaw(self) -> None:
        """As BotProcess.thaw."""
        self._process.thaw()

    def wake(self) -> float:
        """As BotProcess.wake."""
        return self._process.wake()

    def settle(self) -> None:
        """Move the output since our last line into `lines`."""
        self.lines += [f"-> {visible(line, len(line))}" for line in self.said.splitlines()]
        self.said = b""


def sample_request(setup: Setup, decision: str = "") -> Request | None:
    """The first request for this kind of decision ("" for any) to the bot's seat in random matches, with all
    earlier events of its match. None if there is none in RANDOM_MATCHES."""
    for number in range(RANDOM_MATCHES):
        key = match_key(POD_KEY, number)
        streams = [substitute_stream(key, seat) for seat in range(setup.seats)]
        state, events = setup.game.start(setup.seats, setup.game.options(), setup.deals, DealSource(key))
        known = events_for(setup.seat, events)
        while state.pending:
            asked = state.pending.get(setup.seat)
            if asked is not None and decision in (asked, ""):
                return Request(1, asked, state.legal(setup.seat), known, state.view(setup.seat), Ms(0))
            state, events = state.apply(
                {seat: streams[seat].choice(state.legal(seat)) for seat in state.pending}
            )
            known += events_for(setup.seat, events)
    return None


def events_for(seat: int, events: Sequence[Event]) -> list[msgspec.Raw]:
    """The events that this seat may know, encoded."""
    return [raw(event) for event in events if event.known_to(seat)]


class Probe:
    """One process and its match. A context manager, which kills the process at its exit."""

    def __init__(self, bot: Entrant, setup: Setup, sandbox: Sandbox, delivery: Delivery = PLAIN) -> None:
        self.bot = bot
        self.setup = setup
        self.hello = hello(
            setup.game,
            msgspec.to_builtins(setup.game.options()),
            seats=setup.seats,
            seat=setup.seat,
            deals=setup.deals,
            limits=setup.limits,
            match_key=KEY,
            entrant=bot.name,
        )
        self.exchanges: list[Exchange] = []
        """The handshake, then every request."""
        self.decisions: set[str] = set()
        """The kinds of decisions that were requested."""
        self.over = False
        self._sandbox = sandbox
        self._manner = delivery
        self._process: BotProcess | Obstacle | None = None
        self._others = [substitute_stream(KEY, seat) for seat in range(setup.seats)]
        self._offered: set[str] = set()
        self._lines: list[str] = []

    def __enter__(self) -> Self:
        self._ended_cpu = _cpu_of_ended_children()
        self._process = spawn(self.bot.launch, None, self._sandbox)
        if isinstance(self._process, BotProcess):
            self._process.begin()  # The program must run before a delivery in pieces.
            self._pipe = Recorder(self._process, self._manner, self._lines)
            self._conversation = Conversation(self._pipe, self.setup.limits)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def kill(self) -> None:
        """Kill the process if it still runs, and complete the transcript."""
        if isinstance(self._process, BotProcess):
            self._process.kill()
            self._pipe.settle()
            self._process = None

    @property
    def transcript(self) -> tuple[str, ...]:
        """The dialogue, `<- ` before our lines and `-> ` before the bot's."""
        return tuple(self._lines)

    @property
    def ready(self) -> Ready:
        """The answer to `hello`. Requires a successful handshake."""
        answer = self.exchanges[0].answer
        assert isinstance(answer, Ready)
        return answer

    @property
    def replies(self) -> list[Reply]:
        """All replies so far, in the order of their requests."""
        return [exchange.answer for exchange in self.exchanges if isinstance(exchange.answer, Reply)]

    @property
    def process(self) -> BotProcess:
        """The bot's process. Requires that it has not been killed."""
        assert isinstance(self._process, BotProcess)
        return self._process

    def processes(self) -> Mapping[int, BotProcess]:
        """The process by its seat, for the watchdog; empty after it has been killed."""
        return {self.setup.seat: self._process} if isinstance(self._process, BotProcess) else {}

    def stderr(self, size: int) -> bytes:
        """The last `size` bytes of its standard error."""
        return self.process.stderr_tail(size)

    async def begin(self, other: Hello | None = None) -> Symptoms | None:
        """Send `hello`, for this match or `other`. Returns None if the answer is a valid `ready`."""
        if isinstance(self._process, Obstacle):
            return Symptoms(FaultKind.SPAWN, self._process.text, obstacle=self._process.kind)
        return await self._look(await self._greet(other or self.hello))

    async def ask_as(self, request: Request) -> Symptoms | None:
        """Repeat a request of another match, with the next id of this one."""
        return await self.ask(request.decision, request.legal, request.events, request.view)

    async def ask(
        self, decision: str, legal: tuple[str, ...], events: list[msgspec.Raw], view: Any
    ) -> Symptoms | None:
        """Request one decision. Returns None if the answer is a legal reply."""
        await trio.sleep(self._manner.rest)
        self._before = self._load()
        exchange = await self._conversation.ask(decision, legal, events, view)
        new = decision if self.decisions and decision not in self.decisions else ""
        self.decisions.add(decision)
        symptoms = await self._look(exchange, legal, new)
        self._offered.update(legal)
        return symptoms

    async def play(self, requests: float = math.inf) -> Symptoms | None:
        """Play until the end of the match, until `requests` answers, or until a fault, which is returned."""
        setup = self.setup
        state, events = setup.game.start(setup.seats, setup.game.options(), setup.deals, DealSource(POD_KEY))
        untold = events_for(setup.seat, events)
        while state.pending:
            actions = {}
            for seat in state.pending:
                if seat != setup.seat:
                    actions[seat] = self._others[seat].choice(state.legal(seat))
                    continue
                if len(self.exchanges) > requests:
                    return None
                news, untold = untold, []
                wrong = await self.ask(state.pending[seat], state.legal(seat), news, state.view(seat))
                if wrong:
                    return wrong
                actions[seat] = self.replies[-1].action
            state, events = state.apply(actions)
            untold += events_for(setup.seat, events)
        self._final, self._untold = state, untold
        self.over = True
        return None

    async def unasked(self, seconds: float) -> bytes:
        """The bot's output after its last answer and in the next `seconds`, without a request."""
        self._pipe.thaw()
        more = await self.process.read(trio.current_time() + seconds)
        self._pipe.freeze()
        return self._pipe.said.lstrip().partition(b"\n")[2] + (more or b"")

    async def end(self) -> Ending:
        """Send `end`, close the input, wait until the bot has exited."""
        self._say_end()
        return await self.close()

    async def again(self) -> Symptoms | None:
        """Send `end`, and immediately the next `hello`."""
        self._say_end()
        return await self._look(await self._greet(self.hello))

    async def close(self) -> Ending:
        """Close the input, and wait up to LATE_GOODBYE_SECONDS until the bot has exited."""
        begun = trio.current_time()
        self._pipe.thaw()
        said = await self.process.rest_of_output(begun + GOODBYE_SECONDS)
        gone = await self.process.exited_by(begun + LATE_GOODBYE_SECONDS)
        seconds = trio.current_time() - begun
        self._pipe.said += said
        return Ending(seconds if gone else None, self.process.status(), said)

    async def _greet(self, hello: Hello) -> Exchange:
        self._before = self._load()
        return await self._conversation.greet(hello)

    def _say_end(self) -> None:
        final: State = self._final
        outcome = final.tally()
        points = totals(outcome.points, self.setup.seats)
        self._conversation.end(End(self._untold, points, outcome.placings, "finished"))

    async def _look(self, exchange: Exchange, legal: tuple[str, ...] = (), new: str = "") -> Symptoms | None:
        """None for a correct answer; otherwise everything that can be found out about the fault."""
        self.exchanges.append(exchange)
        fault = exchange.answer
        if not isinstance(fault, Fault):
            return None
        # Shielded from the end of the budget: finding the cause of a mistake is worth the time.
        with trio.CancelScope(shield=True):
            symptoms = await self._investigate(exchange, legal, fault, new)
        return symptoms

    async def _investigate(
        self, exchange: Exchange, legal: tuple[str, ...], fault: Fault, new: str
    ) -> Symptoms:
        """Watch the process longer, and collect the symptoms."""
        said = self._pipe.said
        fault, status, stderr, silence, provoked, after = await self._watch(exchange, fault)
        seconds = us_to_seconds(exchange.us) + silence.seconds
        computed, queued = after.since(self._before)
        busy = _busy(after) - _busy(self._before)
        if not self._before.threads and not after.threads:
            computed = busy = self._cpu_without_proc()
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
            queued=queued,
            heard=provoked.heard,
            nudged=provoked.nudged,
            pressed=provoked.pressed,
            ended=provoked.ended,
            afterwards=provoked.afterwards,
            status=status,
            stderr=stderr,
            computed=computed / max(seconds, 0.001),
            busy=busy / max(seconds, 0.001),
            new=new,
        )

    async def _watch(self, exchange: Exchange, fault: Fault) -> _Watched:
        """Watch the process longer, then kill it. First without sending anything, so that a late answer is
        not mistaken for a reaction to further input."""
        after = self._load()
        said, silence, provoked = self._pipe.said, Silence(), ProvokedOutput()
        fault, status = await exit_cause(fault, self.process, self._sandbox.memory_mb)
        waited_for = fault.kind in SILENT and not fault.evidence
        if waited_for:
            silence = await self._left_alone(exchange)
            after = self._load()
            if self.process.status() is not None:
                ended = Fault(FaultKind.EXITED, f"{fault.detail}, and then it ended")
                fault, status = await exit_cause(ended, self.process, self._sandbox.memory_mb)
        if status is None:
            # exit_cause waits only as long as a match can; a bot may exit later than it closes its pipes.
            status = await self._status(LAST_WORDS_SECONDS if fault.kind is FaultKind.EXITED else 0)
        stderr = visible(self.stderr(EVIDENCE_LIMIT), EVIDENCE_LIMIT)
        if status is None and fault.kind is not FaultKind.EXITED:
            if waited_for and not said and not silence.said:
                provoked = await self._provoke(exchange)
            elif not silence.took:
                provoked = await self._close_input()
        self._pipe.said += silence.said + provoked.nudged + provoked.pressed + provoked.afterwards
        self.kill()
        return _Watched(fault, status, stderr, silence, provoked, after)

    def _had(self, exchange: Exchange) -> float:
        """The time limit of the answer, in seconds."""
        if exchange.request_id == HANDSHAKE:
            return ms_to_seconds(self.setup.limits.start_ms)
        return ms_to_seconds(_request(exchange).ms)

    async def _left_alone(self, exchange: Exchange) -> Silence:
        """Wait for a late line while the bot runs with an open input, and nothing is sent to it."""
        limits = self.setup.limits
        greeting = exchange.request_id == HANDSHAKE
        most = ms_to_seconds(limits.start_ms if greeting else Ms(limits.decision_ms + limits.bank_ms))
        inbox = Inbox()
        inbox.open("starting" if greeting else "asked", exchange.request_id)
        self._pipe.thaw()
        begun = trio.current_time()
        deadline = begun + _between(LATE_FACTOR * most, LATE_SECONDS)
        said, line, data = b"", inbox.take(self._pipe.said), None
        while line is None and (data := await self._read_alone(deadline, most)):
            said += data
            line = inbox.take(data)
        if data == b"":
            await self._status(LAST_WORDS_SECONDS)
        seconds = trio.current_time() - begun
        return Silence(seconds, said, us_to_seconds(exchange.us) + seconds if line else 0.0)

    async def _read_alone(self, deadline: float, allowed: float) -> bytes | None:
        """Read as BotProcess.read does, but a bot that is computing at the deadline gets HEARD_SECONDS more:
        it may be about to answer, or to wait. One that was mostly queued for a core gets up to
        STARVED_SECONDS, until it has computed for the `allowed` seconds."""
        data = await self.process.read(deadline)
        while data is None and running(tree(self.process.pid)):
            computed, queued = self._load().since(self._before)
            starved = queued > computed and computed < allowed
            if trio.current_time() > deadline + (STARVED_SECONDS if starved else HEARD_SECONDS):
                break
            data = await self.process.read(trio.current_time() + HEARD_SECONDS / 50)
        return data

    async def _provoke(self, exchange: Exchange) -> ProvokedOutput:
        """Provoke a silent bot by one more line, by many more, and by the end of its input. A bot that has
        not answered `hello` gets it again and then a request, since it may ignore every `hello`."""
        greeting = exchange.request_id == HANDSHAKE
        at_work = running(tree(self.process.pid))
        if at_work or not await self._hears(exchange.request if greeting else b"\n"):
            # It is still working on the first line, which its next output would answer.
            return ProvokedOutput()
        nudged = await self._said(_between(ms_to_seconds(self.setup.limits.decision_ms), NUDGE_SECONDS))
        if nudged and await self._status(NUDGE_SECONDS[0]) is not None:
            # It exited at that line, which flushed its output buffer: this is no answer to the line.
            return ProvokedOutput(True, pressed=nudged, ended=True)
        pressed = b""
        # `hello` first: even a bot that decides slowly answers it quickly.
        for lines in (encode(self.hello) * PRESSING, self._another(exchange)):
            if not nudged and not pressed and self.process.status() is None:
                self.process.write(lines)
                pressed = await self._said(PRESSING_SECONDS)
        afterwards = await self._rest_of_output() if self.process.status() is None else b""
        return ProvokedOutput(True, nudged, pressed, afterwards=afterwards)

    def _another(self, exchange: Exchange) -> bytes:
        """The same request many times; if it was a `hello`, one request."""
        if exchange.request_id != HANDSHAKE:
            return exchange.request * PRESSING
        request = sample_request(self.setup)
        assert request is not None
        return encode(request)

    async def _hears(self, line: bytes) -> bool:
        """Send a line; whether the bot reads it. A bot that is still busy leaves it in the pipe."""
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

    async def _rest_of_output(self) -> bytes:
        return await self.process.rest_of_output(trio.current_time() + LAST_WORDS_SECONDS)

    def _load(self) -> Load:
        """The load of the bot's living processes, read from /proc: the kernel does not add the usage of a
        sandboxed process to ours when it ends."""
        return load(tree(self.process.pid))

    def _cpu_without_proc(self) -> float:
        """The CPU time without /proc (macOS), after the end of the process: that of its whole life, less the
        durations of all exchanges but the last. So it includes what it did outside requests."""
        earlier = sum(us_to_seconds(before.us) for before in self.exchanges[:-1])
        return _cpu_of_ended_children() - self._ended_cpu - earlier

    async def _close_input(self) -> ProvokedOutput:
        self._pipe.thaw()
        return ProvokedOutput(afterwards=await self._rest_of_output())

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


def _busy(done: Load) -> float:
    """Seconds for which processes computed or were queued for a core, summed over their threads."""
    return max(done.cpu, sum(map(sum, done.threads.values())))


def _cpu_of_ended_children() -> float:
    """CPU seconds of our children that have ended, and of the children that they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
