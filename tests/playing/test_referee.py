"""Matches with real processes: every fault has its kind, the others finish, nothing is left behind."""

import contextlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
import trio

from arena.log.entries import Acted, Faulted, Greeted, parse
from arena.playing import referee
from arena.playing.job import Finished, Job
from arena.process.launch import Launch
from arena.process.sandbox import Level, Sandbox
from protocol.faults import INPUT_CLOSED, FaultKind
from tests.process.stopped import all_stopped
from tests.support.jobs import ECHOES, LIMITS, check, job, name, with_settings
from tests.support.needs import require
from tests.support.programs import ECHO, FORGIVEN, MISBEHAVING, SHORT, Program, at

Play = Callable[[Job], Awaitable[Finished]]


@pytest.fixture(params=[Level.BWRAP, Level.RLIMITS, pytest.param(Level.NONE, marks=pytest.mark.thorough)])
def play(request: pytest.FixtureRequest) -> Play:
    """Plays a match at each level."""
    require(request.param)
    return lambda job: referee.play_match(with_settings(job, sandbox=Sandbox(request.param)))


@pytest.mark.parametrize("seat", [2, pytest.param(0, marks=pytest.mark.thorough)])  # A match for each.
@pytest.mark.parametrize("name", MISBEHAVING)
async def test_a_misbehaving_bot_forfeits_and_the_others_finish(
    name: str, seat: int, tmp_path: Path, play: Play
) -> None:
    program = MISBEHAVING[name]
    seats = list(ECHOES)
    seats[seat] = (name, program)

    finished = await play(job(tmp_path, *seats))

    (fault,) = check(finished, tmp_path)
    assert (fault.seat, fault.kind, fault.forfeits) == (seat, program.fault, True)
    (forfeit,) = finished.forfeits
    assert forfeit.seat == seat
    assert finished.outcome.placings[seat] == 3
    assert sorted(finished.outcome.placings) == [1, 2, 3]


@pytest.mark.parametrize("name", FORGIVEN)
async def test_what_is_odd_but_no_fault(name: str, tmp_path: Path, play: Play) -> None:
    finished = await play(job(tmp_path, *ECHOES[:2], (name, FORGIVEN[name])))
    assert check(finished, tmp_path) == []
    assert finished.outcome == (await play(job(tmp_path, *ECHOES))).outcome


async def test_a_fault_changes_nothing_for_the_others_but_what_follows_from_play(
    tmp_path: Path, play: Play
) -> None:
    """The deals, and every choice up to the fault, are those of a match without it."""
    honest = parse((await play(job(tmp_path, *ECHOES))).log.encode())
    faulty = parse((await play(job(tmp_path, *ECHOES[:2], ("exits", MISBEHAVING["exits"])))).log.encode())

    def played(entries: object) -> list[tuple[int, str]]:
        return [(entry.seat, entry.action) for entry in entries if isinstance(entry, Acted)]  # type: ignore[attr-defined]

    fault = next(at for at, entry in enumerate(faulty) if isinstance(entry, Faulted))
    before = len(played(faulty[:fault]))
    assert before > 20
    assert played(faulty)[:before] == played(honest)[:before]
    assert not {entry.seat for entry in faulty[fault:] if isinstance(entry, Acted) and entry.id} & {2}


async def test_the_record_explains_how_it_ended(tmp_path: Path, play: Play) -> None:
    finished = await play(
        job(
            tmp_path,
            ("exits", MISBEHAVING["exits-before-ready"]),
            ("killed", MISBEHAVING["killed"]),
            ("lacks", MISBEHAVING["lacks-the-card"]),
        )
    )
    first, second, third = sorted(check(finished, tmp_path), key=lambda fault: fault.seat)
    assert (first.status, first.stderr, first.id, first.deal_no) == (3, "no licence\n", 0, 0)
    assert (second.status, second.id, second.deal_no) == (-11, 9, 1)
    assert third.detail == "'Z9' is not legal"
    assert third.reply == "Z9"
    assert third.request.startswith('{"type":"request","id":9,"decision":"play","legal":["')
    assert [forfeit.answered for forfeit in finished.forfeits] == [False, True, True]


