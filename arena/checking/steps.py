"""The steps of a check, in order: what a bot promises in each, which other step it needs, and how it is
tried. A broken promise fails the check; a remark does not.

Checks one bot at a time. Knows neither tournaments nor how findings are printed.
"""

import contextlib
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec
import trio

from arena.checking.beside import Copy, copied
from arena.checking.cures import NO_ZEROS, WRITE_ELSEWHERE, diagnose
from arena.checking.findings import Checked, Finding, Verdict
from arena.checking.pace import pace
from arena.checking.probe import GOODBYE_SECONDS, PLAIN, Delivery, Probe, Setup, sample_request
from arena.checking.symptoms import Symptoms, duration, parsed
from arena.entrants.entrant import Entrant
from arena.games.game import Game
from arena.log.last_error import last_error
from arena.process.botprocess import BotProcess
from arena.process.launch import obstacle, with_carriage_returns
from arena.process.obstacle import Obstacle
from arena.process.sandbox import Level, Sandbox
from arena.process.stderr import STDERR_KEPT
from arena.process.watchdog import Watchdog
from arena.system.machine import MIB
from arena.system.text import caption, shell_word, visible
from protocol.codec import decode_from_referee
from protocol.faults import EVIDENCE_LIMIT, FaultKind
from protocol.inbox import FLOOD_LIMIT
from protocol.messages import NAME_LIMIT, NOTE_LIMIT, Limits, Reply, Request
from protocol.units import us_to_ms

EVIDENCE_SIZE: Final = FLOOD_LIMIT
"""The bytes of a dialogue that a finding keeps: all, unless it was a flood."""
QUOTED: Final = 300
"""The bytes of a bot's output that a message quotes."""
UNASKED_SECONDS: Final = 0.2
REST_SECONDS: Final = 0.25
QUICK: Final = frozenset({FaultKind.EXITED, FaultKind.ILLEGAL, FaultKind.MALFORMED})
"""Faults that appear without waiting, so that another try is cheap."""
AT_ONE_LINE: Final = frozenset({"crashed", "no-such-field", "signal", "last-words"})
"""Diagnoses that the author can reproduce by sending the same lines again."""
NOT_FOR_TIME: Final = QUICK | {FaultKind.HANDSHAKE}
"""Faults that a busy machine does not cause, unless the check has waited."""
A_FEW: Final = 3
"""The number of requests in a step that needs no complete match, and of examples in a sentence."""
LONG_FIELD: Final = 20_000
"""The length of the unknown field that `with_news` adds: longer than a small line buffer."""


class StepRemark(NamedTuple):
    """The step was passed, with a remark. `notable`: whether the author should read it."""

    text: str
    notable: bool = False


class SkippedStep(NamedTuple):
    """The step was not tried, for the reason `why`."""

    why: str


class BrokenPromise(NamedTuple):
    """A broken promise that is not a fault of the protocol. `came`: what the bot wrote."""

    name: str
    what: str
    mend: str
    came: str = ""


Seen = Symptoms | BrokenPromise | SkippedStep | StepRemark | None
Look = Callable[["Examination"], Awaitable[Seen]]


class CheckStep(NamedTuple):
    """One step of a check."""

    name: str
    promise: str
    needs: str
    """The step that must have been passed before; "" for none."""
    look: Look
    spared: bool = True
    """Whether it takes time, and is skipped when the budget is used up."""
    where: str = ""
    """The beginning of the sentence about what went wrong in it; "" if that is clear."""


