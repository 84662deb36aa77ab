"""What SPEC.md calls a fault, tried: every line and every behaviour of its tables, against the referee."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from trio.testing import MockClock

import arena.process.cgroup
from arena.entrants.entrant import Entrant
from arena.log.entries import Faulted, Measured, Overspent, parse
from arena.log.settings import MatchSettings
from arena.playing.conversation import Conversation
from arena.playing.job import Job
from arena.playing.referee import play_match
from arena.process.launch import Launch
from arena.process.sandbox import Level
from protocol import streams
from protocol.faults import FORGIVABLE, Fault, FaultKind
from protocol.messages import PROTOCOL, Hello, Limits, Ready, Reply
from tests.spec.text import blocks, cases, fields, first_cells, rows, section, shown
from tests.support.fakes import READY, Answer, FakePipe, after
from tests.support.frozen import TIMER, frozen_out
from tests.support.needs import require
from tests.support.programs import Program, at, entrant


def test_every_fault_is_documented() -> None:
    faults = section("## Faults")
    table = {row[0].strip("`"): row for row in rows(faults)}
    assert list(table) == [kind.value for kind in FaultKind]
    assert {kind for kind in table if table[kind][3] == "yes"} == FORGIVABLE


def test_every_fault_that_there_is_has_an_example() -> None:
    seen = {row[1] for heading in LINES_AND_BEHAVIOUR for row in rows(section(heading))}
    assert {kind.value for kind in FaultKind} - seen == set()


LINES_AND_BEHAVIOUR: Final = ("### A line as a reply", "### A line as `ready`", "### Behaviour")


def says(*lines: str) -> FakePipe:
    """A bot that answers the referee's lines with these, as far as they go; then it is silent."""
    left = list(lines)

    def script(message: object) -> Answer:
        return after(0, left.pop(0).encode()) if left else []

    return FakePipe(script)


async def judged(pipe: FakePipe, requests: int) -> Ready | Reply | Fault:
    """What becomes of the answer to request number `requests`, the handshake being 0."""
    conversation = Conversation(pipe, Limits())
    hello = Hello(PROTOCOL, "sticheln", {}, 3, 0, 1, ("R0",), {"R": "red"}, Limits(), 7, "m")
    answer = (await conversation.greet(hello)).answer
    for _ in range(requests):
        answer = (await conversation.ask("play", ("G2", "B7"), [], {})).answer
    return answer


def up_to_request(number: int) -> list[str]:
    replies = [f'{{"type":"reply","id":{earlier},"action":"G2"}}\n' for earlier in range(1, number)]
    return [READY.decode(), *replies]


@pytest.fixture
def autojump_clock() -> MockClock:
    """Time passes only where somebody waits for it."""
    return MockClock(autojump_threshold=0)


@pytest.mark.parametrize(("line", "verdict", "detail"), cases("### A line as a reply"))
async def test_a_line_as_a_reply(line: str, verdict: str, detail: str, autojump_clock: MockClock) -> None:
    match await judged(says(*up_to_request(3), line + "\n"), requests=3):
        case Reply(action=action) if action in ("G2", "B7"):
            assert (verdict, detail) == ("accepted", "")
        case Reply(action=action):
            assert (verdict, detail) == ("illegal", f"{action!r} is not legal")
        case Fault(kind=FaultKind.TIMEOUT):
            assert (verdict, detail) == ("dropped", "")
        case Fault(kind=kind) as fault:
            assert (verdict, detail) == (kind, fault.detail)


@pytest.mark.parametrize(("line", "verdict", "detail"), cases("### A line as `ready`"))
async def test_a_line_as_ready(line: str, verdict: str, detail: str, autojump_clock: MockClock) -> None:
    match await judged(says(line + "\n"), requests=0):
        case Ready():
            assert (verdict, detail) == ("accepted", "")
        case Fault(kind=kind) as fault:
            assert (verdict, detail) == (kind, fault.detail)


SILENT: Final[Mapping[str, tuple[str, ...]]] = {
    "reads `hello` and says nothing": (),
    "reads the request and says nothing": tuple(up_to_request(3)),
    "writes its reply without a newline, and waits": (
        *up_to_request(3),
        '{"type":"reply","id":3,"action":"B7"}',
    ),
}
"""What a bot says before it says nothing more; played against a clock that need not be waited for."""

NOT_STARTED: Final[Mapping[str, tuple[str, str, str]]] = {
    "is a file whose first line is `#!/usr/bin/no-such-thing`": (
        "./bot",
        "#!/usr/bin/no-such-thing\n",
        "755",
    ),
    "is a file whose first line is `#!/usr/bin/env no-such-thing`": (
        "./bot",
        "#!/usr/bin/env no-such-thing\n",
        "755",
    ),
    "has the command `./no-such-file`": ("./no-such-file", "", "644"),
    "has the command `./notes.txt`, a file without an executable bit": ("./notes.txt", "notes", "644"),
}
"""The command, and the content and mode of the file `bot` or `notes.txt`."""

