"""The steps of a check, in their order: what each promises, on which other step it depends, how it is looked
at. A promise that is not kept fails the check; a remark does not.

Asks one bot at a time. Knows neither tournaments nor how findings are printed.
"""

import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec
import trio

from arena.check.diagnosis import diagnose
from arena.check.findings import Checked, Finding, Verdict
from arena.check.mendings import NO_ZEROS
from arena.check.pace import pace
from arena.check.rehearsal import GOODBYE_SECONDS, PLAIN, Manner, Rehearsal, Scene, moment
from arena.check.symptoms import Symptoms, duration, parsed
from arena.entrants.entrant import Entrant
from arena.games.game import Game
from arena.process.botprocess import BotProcess
from arena.process.launch import obstacle
from arena.process.sandbox import Sandbox
from arena.process.stderr import STDERR_KEPT
from arena.process.watchdog import Watchdog
from arena.system.machine import MIB
from arena.system.text import caption, shell_word, visible
from protocol.codec import decode_from_referee
from protocol.faults import FaultKind
from protocol.inbox import FLOOD_LIMIT
from protocol.messages import NAME_LIMIT, NOTE_LIMIT, Limits, Reply, Request

KEPT: Final = FLOOD_LIMIT
"""Bytes of a dialogue that a finding keeps: all, unless it was a flood."""
QUOTED: Final = 300
"""Bytes of a bot's words within a sentence of ours."""
UNASKED_SECONDS: Final = 0.2
REST_SECONDS: Final = 0.25
QUICK: Final = frozenset({FaultKind.EXITED, FaultKind.ILLEGAL, FaultKind.MALFORMED})
"""Faults that are not waited for, so that it costs little to try again."""
AT_ONE_LINE: Final = frozenset({"crashed", "signal", "last-words"})
"""Diagnoses of which more is found out by sending the same lines again."""
A_FEW: Final = 3
"""Requests of a step that needs no whole match."""
ENOUGH_NEWS: Final = 20_000


class Remark(NamedTuple):
    """A step that was passed, with something to say of it. `notable`: what an author should know."""

    text: str
    notable: bool = False


class NotTried(NamedTuple):
    """A step that would only have cost time, and why."""

    why: str


class Failing(NamedTuple):
    """A promise that was not kept without a fault of protocol."""

    name: str
    what: str
    mend: str


Seen = Symptoms | Failing | NotTried | Remark | None
Look = Callable[["Examination"], Awaitable[Seen]]


class Step(NamedTuple):
    """`needs` is the step without which this one tells nothing. `spared`: it takes time, and is not tried
    when the budget is used up."""

    name: str
    promise: str
    needs: str
    look: Look
    spared: bool = True


async def check(
    bot: Entrant | str,
    name: str,
    games: Sequence[Game],
    limits: Limits,
    sandbox: Sandbox,
    told: Callable[[str], None],
    budget: float = math.inf,
) -> Checked:
    """Put a bot, or what stands in its way, through all steps. `told` hears what is looked at. After
    `budget` seconds a bot is slow, and what only takes time is not tried any more; a mistake that is seen by
    then is followed up."""
    exam = Examination(bot, games, limits, sandbox)
    findings: list[Finding] = []
    kept: set[str] = set()
    over, no_time = trio.current_time() + budget, NotTried(f"the {budget:g} s for this bot were used up")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Watchdog(exam.processes, sandbox.memory_mb * MIB).watch)
        for step in steps(games):
            if step.needs and step.needs not in kept:
                remark = f"needs the step “{step.needs}”"
                findings.append(Finding(step.name, step.promise, Verdict.SKIPPED, remark))
                continue
            told(step.name)
            seen: Seen = no_time
            if not step.spared or trio.current_time() < over:
                with trio.move_on_at(over if step.spared else math.inf):
                    seen = await step.look(exam)
            finding = _finding(step, seen)
            findings.append(finding)
            if finding.verdict in (Verdict.PASSED, Verdict.NOTED):
                kept.add(step.name)
        nursery.cancel_scope.cancel()
    timed_out = any(finding.timed_out for finding in findings)
    return Checked(name, tuple(findings), pace(exam.times, timed_out), exam.transcript)