async def check(
    bot: Entrant | Obstacle,
    name: str,
    games: Sequence[Game],
    limits: Limits,
    sandbox: Sandbox,
    on_step: Callable[[str], None],
    budget: float = math.inf,
) -> Checked:
    """Put a bot through all steps. `bot`: an Obstacle if it cannot be started. `on_step`: called with each
    step as it begins (its name, its number and how many there are). After `budget` seconds, steps that take
    time are skipped, but a mistake seen before is still investigated."""
    exam = Examination(bot, games, limits, sandbox)
    findings: list[Finding] = []
    passed: set[str] = set()
    over, no_time = trio.current_time() + budget, SkippedStep(f"the {budget:g} s for this bot were used up")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Watchdog(exam.processes, sandbox.memory_mb * MIB).watch)
        planned = list(steps(games))
        for number, step in enumerate(planned, 1):
            if step.needs and step.needs not in passed:
                remark = f"needs the step “{step.needs}”"
                findings.append(Finding(step.name, step.promise, Verdict.SKIPPED, remark))
                continue
            on_step(f"{step.name} (step {number} of {len(planned)})")
            seen: Seen = no_time
            if not step.spared or trio.current_time() < over:
                with trio.move_on_at(over if step.spared else math.inf):
                    seen = await step.look(exam)
            finding = _finding(step, seen)
            findings.append(finding)
            if finding.verdict in (Verdict.PASSED, Verdict.NOTED):
                passed.add(step.name)
        nursery.cancel_scope.cancel()
    timed_out = any(finding.timed_out for finding in findings)
    return Checked(name, tuple(findings), pace(exam.times, timed_out), exam.transcript)


def _finding(step: CheckStep, seen: Seen) -> Finding:
    match seen:
        case Symptoms():
            diagnosis = diagnose(seen)
            return Finding(
                step.name,
                step.promise,
                Verdict.FAILED,
                kind=seen.kind,
                fault=f"{seen.kind}: {seen.detail}",
                sent=_cut(seen.sent, EVIDENCE_SIZE),
                came=_cut(
                    seen.line or seen.said + seen.late or seen.nudged + seen.pressed + seen.afterwards,
                    EVIDENCE_SIZE,
                ),
                stderr=seen.stderr.strip(),
                happened=step.where + (diagnosis.advice if diagnosis.name in AT_ONE_LINE else seen.happened),
                diagnosis=diagnosis.name,
                mend=diagnosis.advice,
                again=seen.again if diagnosis.name in AT_ONE_LINE else "",
            )
        case BrokenPromise(name, what, mend, came):
            return Finding(
                step.name,
                step.promise,
                Verdict.FAILED,
                fault=what,
                came=came,
                happened=what,
                diagnosis=name,
                mend=mend,
            )
        case SkippedStep(why):
            return Finding(step.name, step.promise, Verdict.SKIPPED, why)
        case StepRemark(text, notable):
            return Finding(step.name, step.promise, Verdict.NOTED if notable else Verdict.PASSED, text)
        case None:
            return Finding(step.name, step.promise, Verdict.PASSED)


def _cut(said: bytes, size: int = QUOTED) -> str:
    text = visible(said[:size].strip(), size)
    return f"{text} …" if len(said) > size else text


class Examination:
    """What the steps of one check share: the bot, and the results of earlier steps."""

    def __init__(
        self, bot: Entrant | Obstacle, games: Sequence[Game], limits: Limits, sandbox: Sandbox
    ) -> None:
        self.bot = bot
        self.games = games
        self.limits = limits
        self.times: list[float] = []
        """The duration of every reply in complete matches, in milliseconds."""
        self.timed_out = ""
        """The step with the first match in which a reply timed out; "" for none. Further matches are skipped,
        since they would take that time again for the same cause."""
        self.transcript: tuple[str, ...] = ()
        """The dialogue of the first match, or of the first failed one."""
        self._failed = False
        self.greeted: Probe
        """The first successful handshake; set by the step “ready”."""
        self.first: Probe
        """The complete match of the first setup. Steps that read it must need the step that sets it."""
        self.again: Probe | None = None
        """The same match once more, if the step “beside” has played it."""
        self.whole: list[Setup] = []
        """The setups whose match was completed."""
        self.stderr_bytes = 0
        """The maximum that the bot wrote to standard error in a complete match, up to STDERR_KEPT."""
        self.asked: set[tuple[str, str]] = set()
        """The kinds of decisions that were requested, as (game, decision)."""
        self._sandbox = sandbox
        self._latest: Probe | None = None

    def setup(self, game: Game | None = None, seats: int | None = None) -> Setup:
        """A match with the bot at the last seat; by default of the first game with the fewest seats."""
        game = game or self.games[0]
        seats = seats or game.seats[0]
        return Setup(game, seats, seats - 1, game.deals(seats), self.limits)

    def probe(
        self, setup: Setup | None = None, delivery: Delivery = PLAIN, bot: Entrant | None = None
    ) -> Probe:
        """A new match, whose process the watchdog watches from now on. The bot must be startable. `bot`: a
        copy of the bot, to play instead."""
        assert isinstance(self.bot, Entrant)
        self._latest = Probe(bot or self.bot, setup or self.setup(), self._sandbox, delivery)
        return self._latest

    @property
    def is_walled_in(self) -> bool:
        """Whether the bot's files are read-only whenever it plays here."""
        return self._sandbox.level is Level.BWRAP

    def processes(self) -> Mapping[int, BotProcess]:
        """The latest probe's process by seat, for the watchdog."""
        return {} if self._latest is None else self._latest.processes()

    def failed(self, probe: Probe, wrong: Symptoms) -> Symptoms:
        """Add the commands that reproduce the symptoms. Keeps the dialogue if it is the first failed one."""
        if not self._failed:
            self._failed, self.transcript = True, probe.transcript
        return msgspec.structs.replace(
            wrong,
            again=_again(probe.bot, probe.setup.game),
            script_with_returns=with_carriage_returns(probe.bot.launch),
        )