async def test_when_all_have_forfeited_the_match_ends(tmp_path: Path, play: Play) -> None:
    exits = MISBEHAVING["exits"]
    finished = await play(job(tmp_path, *((f"exits-{seat}", exits) for seat in range(3)), deals=3))
    assert len(check(finished, tmp_path)) == 3
    assert finished.outcome.points == ()
    assert finished.outcome.placings == (1, 1, 1)
    assert len(finished.forfeits) == 3


async def test_faults_may_be_forgiven(tmp_path: Path, play: Play) -> None:
    """With --faults 3 two nonsense replies cost an action each, and the match goes on."""
    twice = Program(asked="if m['id'] in (3, 5): answer = 'nonsense'")
    finished = await play(job(tmp_path, *ECHOES[:2], ("twice", twice), faults=3))
    faults = check(finished, tmp_path)
    assert [(fault.id, fault.forfeits) for fault in faults] == [(3, False), (5, False)]
    assert finished.forfeits == ()


async def test_a_late_reply_is_dropped_when_timeouts_are_forgiven(tmp_path: Path, play: Play) -> None:
    """It is a second late, so that a machine that pauses for less makes it no earlier."""
    task = job(tmp_path, *ECHOES[:2], ("late", Program(asked="if m['id'] == 3: time.sleep(2.5)")), faults=3)
    limits = msgspec.structs.replace(LIMITS, decision_ms=1500)
    late = msgspec.structs.replace(task.entrants[2], limits=limits)
    finished = await play(msgspec.structs.replace(task, entrants=(*task.entrants[:2], late)))
    assert [fault.kind for fault in check(finished, tmp_path)] == [FaultKind.TIMEOUT]
    assert finished.forfeits == ()


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (("/nowhere/at/all",), "not there"),
        (("{folder}/plain.txt",), "not executable"),
        (("{folder}/lost.sh",), "its interpreter /no/such/shell is not there"),
        (("{folder}/env.py",), "its interpreter no-such-python is not on the bots' PATH"),
        (("no-such-command",), "not on the PATH"),
    ],
)
async def test_what_cannot_be_executed_is_a_spawn_fault(
    argv: tuple[str, ...], why: str, tmp_path: Path, play: Play
) -> None:
    (tmp_path / "plain.txt").write_text("hello")
    for bot, interpreter in (("lost.sh", "/no/such/shell"), ("env.py", "/usr/bin/env no-such-python")):
        (tmp_path / bot).write_text(f"#!{interpreter}\n")
        (tmp_path / bot).chmod(0o755)
    healthy = job(tmp_path, *ECHOES)
    launch = Launch(tuple(part.format(folder=tmp_path) for part in argv), str(tmp_path))
    broken = msgspec.structs.replace(healthy.entrants[2], name="broken", launch=launch)
    finished = await play(msgspec.structs.replace(healthy, entrants=(*healthy.entrants[:2], broken)))
    (fault,) = check(finished, tmp_path)
    assert fault.kind is FaultKind.SPAWN
    assert why in fault.detail


async def test_stderr_is_kept_cut_and_removed_when_empty(tmp_path: Path, play: Play) -> None:
    await play(job(tmp_path, *ECHOES[:2], ("spam", FORGIVEN["stderr-spam"])))
    (kept,) = (tmp_path / "stderr").iterdir()
    assert kept.name == "m-2.txt"
    assert kept.stat().st_size == 64 * 1024
    assert kept.read_text().endswith("the end")


async def test_captions_are_cleaned(tmp_path: Path, play: Play) -> None:
    finished = await play(job(tmp_path, *ECHOES[:2], ("dirty", FORGIVEN["dirty-name"])))
    names = [entry.name for entry in parse(finished.log.encode()) if isinstance(entry, Greeted)]
    assert names[2] == "[/red]]0;x"


