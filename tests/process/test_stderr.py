"""Standard error as a pipe: whatever a bot does to it, the verdict is the bot's and nobody else pays.

With real bots at every level.
"""

import contextlib
import fcntl
import os
import resource
import stat
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
import pytest
import trio

from arena.entrants.entrant import Entrant
from arena.games import GAMES
from arena.log.entries import Faulted, MatchOpened, parse
from arena.log.retrace import of_entries, verify
from arena.playing.job import Finished, Job, Report
from arena.playing.pool import play_all
from arena.playing.referee import play_match
from arena.process.botprocess import BotProcess
from arena.process.sandbox import Level, Sandbox
from arena.process.spawn import spawn
from arena.process.stderr import MOST_READS, READ_SIZE, STDERR_KEPT, Stderr
from protocol.faults import FaultKind
from protocol.messages import Limits
from tests.support.boxed import pass_as_an_ordinary_user
from tests.support.jobs import ECHOES, check, job, with_settings
from tests.support.needs import require
from tests.support.programs import Program, at, entrant

F_SETPIPE_SZ: Final = 1031
SIZES: Final = f"for descriptor in (0, 1, 2): tries(fcntl.fcntl, descriptor, {F_SETPIPE_SZ}, {{size}})"
TRIES: Final = """\
import fcntl, threading
def tries(call, *words):
    try: return call(*words)
    except OSError: return None
"""


def tries(before: str = "", asked: str = "", end: str = "pass", fault: FaultKind | None = None) -> Program:
    return Program(fault, TRIES + before, asked, end)


HELPER: Final = "if os.fork() == 0:\n    tries(os.setsid)\n    os.closerange(0, 2)\n    "
"""In a session of its own, with the bot's standard error and nothing else of it."""
HARMLESS: Final[Mapping[str, Program]] = {
    "mode": tries("tries(os.fchmod, 2, 0)", end="tries(os.fchmod, 2, 0o6777)"),
    "length": tries("for size in (0, 1 << 40): tries(os.ftruncate, 2, size)"),
    "lease": tries("tries(fcntl.fcntl, 2, fcntl.F_SETLEASE, fcntl.F_WRLCK)"),
    "locks": tries("tries(fcntl.flock, 2, fcntl.LOCK_EX)\ntries(fcntl.lockf, 2, fcntl.LOCK_EX)"),
    "does not wait": tries(
        "for descriptor in (1, 2): tries(fcntl.fcntl, descriptor, fcntl.F_SETFL, os.O_NONBLOCK)",
        at(9, "tries(os.write, 2, b'x' * 2**20)"),
    ),
    "packets": tries(
        "tries(fcntl.fcntl, 2, fcntl.F_SETFL, os.O_DIRECT)",
        at(9, "for _ in range(2000): os.write(2, b'x')"),
    ),
    "small pipes": tries(SIZES.format(size=4096), at(9, "os.write(2, b'x' * 2**20)")),
    "large pipes": tries(SIZES.format(size=2**20), at(9, "os.write(2, b'x' * 2**20)")),
    "closes it": tries("os.close(2)"),
    "reads it": tries(
        "mine = tries(os.open, '/proc/self/fd/2', os.O_RDONLY | os.O_NONBLOCK)",
        "os.write(2, b'x' * 9999)\nif mine: tries(os.read, mine, 5000)",
    ),
    "reads it after closing it": tries(
        "mine = tries(os.open, '/proc/self/fd/2', os.O_RDONLY | os.O_NONBLOCK)\nos.close(2)",
        "if mine: tries(os.write, tries(os.open, f'/proc/self/fd/{mine}', os.O_WRONLY), b'x' * 99)",
    ),
    "a helper holds it": tries(HELPER + "time.sleep(60)"),
    "a helper floods it": tries(HELPER + "while True: os.write(2, b'x' * 2**16)"),
    "much at the start": tries("os.write(2, b'x' * 2**20)"),
    "byte by byte": tries("", at(9, "for _ in range(20_000): os.write(2, b'x')")),
    "much in a turn": tries("", at(9, f"for _ in range({64}): os.write(2, b'x' * 2**20)")),
}
"""Nobody is to be blamed for it, and nobody to suffer from it."""