def _again(bot: Entrant, game: Game) -> str:
    """The commands that reproduce a crash of a bot in a game, from the working folder of this check."""
    source = bot.source or bot.name
    seen = f"arena check {shell_word(source)} --game {game.id} --transcript dialogue.txt"
    # No `cd` for a single file, so that both commands work from the same folder.
    launch = bot.launch
    program = " ".join(map(shell_word, launch.argv))
    if launch.owns_folder:
        is_built = obstacle(msgspec.structs.replace(launch, kept="")) is not None
        program = f"(cd {shell_word(launch.kept if is_built else launch.folder)} && {program})"
    return f"{seen}\nsed -n 's/^<- //p' dialogue.txt | {program}"


# ── starting ──────────────────────────────────────────────────────────────────────────────────────────────


async def _program(exam: Examination) -> Symptoms | None:
    wrong = exam.bot if isinstance(exam.bot, Obstacle) else obstacle(exam.bot.launch)
    return Symptoms(FaultKind.SPAWN, wrong.text, obstacle=wrong.kind) if wrong else None


async def _ready(exam: Examination) -> Symptoms | StepRemark:
    with exam.probe() as probe:
        if wrong := await probe.begin():
            return exam.failed(probe, wrong)
        exam.greeted = probe
        ms = us_to_ms(probe.exchanges[0].us)
        return StepRemark(f"after {ms:.0f} ms", notable=ms > exam.limits.start_ms / 2)


async def _name(exam: Examination) -> BrokenPromise | StepRemark:
    said = exam.greeted.ready.name
    shown = caption(said, NAME_LIMIT)
    if not shown:
        return BrokenPromise(
            "empty-name", "nothing in its name can be shown", "`name` is a string of 1 to 32 characters"
        )
    return StepRemark(shown if shown == said else f"shown as “{shown}”", notable=shown != said)


async def _unasked(exam: Examination) -> Symptoms | BrokenPromise | None:
    with exam.probe() as probe:
        if wrong := await probe.begin():
            return exam.failed(probe, wrong)
        said = (await probe.unasked(UNASKED_SECONDS)).strip()
        if not said:
            return None
        what = "it wrote something after its `ready`"
        if not said.strip(b"\0"):
            return BrokenPromise("zero-bytes", what, NO_ZEROS, _cut(said))
        if any(isinstance(message := parsed(line), dict) and "type" in message for line in said.splitlines()):
            return BrokenPromise(
                "answers-twice",
                what,
                "answer `hello` with one `ready`, and nothing more: anything else that you send is the "
                "first thing read at the next request",
                _cut(said),
            )
        return BrokenPromise(
            "unasked",
            what,
            "write nothing that was not asked for: it is the first thing read at the next request. Send "
            "debugging text to standard error",
            _cut(said),
        )