def _finding(step: Step, seen: Seen) -> Finding:
    match seen:
        case Symptoms():
            diagnosis = diagnose(seen)
            return Finding(
                step.name,
                step.promise,
                Verdict.FAILED,
                fault=f"{seen.kind}: {seen.detail}",
                sent=_cut(seen.sent, KEPT),
                came=_cut(
                    seen.line or seen.said + seen.late or seen.nudged + seen.pressed + seen.afterwards, KEPT
                ),
                stderr=seen.stderr.strip(),
                diagnosis=diagnosis.name,
                mend=diagnosis.mend,
                again=seen.again if diagnosis.name in AT_ONE_LINE else "",
            )
        case Failing(name, what, mend):
            return Finding(step.name, step.promise, Verdict.FAILED, fault=what, diagnosis=name, mend=mend)
        case NotTried(why):
            return Finding(step.name, step.promise, Verdict.SKIPPED, why)
        case Remark(text, notable):
            return Finding(step.name, step.promise, Verdict.NOTED if notable else Verdict.PASSED, text)
        case None:
            return Finding(step.name, step.promise, Verdict.PASSED)


def _cut(said: bytes, size: int = QUOTED) -> str:
    text = visible(said[:size].strip(), size)
    return f"{text} …" if len(said) > size else text


class Examination:
    """What the steps of one check share: the bot, and what earlier ones have seen."""

    def __init__(self, bot: Entrant | str, games: Sequence[Game], limits: Limits, sandbox: Sandbox) -> None:
        self.bot = bot
        self.games = games
        self.limits = limits
        self.times: list[float] = []
        """Of every reply in a match, in milliseconds."""
        self.timed_out = ""
        """The first match in which no reply came in time: the others are not tried, since they would cost
        that time again for the same cause."""
        self.transcript: tuple[str, ...] = ()
        """Of the first match, or of the first that failed."""
        self._failed = False
        self.greeted: Rehearsal
        """The first handshake that was well."""
        self.first: Rehearsal
        """The match in the first scene, whole: no step that uses it comes without it."""
        self.whole: list[Scene] = []
        """Those of which a match was played to its end."""
        self.stderr_bytes = 0
        self.asked: set[tuple[str, str]] = set()
        """Games and kinds of decisions."""
        self._sandbox = sandbox
        self._latest: Rehearsal | None = None

    def scene(self, game: Game | None = None, seats: int | None = None) -> Scene:
        game = game or self.games[0]
        seats = seats or game.seats[0]
        return Scene(game, seats, seats - 1, game.deals(seats), self.limits)

    def rehearsal(self, scene: Scene | None = None, manner: Manner = PLAIN) -> Rehearsal:
        assert isinstance(self.bot, Entrant)
        self._latest = Rehearsal(self.bot, scene or self.scene(), self._sandbox, manner)
        return self._latest

    def processes(self) -> Mapping[int, BotProcess]:
        """The one that is there, for the watch on memory."""
        return {} if self._latest is None else self._latest.processes()

    def failed(self, rehearsal: Rehearsal, wrong: Symptoms) -> Symptoms:
        """Keep the dialogue, if it is the first in which something was wrong."""
        if not self._failed:
            self._failed, self.transcript = True, rehearsal.transcript
        return msgspec.structs.replace(wrong, again=_again(rehearsal.bot, rehearsal.scene.game))