PUNISHED: Final[Mapping[str, Program]] = {
    "goes with a mode": tries("", at(9, "os.fchmod(2, 0)\nos._exit(7)"), fault=FaultKind.EXITED),
    "errs with a lease": tries(
        "tries(fcntl.fcntl, 2, fcntl.F_SETLEASE, fcntl.F_WRLCK)",
        at(9, "answer = 'nonsense'"),
        fault=FaultKind.MALFORMED,
    ),
    "goes from a helper": tries(
        HELPER + "while True: os.write(2, b'x' * 99)", at(9, "os._exit(7)"), fault=FaultKind.EXITED
    ),
    "floods at the start": tries("while True: os.write(2, b'x' * 2**16)", fault=FaultKind.HANDSHAKE),
    "floods": tries("", at(9, "while True: os.write(2, b'x' * 2**16)"), fault=FaultKind.TIMEOUT),
    "drips": tries("", at(9, "while True: os.write(2, b'x')"), fault=FaultKind.TIMEOUT),
}
WITNESS: Final = Program(
    before="print(os.readlink('/proc/self/fd/2'), *sorted(os.listdir('/proc/self/fd')), file=sys.stderr)\n"
    "open('/dev/stderr', 'w').write('by name')"
)
"""An honest bot, which tells what it has of its own."""


def matches(folder: Path, level: Level) -> Iterator[Job]:
    """All of them, seated side by side, with the witness behind."""
    programs = list({**HARMLESS, **PUNISHED}.items())
    most = max(GAMES["sticheln"].seats) - 1
    for first in range(0, len(programs), most):
        named = [(name.replace(" ", "-"), program) for name, program in programs[first : first + most]]
        task = with_settings(job(folder, *named, (f"witness-{first}", WITNESS)), sandbox=Sandbox(level))
        yield msgspec.structs.replace(
            task,
            match_id=f"m{first}",
            entrants=tuple(hurried(one, PUNISHED.get(one.name.replace("-", " "))) for one in task.entrants),
        )


def hurried(bot: Entrant, program: Program | None) -> Entrant:
    """With all time for its start where only a reply is waited for in vain."""
    patient = program is not None and program.fault is FaultKind.TIMEOUT
    return msgspec.structs.replace(bot, limits=Limits(60_000, 500, 0)) if patient else bot


@pytest.mark.thorough  # 4 s of processor.
@pytest.mark.parametrize("level", Level)
async def test_whatever_a_bot_does_to_its_standard_error_nobody_else_pays(
    level: Level, tmp_path: Path
) -> None:
    require(level)
    reports: list[Report] = []
    await play_all(matches(tmp_path, level), 1, reports.append)

    verdicts = {}
    for report in reports:
        assert isinstance(report, Finished), report
        entries = parse(report.log.encode())
        verify(of_entries(entries))
        (opened,) = (entry for entry in entries if isinstance(entry, MatchOpened))
        names = [entrant.name for entrant in opened.entrants]
        verdicts |= {names[fault.seat]: fault.kind for fault in entries if isinstance(fault, Faulted)}
        pipe, *own = (tmp_path / "stderr" / f"{report.match_id}-{len(names) - 1}.txt").read_text().split()
        assert pipe.startswith("pipe:[")
        assert own == ["0", "1", "2", "3", "by", "name"], "3 is the folder that it looks into"
    assert verdicts == {name.replace(" ", "-"): program.fault for name, program in PUNISHED.items()}
    for file in (tmp_path / "stderr").iterdir():
        found = file.stat()
        assert (found.st_uid, stat.S_IMODE(found.st_mode) & ~0o666) == (os.geteuid(), 0)
        assert found.st_size <= STDERR_KEPT


LOUD: Final = tries(
    "os.write(2, b'x' * 2**20)",
    at(9, "os.write(2, b'y' * 2**27)"),
    end="sys.stderr.write('z' * 200_000 + 'the end')",
)