async def _first_reply(exam: Examination) -> Symptoms | None:
    with exam.probe() as probe:
        wrong = await probe.begin() or await probe.play(1)
    return await _compared(exam, probe, wrong) if wrong else None


async def _compared(exam: Examination, probe: Probe, wrong: Symptoms) -> Symptoms:
    """Add to the symptoms where the bot does better: at another number of seats, or in another game."""
    wrong = exam.failed(probe, wrong)
    game, seats = probe.setup.game, probe.setup.seats
    if wrong.kind not in QUICK or wrong.waited or wrong.status == 0:
        return wrong
    for setup in exam.whole:
        if setup.game is not game:
            where = (
                f". It plays {setup.game.title}: do you rely on something that only that game has? Look at "
                "`game` in `hello`; if a bot plays only some games, name them in its bot.toml (`games`), "
                "and check it with --game"
            )
            return msgspec.structs.replace(wrong, elsewhere=where)
    if wrong.misspelt:
        return wrong  # A misspelt field is missing at every number of seats.

    async def gets_further(at: int) -> bool:
        with exam.probe(exam.setup(game, at)) as attempt:
            return not (await attempt.begin() or await attempt.play(wrong.request_id) or attempt.over)

    others = [other for other in game.seats if other != seats]
    further = [other for other in others if await gets_further(other)]
    if further and await gets_further(seats):
        return wrong  # What fails by chance has nothing to do with the seats.
    return msgspec.structs.replace(wrong, elsewhere=_by_seats(wrong.kind, seats, further, others))


def _by_seats(kind: FaultKind, seats: int, further: Sequence[int], others: Sequence[int]) -> str:
    """Advice for a bot that gets further at other numbers of seats. The cards differ with the number of
    seats, so this may be chance at one of them; after an illegal action it nearly always is."""
    numbers = ", ".join(map(str, further))
    if len(further) > 1 and further == others:
        return (
            f". It gets further with {numbers} seats than with {seats}: do not rely on a fixed number of "
            "seats; it is in `hello` and in `view` (`seats`)"
        )
    if further and kind is not FaultKind.ILLEGAL:
        return (
            f". Perhaps it relies on a fixed number of seats, since it gets further with {numbers}: the "
            "number is in `hello` and in `view` (`seats`)"
        )
    return ""


# ── playing ───────────────────────────────────────────────────────────────────────────────────────────────


async def _match(game: Game, seats: int, exam: Examination) -> Symptoms | SkippedStep | StepRemark:
    if exam.timed_out:
        return SkippedStep(f"it timed out in “{exam.timed_out}”")
    with exam.probe(exam.setup(game, seats)) as probe:
        try:
            wrong = await probe.begin() or await probe.play()
        finally:
            exam.asked |= {(game.id, decision) for decision in probe.decisions}
            exam.times += [
                us_to_ms(exchange.us)
                for exchange in probe.exchanges[1:]
                if isinstance(exchange.answer, Reply)
            ]
        if wrong:
            if wrong.kind is FaultKind.TIMEOUT or wrong.waited:
                exam.timed_out = f"{game.id} {seats}"
            return await _compared(exam, probe, wrong)
        exam.whole.append(probe.setup)
        exam.stderr_bytes = max(exam.stderr_bytes, len(probe.stderr(STDERR_KEPT)))
        is_first = probe.setup == exam.setup()
        if is_first:
            exam.first = probe
            await probe.end()
    if is_first and not exam.transcript:
        exam.transcript = probe.transcript
    return StepRemark(f"{len(probe.replies)} requests")


async def _decisions(game: Game, exam: Examination) -> Symptoms | SkippedStep | StepRemark:
    """Request kinds of decisions that did not occur in a match, since a good bot may avoid them."""
    if exam.timed_out:
        return SkippedStep(f"it timed out in “{exam.timed_out}”")
    for decision in game.decisions:
        request = None if (game.id, decision) in exam.asked else sample_request(exam.setup(game), decision)
        if request is not None:
            with exam.probe(exam.setup(game)) as probe:
                if wrong := await probe.begin() or await probe.ask_as(request):
                    return exam.failed(probe, wrong)
    return StepRemark(", ".join(game.decisions))