RUN: Final[Mapping[str, Sequence[Program]]] = {
    "ends before `ready`": [Program(before="sys.exit(0)")],
    "ends, with any exit status or by a signal": [
        Program(asked=at(3, "sys.exit(0)")),
        Program(asked=at(3, "sys.exit(1)")),
        Program(asked=at(3, "os.kill(os.getpid(), signal.SIGSEGV)")),
    ],
    "closes its standard output": [Program(asked=at(3, "os.close(1); time.sleep(60)"))],
    "closes its standard input, and says nothing": [Program(asked=at(3, "os.close(0); time.sleep(60)"))],
    "writes half a reply and ends": [Program(asked=at(3, "os.write(1, answer[:20].encode()); os._exit(0)"))],
    "prints endlessly": [Program(asked=at(3, "while True: say('')"))],
    "takes more and more memory": [Program(asked=at(3, "hog = []\nwhile True: hog.append(b'x' * 2**23)"))],
}
"""Real processes, which do it by themselves."""

FROZEN: Final[Mapping[str, str]] = {
    "wakes itself with a timer when only signals stop it, and keeps computing": TIMER,
}
"""What they begin with; the others wait while they go on."""


def test_every_behaviour_is_tried() -> None:
    assert {shown(row[0]) for row in rows(section("### Behaviour"))} == {
        *(*SILENT, *NOT_STARTED, *RUN, *FROZEN)
    }


def behaving(programs: Mapping[str, Any]) -> list[Any]:
    return [case for case in cases("### Behaviour") if case.values[0] in programs]


@pytest.mark.parametrize(("behaviour", "kind", "detail"), behaving(SILENT))
async def test_silence(behaviour: str, kind: str, detail: str, autojump_clock: MockClock) -> None:
    said = SILENT[behaviour]
    fault = await judged(says(*said), requests=3 if said else 0)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.detail) == (kind, detail)


@pytest.mark.parametrize(("behaviour", "kind", "detail"), behaving(NOT_STARTED))
async def test_what_cannot_be_started(behaviour: str, kind: str, detail: str, tmp_path: Path) -> None:
    program, content, mode = NOT_STARTED[behaviour]
    if content:
        path = tmp_path / program
        path.write_text(content)
        path.chmod(int(mode, 8))
    faults = await faults_of([Entrant("bot", Launch((program,), str(tmp_path)), "")] * 3, tmp_path)
    assert [(fault.kind, fault.detail, fault.id) for fault in faults] == [(kind, detail, 0)] * 3


@pytest.mark.parametrize(("behaviour", "kind", "detail"), behaving(RUN))
async def test_behaviour(behaviour: str, kind: str, detail: str, tmp_path: Path) -> None:
    programs = (list(RUN[behaviour]) * 3)[:3]
    seated = [entrant(tmp_path, f"bot-{seat}", program) for seat, program in enumerate(programs)]
    faults = await faults_of(seated, tmp_path)
    details = [re.sub(r"^\d+ MB in use", "600 MB in use", fault.detail) for fault in faults]
    assert [(fault.kind, said) for fault, said in zip(faults, details, strict=True)] == [(kind, detail)] * 3
    assert {fault.id for fault in faults} == {0 if "`ready`" in behaviour else 3}


@pytest.mark.parametrize(("behaviour", "kind", "detail"), behaving(FROZEN))
async def test_what_is_done_while_frozen(
    behaviour: str, kind: str, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require(Level.RLIMITS)
    monkeypatch.setattr(arena.process.cgroup, "home_of_groups", lambda: None)
    finished = await play_match(frozen_out(tmp_path, Level.RLIMITS, FROZEN[behaviour]))
    entries = parse(finished.log.encode())
    (fault,) = [entry for entry in entries if isinstance(entry, Faulted)]
    assert (fault.seat, fault.kind, fault.forfeits) == (0, kind, True)
    assert re.sub(r"^\d\.\d\d s", "0.60 s", fault.detail) == detail
    assert [entry.seat for entry in entries if isinstance(entry, Overspent)] == [0]


async def faults_of(seated: Sequence[Entrant], folder: Path) -> list[Faulted]:
    """The faults of a match of one deal of Sticheln."""
    (folder / "stderr").mkdir()
    finished = await play_match(
        Job(
            match_id="m",
            settings=MatchSettings(game="sticheln", options={}, deals=1, limits=Limits(), faults=1),
            pod_key=streams.pod_key("7", 0, 0),
            seating_no=1,
            entrants=tuple(seated),
            stderr=str(folder / "stderr"),
        )
    )
    return [entry for entry in parse(finished.log.encode()) if isinstance(entry, Faulted)]


def test_what_a_bot_got_of_the_machine() -> None:
    assert first_cells(section("### What a bot got of the machine")) == fields(Measured)


async def test_the_fault_in_the_log(tmp_path: Path) -> None:
    assert first_cells(section("### What the log says")) == ["type", *fields(Faulted)]
    (example,) = blocks("fault")
    told = msgspec.json.decode(example)
    careless = Program(asked="hand = m['view']['hnad']")
    fault, *_ = await faults_of([entrant(tmp_path, f"bot-{seat}", careless) for seat in range(3)], tmp_path)
    happened = msgspec.json.decode(msgspec.json.encode(fault))
    assert list(told) == list(happened)
    for name, text in told.items():
        if name == "us":
            assert isinstance(text, int)
        elif "…" in str(text):
            assert re.fullmatch(".*".join(map(re.escape, text.split("…"))), happened[name], re.DOTALL)
        else:
            assert text == happened[name], name