async def test_a_loud_bot_takes_no_memory_of_ours_and_its_last_words_are_kept(tmp_path: Path) -> None:
    """128 MiB in one turn, and more than a pipe holds when it goes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    finished = await play_match(job(tmp_path, *ECHOES[:2], ("loud", LOUD)))
    assert check(finished, tmp_path) == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
    text = (tmp_path / "stderr" / "m-2.txt").read_text()
    assert text == "z" * (STDERR_KEPT - 7) + "the end"


async def test_how_a_bot_died_is_told_however_much_it_said_before(tmp_path: Path) -> None:
    dies = tries("", at(9, "os.write(2, b'x' * 2**20)\nraise ValueError('lost')"))
    (fault,) = check(await play_match(job(tmp_path, *ECHOES[:2], ("dies", dies))), tmp_path)
    assert (fault.kind, fault.status) == (FaultKind.EXITED, 1)
    assert fault.stderr.endswith("ValueError: lost\n")


async def test_others_get_the_thread_beside_a_bot_that_floods_its_standard_error(tmp_path: Path) -> None:
    process = spawn(entrant(tmp_path, "floods", PUNISHED["floods at the start"]).launch, None, Sandbox())
    assert isinstance(process, BotProcess)
    process.begin()
    turns = 0

    async def wait() -> None:
        nonlocal turns
        while True:
            await trio.lowlevel.checkpoint()
            turns += 1

    try:
        while not process.stderr_tail(1):
            await trio.sleep(0.001)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            for _ in range(20):
                assert await process.read(trio.current_time() + 0.1) is None, "not beyond its time either"
                if turns >= 3:
                    break
            nursery.cancel_scope.cancel()
    finally:
        process.kill()
    assert turns >= 3


@pytest.fixture
def pipe() -> Iterator[tuple[Stderr, int]]:
    """Our end and the bot's."""
    ours, theirs = os.pipe()
    end = Stderr(open(ours, "rb", buffering=0))  # noqa: SIM115
    yield end, theirs
    end.close()
    with contextlib.suppress(OSError):
        os.close(theirs)


def test_the_last_64_KiB_are_kept(pipe: tuple[Stderr, int]) -> None:
    end, theirs = pipe
    for letter in b"abc":
        os.write(theirs, bytes([letter]) * 40_000)
        assert end.drain()
    assert end.tail(STDERR_KEPT) == b"b" * (STDERR_KEPT - 40_000) + b"c" * 40_000
    assert end.tail(3) == b"ccc"
    end.forget()
    assert end.tail(3) == b""


def test_a_visit_ends_though_somebody_goes_on_writing(pipe: tuple[Stderr, int]) -> None:
    end, theirs = pipe
    visits = 0

    def write() -> None:
        with contextlib.suppress(BrokenPipeError):
            while True:
                os.write(theirs, bytes(READ_SIZE))

    writer = threading.Thread(target=write)
    writer.start()
    while visits < 10:
        visits += end.drain()
    end.close()
    writer.join()
    assert not end.drain()


def test_the_largest_pipe_is_emptied_at_one_visit(pipe: tuple[Stderr, int]) -> None:
    end, theirs = pipe
    size = fcntl.fcntl(theirs, F_SETPIPE_SZ, MOST_READS * READ_SIZE)
    os.write(theirs, bytes(size - 7) + b"the end")
    assert end.drain()
    assert end.tail(7) == b"the end"


def test_what_was_written_before_the_end_is_kept(pipe: tuple[Stderr, int]) -> None:
    end, theirs = pipe
    os.write(theirs, b"bye")
    os.close(theirs)
    assert not end.drain()
    end.close()
    assert end.tail(STDERR_KEPT) == b"bye"


@pytest.mark.thorough  # A run of pytest; tests/process/test_sandbox.py has one for the gate.
@pytest.mark.needs("root")
def test_the_same_as_an_ordinary_user() -> None:
    pass_as_an_ordinary_user(__file__, "nobody_else_pays", "thorough")