# ── odd situations ────────────────────────────────────────────────────────────────────────────────────────


def with_news(line: bytes) -> bytes:
    """One of our lines as a later version might write it: long, with unknown fields and an unknown event."""
    message = msgspec.json.decode(line)
    if "events" in message:
        message["events"].append({"event": "moved", "news": [1, {"a": None}]})
    if "view" in message:
        message["view"]["news"] = None
    message["news"] = "x" * LONG_FIELD
    return msgspec.json.encode(message) + b"\n"


async def _odd_delivery(delivery: Delivery, exam: Examination) -> Symptoms | None:
    with exam.probe(delivery=delivery) as probe:
        wrong = await probe.begin() or await probe.play(A_FEW)
        return exam.failed(probe, wrong) if wrong else None


async def _unknown_game(exam: Examination) -> StepRemark:
    """Ask for an unknown decision in an unknown game."""
    with exam.probe() as probe:
        hello = msgspec.structs.replace(probe.hello, game="whist")
        view = {"deal_no": 1, "deals": 1, "seats": hello.seats, "seat": hello.seat, "leader": 0, "hand": []}
        view["points"] = [0] * hello.seats
        if await probe.begin(hello) or await probe.ask("bid", ("pass",), [], view):
            return StepRemark("no; answer unknown decisions with `legal[0]`", notable=True)
    return StepRemark("")