def _again(bot: Entrant, game: Game) -> str:
    """The commands by which its author sees a crash of a bot in a game again, from where it works."""
    source = bot.source or bot.name
    seen = f"arena check {shell_word(source)} --game {game.id} --transcript dialogue.txt"
    # A file's own folder matters less than that the two commands are called from one place.
    program = " ".join(map(shell_word, bot.launch.argv))
    if bot.launch.owns_folder:
        program = f"(cd {shell_word(bot.launch.folder)} && {program})"
    return f"{seen}\nsed -n 's/^<- //p' dialogue.txt | {program}"


# ── starting ──────────────────────────────────────────────────────────────────────────────────────────────


async def _program(exam: Examination) -> Symptoms | None:
    wrong = exam.bot if isinstance(exam.bot, str) else obstacle(exam.bot.launch)
    return Symptoms(FaultKind.SPAWN, wrong) if wrong else None


async def _ready(exam: Examination) -> Symptoms | Remark:
    with exam.rehearsal() as rehearsal:
        if wrong := await rehearsal.begin():
            return exam.failed(rehearsal, wrong)
        exam.greeted = rehearsal
        ms = rehearsal.exchanges[0].us / 1000
        return Remark(f"after {ms:.0f} ms", notable=ms > exam.limits.start_ms / 2)


async def _name(exam: Examination) -> Failing | Remark:
    said = exam.greeted.ready.name
    shown = caption(said, NAME_LIMIT)
    if not shown:
        return Failing(
            "empty-name", "nothing of its name can be shown", "`name` is text of 1 to 32 characters"
        )
    return Remark(shown if shown == said else f"shown as “{shown}”", notable=shown != said)


async def _unasked(exam: Examination) -> Symptoms | Failing | None:
    with exam.rehearsal() as rehearsal:
        if wrong := await rehearsal.begin():
            return exam.failed(rehearsal, wrong)
        said = (await rehearsal.unasked(UNASKED_SECONDS)).strip()
        if not said:
            return None
        if not said.strip(b"\0"):
            return Failing("zero-bytes", f"behind its `ready` came {_cut(said)}", NO_ZEROS)
        if any(isinstance(message := parsed(line), dict) and "type" in message for line in said.splitlines()):
            return Failing(
                "answers-twice",
                f"behind its `ready` came {_cut(said)}",
                "answer `hello` with one `ready`, and with nothing more: what else you send is read first at "
                "the next request",
            )
        return Failing(
            "unasked",
            f"behind its `ready` came {_cut(said)}",
            "say nothing that was not asked for: it is read first at the next request. Debugging text goes "
            "to standard error",
        )


async def _first_reply(exam: Examination) -> Symptoms | None:
    with exam.rehearsal() as rehearsal:
        wrong = await rehearsal.begin() or await rehearsal.play(1)
    return await _compared(exam, rehearsal, wrong) if wrong else None


async def _compared(exam: Examination, rehearsal: Rehearsal, wrong: Symptoms) -> Symptoms:
    """What was wrong, and where the bot does better: with another number of seats, in another game."""
    wrong = exam.failed(rehearsal, wrong)
    game, seats = rehearsal.scene.game, rehearsal.scene.seats
    if wrong.kind not in QUICK or wrong.waited or wrong.status == 0:
        return wrong
    for scene in exam.whole:
        if scene.game is not game:
            where = (
                f". It plays {scene.game.title}: do you count on what only that has? Look at `game` in "
                "`hello`; a bot that plays only some games names them in a bot.toml (`games`), and is "
                "checked with --game"
            )
            return msgspec.structs.replace(wrong, elsewhere=where)
    others = [other for other in game.seats if other != seats]
    further = []
    for other in others:
        with exam.rehearsal(exam.scene(game, other)) as attempt:
            if not (await attempt.begin() or await attempt.play(wrong.request_id) or attempt.over):
                further.append(other)
    return msgspec.structs.replace(wrong, elsewhere=_by_seats(wrong.kind, seats, further, others))