@pytest.mark.parametrize(
    "seats",
    [3, 6, *(pytest.param(seats, marks=pytest.mark.thorough) for seats in (4, 5))],  # As those.
)
async def test_the_echo_bot_finishes_at_every_seat_count(seats: int, tmp_path: Path, play: Play) -> None:
    programs = tuple((f"echo-{seat}", ECHO) for seat in range(seats))
    finished = await play(job(tmp_path, *programs, deals=seats))
    assert check(finished, tmp_path) == []
    assert len(finished.outcome.points) == seats


async def test_the_same_job_gives_the_same_log_but_for_times(tmp_path: Path, play: Play) -> None:
    def timeless(finished: Finished) -> list[object]:
        return [
            msgspec.structs.replace(entry, us=0) if hasattr(entry, "us") else entry
            for entry in parse(finished.log.encode())
        ]

    one, two = [await play(job(tmp_path, *ECHOES, deals=2)) for _ in range(2)]
    assert timeless(one) == timeless(two)


@pytest.mark.parametrize("ponder", [False, True])
async def test_only_who_may_ponder_gets_time_between_its_turns(
    tmp_path: Path, play: Play, ponder: bool
) -> None:
    """While a bot is asked, another one with a thread that spins is stopped, or goes on computing; however
    long that takes to be seen."""
    spin = "import threading\ndef spin():\n    while True: pass\nthreading.Thread(target=spin).start()\n"
    asked = (
        "import ctypes\nctypes.CDLL(None).prctl(15, b'asked')\n"
        "while not open(__file__).read().endswith('go'): pass"
    )
    programs = (("spinner", Program(before=spin, end="os._exit(0)")), ("gate", Program(asked=at(2, asked))))
    match = job(tmp_path, *programs, ECHOES[0])
    match = with_settings(match, ponder=ponder)
    logs: list[str] = []

    async def played() -> None:
        logs.append((await play(match)).log)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(played)
        while not any(name(pid) == "asked" for pid in of_program(tmp_path / "gate.py")):
            await trio.sleep(0.01)
        (spinner,) = of_program(tmp_path / "spinner.py")
        if ponder:
            before = computed(spinner)
            while computed(spinner) == before:
                await trio.sleep(0.01)
        else:
            while not all_stopped([spinner]):
                await trio.sleep(0.01)
            before = computed(spinner)
            await trio.sleep(0.1)
            assert computed(spinner) == before
        with (tmp_path / "gate.py").open("a") as gate:
            gate.write("\n#go")
    assert ('"ponder":true' in logs[0]) == ponder


def of_program(path: Path) -> list[int]:
    """The processes that run this file: not the walls around them."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if os.fsencode(path) in words and b"python" in words[0]:
                found.append(int(process.name))
    return found


def computed(pid: int) -> int:
    """CPU time in nanoseconds, that of all threads."""
    return sum(
        int((thread / "schedstat").read_text().split()[0]) for thread in Path(f"/proc/{pid}/task").iterdir()
    )


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.thorough)])  # Many show a race.
@pytest.mark.parametrize(
    "close", ["os.close(0)", "say(answer); os.close(0)", "os.close(0); time.sleep(0.02)"]
)
async def test_closing_its_input_is_judged_by_requests(
    close: str, times: int, tmp_path: Path, play: Play
) -> None:
    """However early we notice that nobody reads any more: the open request still has its answer, and the next
    one has none."""
    program = Program(asked=at(3, close) + "\nif m['id'] == 3:\n    say(answer)\n    time.sleep(60)")
    seats = (("deaf", program), *ECHOES[1:])
    for _ in range(times):
        match = job(tmp_path, *seats)
        short = msgspec.structs.replace(match.entrants[0], limits=SHORT)
        finished = await play(msgspec.structs.replace(match, entrants=(short, *match.entrants[1:])))
        (fault,) = check(finished, tmp_path)
        assert (fault.seat, fault.kind, fault.id) == (0, FaultKind.EXITED, 4)
        assert fault.detail == INPUT_CLOSED.detail