async def _memory(exam: Examination) -> StepRemark:
    """Send a request from the middle of a match to a new process. No real match does that, so a bot may
    depend on what came before."""
    requests = [_request(exchange.request) for exchange in exam.first.exchanges[1:]]
    choices = [index for index, request in enumerate(requests) if len(request.legal) > 1]
    middle = choices[len(choices) // 2]
    request, before = requests[middle], exam.first.replies[middle]
    with exam.probe() as probe:
        if wrong := await probe.begin() or await probe.ask_as(request):
            return StepRemark(
                f"it relies on memory ({wrong.kind}); `view` has everything that it may know", notable=True
            )
        same = probe.replies[0].action == before.action
    return StepRemark("the same answer as with memory" if same else "a different answer than with memory")


def _request(line: bytes) -> Request:
    message = decode_from_referee(line)
    assert isinstance(message, Request)
    return message


async def _beside(exam: Examination) -> Seen:
    """Play the first match once more from a read-only copy. If that fails, but not from a writable copy, the
    bot needs to write there."""
    if exam.is_walled_in:
        return StepRemark("its files are read-only here")
    assert isinstance(exam.bot, Entrant)
    with copied(exam.bot, closed=True) as copy:
        if isinstance(copy, str):
            return SkippedStep(copy)
        probe, wrong = await _from(copy, exam)
        if wrong is None:
            exam.again = probe
            return None
        if wrong.kind not in NOT_FOR_TIME or wrong.waited:
            return exam.failed(probe, wrong)
    with copied(exam.bot, closed=False) as copy:
        if isinstance(copy, str):
            return SkippedStep(copy)
        before = copy.files()
        _, also = await _from(copy, exam)
        if also is None:
            written = [name for name, seen in copy.files().items() if before.get(name) != seen]
            return _writes_beside(wrong, written)
    return BrokenPromise(
        "needs-more-files",
        f"moved to another folder with only its own files, it fails: {_what_happened(also)}",
        "in a sandbox (bwrap) it sees only its own files, and a single-file bot sees only that one file: "
        "put it and everything that it reads into a folder with a bot.toml, and look for those files next "
        "to the program",
    )


async def _from(copy: Copy, exam: Examination) -> tuple[Probe, Symptoms | None]:
    with exam.probe(exam.first.setup, bot=copy.bot) as probe:
        return probe, await probe.begin() or await probe.play()


def _writes_beside(wrong: Symptoms, written: Sequence[str]) -> BrokenPromise:
    """The finding that it needs to write into its folder. `written`: what it wrote where it could."""
    files = caption(", ".join(written[:A_FEW]) + " …" * (len(written) > A_FEW))
    return BrokenPromise(
        "writes-beside",
        f"it writes into its own folder{f' ({files})' * bool(files)}, and fails if that is read-only: "
        f"{_what_happened(wrong)}",
        f"in a sandbox (bwrap) its folder is read-only, and it would forfeit every match. {WRITE_ELSEWHERE}",
    )


def _what_happened(wrong: Symptoms) -> str:
    return wrong.happened + wrong.error_in_brackets


async def _same_seed(exam: Examination) -> Symptoms | StepRemark:
    with exam.probe(exam.first.setup) if exam.again is None else contextlib.nullcontext(exam.again) as probe:
        wrong = None if exam.again else await probe.begin() or await probe.play()
        if wrong:
            return exam.failed(probe, wrong)
        if [reply.action for reply in probe.replies] == [reply.action for reply in exam.first.replies]:
            return StepRemark("")
    return StepRemark("no; derive all randomness from `seed` if you want repeatable matches", notable=True)


# ── ending ────────────────────────────────────────────────────────────────────────────────────────────────

STAYS: Final = "leave your loop when the input ends (Python: `for line in sys.stdin`), and end all threads"
SLOW_TO_GO: Final = "do less at the end, since it has only a second: save earlier what you want to keep"


def _slow_exit(seconds: float | None, after: str) -> BrokenPromise:
    """The finding that it did not exit within a second, but after `seconds`, or not at all (None)."""
    if seconds is None:
        return BrokenPromise("stays", f"it was still running seconds after {after}", STAYS)
    return BrokenPromise("slow-to-go", f"it exited {duration(seconds)} after {after}", SLOW_TO_GO)


async def _ends(exam: Examination) -> Symptoms | BrokenPromise | StepRemark:
    with exam.probe(_short(exam)) as probe:
        wrong = await probe.begin() or await probe.play()
        if wrong:
            return exam.failed(probe, wrong)
        ending = await probe.end()
        if ending.seconds is None or ending.seconds > GOODBYE_SECONDS:
            return _slow_exit(ending.seconds, "`end` and the end of its input")
        error = last_error(visible(probe.stderr(EVIDENCE_LIMIT), EVIDENCE_LIMIT))
        if ending.status:
            return StepRemark(
                f"it exits with status {ending.status}; its standard error says: {error}",
                notable=True,
            )
        # Replies are left out: the step “once” reports a second answer to the last request.
        if said := b"\n".join(line for line in ending.said.splitlines() if not _is_reply(line)).strip():
            return StepRemark(f"its output after `end` is not read: {_cut(said)}", notable=True)
        return StepRemark(f"after {1000 * ending.seconds:.0f} ms")


async def _cut_off(exam: Examination) -> Symptoms | BrokenPromise | None:
    with exam.probe() as probe:
        wrong = await probe.begin() or await probe.play(A_FEW)
        if wrong:
            return exam.failed(probe, wrong)
        seconds = (await probe.close()).seconds
    return (
        None
        if seconds is not None and seconds <= GOODBYE_SECONDS
        else _slow_exit(seconds, "the end of its input")
    )


async def _second_match(exam: Examination) -> StepRemark:
    with exam.probe(_short(exam)) as probe:
        if await probe.begin() or await probe.play() or await probe.again():
            return StepRemark("it cannot be reused for a second match; that is allowed")
    return StepRemark("it can be reused for a second match")


def _short(exam: Examination) -> Setup:
    return exam.setup()._replace(deals=1)


# ── habits ─────────────────────────────────────────────────────────────────────────────────────────────────


async def _errors(exam: Examination) -> StepRemark:
    size = exam.stderr_bytes
    many = "64 KiB or more" if size >= STDERR_KEPT else f"{size} bytes"
    return StepRemark(f"{many} in a match", notable=size >= STDERR_KEPT)


async def _notes(exam: Examination) -> StepRemark:
    longest = max(len(reply.note) for reply in exam.first.replies)
    if longest > NOTE_LIMIT:
        return StepRemark(f"notes of {longest} characters are cut to {NOTE_LIMIT}", notable=True)
    return StepRemark(f"up to {longest} characters" if longest else "none")


async def _once(exam: Examination) -> StepRemark:
    said = sum(line.startswith("-> ") and _is_reply(line[3:].encode()) for line in exam.first.transcript)
    if more := said - len(exam.first.replies):
        return StepRemark(
            f"it sent {more} answers to requests that it had already answered, and they are ignored: send "
            "one line for each request, and nothing after it",
            notable=True,
        )
    return StepRemark("")


def _is_reply(line: bytes) -> bool:
    message = parsed(line)
    return isinstance(message, dict) and message.get("type") == "reply"


async def _pace(exam: Examination) -> StepRemark:
    limit, late = exam.limits.decision_ms, sum(ms > exam.limits.decision_ms for ms in exam.times)
    if late:
        return StepRemark(
            f"{late} of {len(exam.times)} replies took more than {limit} ms, and used time from the bank",
            True,
        )
    return StepRemark("")


def _steps_of(game: Game, first: str) -> Iterator[CheckStep]:
    """The steps of a game: a match at each number of seats, and its decisions. `first`: that of the first
    match."""
    smallest = f"{game.id} {game.seats[0]}"
    for seats in game.seats:
        name = f"{game.id} {seats}"
        yield CheckStep(
            name,
            f"plays a whole match of {game.title} at {seats} seats",
            "reply" if name == smallest else smallest,
            partial(_match, game, seats),
            spared=name != first,
            where=f"in a trial match of {game.title} at {seats} seats ",
        )
    promise = f"answers every kind of decision of {game.title}"
    where = f"when it was asked for each kind of decision of {game.title}, "
    yield CheckStep(f"{game.id} decisions", promise, smallest, partial(_decisions, game), where=where)


def steps(games: Sequence[Game]) -> Iterator[CheckStep]:
    """All steps for a bot that plays these games, in order."""
    first = f"{games[0].id} {games[0].seats[0]}"
    yield CheckStep("program", "there is a program that can be executed", "", _program, spared=False)
    promise = "answers `hello` with a valid `ready`, in time and before anything else"
    yield CheckStep("ready", promise, "program", _ready, spared=False)
    yield CheckStep("name", "has a name that can be shown", "ready", _name, spared=False)
    yield CheckStep("unasked", "writes nothing without a request", "ready", _unasked, spared=False)
    yield CheckStep(
        "reply", "answers its first request with a legal action", "ready", _first_reply, spared=False
    )
    for game in games:
        yield from _steps_of(game, first)
    odd = {
        "news": ("ignores unknown fields and events, in long lines", Delivery(alter=with_news)),
        "pieces": ("reads a line that arrives in two pieces", Delivery(in_pieces=True)),
        "rest": ("continues after being paused for a while", Delivery(rest=REST_SECONDS)),
    }
    for name, (promise, delivery) in odd.items():
        where = f"when it was tested whether it {promise}, "
        yield CheckStep(name, promise, first, partial(_odd_delivery, delivery), where=where)
    yield CheckStep("memory", "can answer in the middle of a match, using only `view`", first, _memory)
    yield CheckStep("unknown game", "answers in an unknown game", first, _unknown_game)
    yield CheckStep("beside", "does not need to write next to its program", first, _beside)
    yield CheckStep("same seed", "plays the same way with the same seed", first, _same_seed)
    yield CheckStep("end", "exits within a second of `end`, without further output", first, _ends)
    yield CheckStep("cut off", "exits within a second if its input ends in mid-match", first, _cut_off)
    yield CheckStep("kept", "plays a second match in the same process", first, _second_match)
    yield CheckStep("stderr", "writes little to standard error", first, _errors, spared=False)
    yield CheckStep("notes", "keeps its notes short", first, _notes, spared=False)
    yield CheckStep("once", "answers each request once", first, _once, spared=False)
    yield CheckStep("pace", "does not need the bank", first, _pace, spared=False)