def _by_seats(kind: FaultKind, seats: int, further: Sequence[int], others: Sequence[int]) -> str:
    """What it means that a bot gets further with other numbers of seats. Each has other cards, so that one
    alone may be chance, and an action that happens to be legal there nearly always is."""
    numbers = ", ".join(map(str, further))
    if len(further) > 1 and further == others:
        return (
            f". With {numbers} seats it gets further than with these {seats}: do not count on a number of "
            "seats, `hello` and `view` tell it (`seats`)"
        )
    if further and kind is not FaultKind.ILLEGAL:
        return (
            f". Perhaps it counts on a number of seats, since with {numbers} it gets further: `hello` and "
            "`view` tell it (`seats`)"
        )
    return ""


# ── playing ───────────────────────────────────────────────────────────────────────────────────────────────


async def _match(game: Game, seats: int, exam: Examination) -> Symptoms | NotTried | Remark:
    if exam.timed_out:
        return NotTried(f"it timed out in “{exam.timed_out}”")
    with exam.rehearsal(exam.scene(game, seats)) as rehearsal:
        try:
            wrong = await rehearsal.begin() or await rehearsal.play()
        finally:
            exam.asked |= {(game.id, decision) for decision in rehearsal.decisions}
            exam.times += [
                exchange.us / 1000
                for exchange in rehearsal.exchanges[1:]
                if isinstance(exchange.answer, Reply)
            ]
        if wrong:
            if wrong.kind is FaultKind.TIMEOUT or wrong.waited:
                exam.timed_out = f"{game.id} {seats}"
            return await _compared(exam, rehearsal, wrong)
        exam.whole.append(rehearsal.scene)
        exam.stderr_bytes = max(exam.stderr_bytes, len(rehearsal.stderr(STDERR_KEPT)))
        is_first = rehearsal.scene == exam.scene()
        if is_first:
            exam.first = rehearsal
            await rehearsal.end()
    if is_first and not exam.transcript:
        exam.transcript = rehearsal.transcript
    return Remark(f"{len(rehearsal.replies)} requests")


async def _decisions(game: Game, exam: Examination) -> Symptoms | NotTried | Remark:
    """A good bot may play without ever coming to some kind of decision, so it is led there."""
    if exam.timed_out:
        return NotTried(f"it timed out in “{exam.timed_out}”")
    for decision in game.decisions:
        request = None if (game.id, decision) in exam.asked else moment(exam.scene(game), decision)
        if request is not None:
            with exam.rehearsal(exam.scene(game)) as rehearsal:
                if wrong := await rehearsal.begin() or await rehearsal.ask_as(request):
                    return exam.failed(rehearsal, wrong)
    return Remark(", ".join(game.decisions))


# ── odd situations ────────────────────────────────────────────────────────────────────────────────────────


def with_news(line: bytes) -> bytes:
    """A line of ours as a later version might write it: long, with fields and an event nobody knows."""
    message = msgspec.json.decode(line)
    if "events" in message:
        message["events"].append({"event": "moved", "news": [1, {"a": None}]})
    if "view" in message:
        message["view"]["news"] = None
    message["news"] = "x" * ENOUGH_NEWS
    return msgspec.json.encode(message) + b"\n"


async def _oddly(manner: Manner, exam: Examination) -> Symptoms | None:
    with exam.rehearsal(manner=manner) as rehearsal:
        wrong = await rehearsal.begin() or await rehearsal.play(A_FEW)
        return exam.failed(rehearsal, wrong) if wrong else None


async def _unheard(exam: Examination) -> Remark:
    """A game and a decision that nobody has heard of."""
    with exam.rehearsal() as rehearsal:
        hello = msgspec.structs.replace(rehearsal.hello, game="whist")
        view = {"deal_no": 1, "deals": 1, "seats": hello.seats, "seat": hello.seat, "leader": 0, "hand": []}
        view["points"] = [0] * hello.seats
        if await rehearsal.begin(hello) or await rehearsal.ask("bid", ("pass",), [], view):
            return Remark("no; answer what you do not know with `legal[0]`", notable=True)
    return Remark("")


async def _memory(exam: Examination) -> Remark:
    """A request from the middle of a match, to a process that has seen nothing before it. No match does that
    to a bot, so it is no fault to need what came before."""
    choices = [
        at for at, asked in enumerate(exam.first.exchanges[1:]) if len(_request(asked.request).legal) > 1
    ]
    at = choices[len(choices) // 2]
    request, before = _request(exam.first.exchanges[1 + at].request), exam.first.replies[at]
    with exam.rehearsal() as rehearsal:
        if wrong := await rehearsal.begin() or await rehearsal.ask_as(request):
            return Remark(
                f"it needs its memory ({wrong.kind}); `view` holds all that it may know", notable=True
            )
        same = rehearsal.replies[0].action == before.action
    return Remark("the same answer as with memory" if same else "another answer than with memory")


def _request(line: bytes) -> Request:
    message = decode_from_referee(line)
    assert isinstance(message, Request)
    return message


async def _same(exam: Examination) -> Symptoms | Remark:
    with exam.rehearsal(exam.first.scene) as rehearsal:
        wrong = await rehearsal.begin() or await rehearsal.play()
        if wrong:
            return exam.failed(rehearsal, wrong)
        if [reply.action for reply in rehearsal.replies] == [reply.action for reply in exam.first.replies]:
            return Remark("")
    return Remark("no; draw all chance from `seed` if matches are to be repeatable", notable=True)


# ── ending ────────────────────────────────────────────────────────────────────────────────────────────────

STAYS: Final = "leave your loop when the input ends (Python: `for line in sys.stdin`), and end all threads"
SLOW_TO_GO: Final = "do less at the end, a second is all that it gets: save earlier what you want to keep"


def _stays(seconds: float | None, after: str) -> Failing:
    """It did not go within a second: by itself later, or not at all."""
    if seconds is None:
        return Failing("stays", f"it was still there seconds after {after}", STAYS)
    return Failing("slow-to-go", f"it went {duration(seconds)} after {after}", SLOW_TO_GO)


async def _goes(exam: Examination) -> Symptoms | Failing | Remark:
    with exam.rehearsal(_short(exam)) as rehearsal:
        wrong = await rehearsal.begin() or await rehearsal.play()
        if wrong:
            return exam.failed(rehearsal, wrong)
        ending = await rehearsal.end()
        if ending.seconds is None or ending.seconds > GOODBYE_SECONDS:
            return _stays(ending.seconds, "`end` and the end of its input")
        error = visible(rehearsal.stderr(QUOTED), QUOTED).strip().rpartition("\n")[2]
        if ending.status:
            return Remark(f"it goes with status {ending.status}; its last words: {error}", notable=True)
        # A second answer to the last request may have been stopped halfway: the step “once” tells of it.
        if said := b"\n".join(line for line in ending.said.splitlines() if not _is_reply(line)).strip():
            return Remark(f"nobody reads what it says after `end`: {_cut(said)}", notable=True)
        return Remark(f"after {1000 * ending.seconds:.0f} ms")


async def _cut_off(exam: Examination) -> Symptoms | Failing | None:
    with exam.rehearsal() as rehearsal:
        wrong = await rehearsal.begin() or await rehearsal.play(A_FEW)
        if wrong:
            return exam.failed(rehearsal, wrong)
        seconds = (await rehearsal.leave()).seconds
    return (
        None
        if seconds is not None and seconds <= GOODBYE_SECONDS
        else _stays(seconds, "the end of its input")
    )


async def _kept(exam: Examination) -> Remark:
    with exam.rehearsal(_short(exam)) as rehearsal:
        if await rehearsal.begin() or await rehearsal.play() or await rehearsal.again():
            return Remark("it cannot be kept for a second match; that is allowed")
    return Remark("it can be kept for a second match")


def _short(exam: Examination) -> Scene:
    return exam.scene()._replace(deals=1)


# ── manners ───────────────────────────────────────────────────────────────────────────────────────────────


async def _errors(exam: Examination) -> Remark:
    size = exam.stderr_bytes
    many = "64 KiB or more" if size >= STDERR_KEPT else f"{size} bytes"
    return Remark(f"{many} in a match", notable=size >= STDERR_KEPT)


async def _notes(exam: Examination) -> Remark:
    longest = max(len(reply.note) for reply in exam.first.replies)
    if longest > NOTE_LIMIT:
        return Remark(f"notes of {longest} characters are cut to {NOTE_LIMIT}", notable=True)
    return Remark(f"up to {longest} characters" if longest else "none")


async def _once(exam: Examination) -> Remark:
    said = sum(line.startswith("-> ") and _is_reply(line[3:].encode()) for line in exam.first.transcript)
    if more := said - len(exam.first.replies):
        return Remark(
            f"{more} answers came to requests that it had answered already, and are passed over: send one "
            "line for each request, and nothing behind it",
            notable=True,
        )
    return Remark("")


def _is_reply(line: bytes) -> bool:
    message = parsed(line)
    return isinstance(message, dict) and message.get("type") == "reply"


async def _in_time(exam: Examination) -> Remark:
    limit, late = exam.limits.decision_ms, sum(ms > exam.limits.decision_ms for ms in exam.times)
    if late:
        return Remark(f"{late} of {len(exam.times)} replies took more than {limit} ms, from the bank", True)
    return Remark("")


def steps(games: Sequence[Game]) -> Iterator[Step]:
    """All steps, for a bot that plays these games."""
    first = f"{games[0].id} {games[0].seats[0]}"
    yield Step("program", "there is a program that can be executed", "", _program, spared=False)
    promise = "answers `hello` with a valid `ready`, in time and before anything else"
    yield Step("ready", promise, "program", _ready, spared=False)
    yield Step("name", "has a name that can be shown", "ready", _name, spared=False)
    yield Step("unasked", "says nothing that was not asked for", "ready", _unasked, spared=False)
    yield Step("reply", "answers its first request with a legal action", "ready", _first_reply, spared=False)
    for game in games:
        smallest = f"{game.id} {game.seats[0]}"
        for seats in game.seats:
            name = f"{game.id} {seats}"
            needs = "reply" if name == smallest else smallest
            yield Step(
                name,
                f"plays a whole match of {game.title} at {seats} seats",
                needs,
                partial(_match, game, seats),
                spared=name != first,
            )
        promise = f"answers every kind of decision of {game.title}"
        yield Step(f"{game.id} decisions", promise, smallest, partial(_decisions, game))
    odd = {
        "news": ("passes over fields and events it does not know, in long lines", Manner(alter=with_news)),
        "pieces": ("reads a line that comes in two pieces", Manner(in_pieces=True)),
        "rest": ("goes on after having been stopped for a while", Manner(rest=REST_SECONDS)),
    }
    for name, (promise, manner) in odd.items():
        yield Step(name, promise, first, partial(_oddly, manner))
    yield Step("memory", "could answer in the middle of a match, from `view` alone", first, _memory)
    yield Step("unknown game", "answers in a game it does not know", first, _unheard)
    yield Step("same seed", "plays the same way with the same seed", first, _same)
    yield Step("end", "goes within a second of `end`, without another word", first, _goes)
    yield Step("cut off", "goes within a second when its input ends in the middle", first, _cut_off)
    yield Step("kept", "is told another match in the same process", first, _kept)
    yield Step("stderr", "says little on standard error", first, _errors, spared=False)
    yield Step("notes", "keeps its notes short", first, _notes, spared=False)
    yield Step("once", "answers each request once", first, _once, spared=False)
    yield Step("pace", "needs no bank", first, _in_time, spared=False)
