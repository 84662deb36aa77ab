"""Bots that go on while they are frozen, real ones: in a control group, and where there is none."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import trio

import arena.process.botprocess
import arena.process.cgroup
import arena.process.watchdog
from arena.log.entries import Faulted, Overspent, parse
from arena.playing.exit_cause import exit_cause
from arena.playing.referee import play_match
from arena.process.botprocess import BotProcess
from arena.process.cgroup import NEEDED, OF_A_BOT, Cgroup, home_of_groups, in_new_cgroup
from arena.process.excess import PIECE_SECONDS
from arena.process.launch import base_interpreter
from arena.process.sandbox import Level, Sandbox
from arena.process.spawn import spawn
from arena.system.errors import MachineError
from protocol.faults import ENDED, FaultKind
from tests.support.boxed import processes_of
from tests.support.frozen import PATIENT, SPIN, TIMER, frozen_out
from tests.support.jobs import ECHOES, job, with_settings
from tests.support.needs import require
from tests.support.programs import Program, entrant

pytestmark = pytest.mark.needs("linux")

HELPERS = """\
for _ in range(30):
    if os.fork() == 0:
        os.setsid(); signal.alarm(30)
        while True: pass"""
WAKER = """\
bot = os.getpid()
if os.fork() == 0:
    os.setsid(); signal.alarm(30)
    while True:
        time.sleep(0.001)
        os.kill(bot, signal.SIGCONT)"""
SHORT_LIVED = """\
if os.fork() == 0:
    os.setsid(); signal.alarm(30)
    while True:
        if os.fork() == 0:
            until = time.process_time() + 0.02
            while time.process_time() < until: pass
            os._exit(0)
        os.wait()"""
ORPHAN = """\
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    signal.alarm(30)
    while True: pass"""

SLEEPERS = {
    "processes": "for _ in range(50):\n    if os.fork() == 0:\n        signal.alarm(60); signal.pause()",
    "threads": "import threading\nsignal.alarm(60)\n"
    "for _ in range(50): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
}

ATTACKS = {
    "thirty helpers": HELPERS,
    "a helper that wakes it": WAKER + SPIN,
    "short-lived children": SHORT_LIVED,
    "an orphan": ORPHAN,
    "a timer": TIMER,
}


@pytest.fixture(params=["cgroup", "signals"])
def frozen_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """As on this machine, and as if there were no groups."""
    if request.param == "signals":
        monkeypatch.setattr(arena.process.cgroup, "home_of_groups", lambda: None)
    else:
        require("control groups")
    return str(request.param)


@pytest.fixture(autouse=True)
def ended(tmp_path: Path) -> Iterator[None]:
    """A helper that hides is a worker's to end, and here there is none."""
    yield
    for pid in processes_of(tmp_path):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(params=[Level.BWRAP, Level.RLIMITS])
def level(request: pytest.FixtureRequest) -> Level:
    require(request.param)
    return Level(request.param)


async def started(folder: Path, level: Level, before: str) -> BotProcess:
    """Has said that it is ready."""
    folder.chmod(0o755)
    program = Program(before=f"{before}\nsay('ready')")
    process = spawn(entrant(folder, "bot", program).launch, None, Sandbox(level, 1024))
    assert isinstance(process, BotProcess)
    try:
        assert await process.read(trio.current_time() + 20) == b"ready\n"
    except BaseException:
        process.kill()
        raise
    return process


async def excess_of(process: BotProcess, looks: int) -> float:
    for _ in range(looks):
        process.look()
        await trio.sleep(0.01)
    return process.excess


@pytest.mark.parametrize("attack", ATTACKS)
async def test_a_frozen_bot_computes_nothing_or_is_seen(
    attack: str, level: Level, frozen_by: str, tmp_path: Path
) -> None:
    process = await started(tmp_path, level, ATTACKS[attack])
    try:
        await excess_of(process, 1)
        process.freeze()
        first = await excess_of(process, 5)
        patience = time.monotonic() + 20
        then = await excess_of(process, 20)
        if frozen_by == "cgroup":
            # A timer has gone unnoticed until then.
            assert first <= 2 * PIECE_SECONDS
            assert then == first or attack == "a timer"
            assert await excess_of(process, 20) == then
        elif attack == "a timer":
            while not then > arena.process.watchdog.EXCESS_SECONDS and time.monotonic() < patience:
                then = await excess_of(process, 5)
            assert then > arena.process.watchdog.EXCESS_SECONDS or level is Level.BWRAP, (
                "the filter may refuse it"
            )
        else:
            assert then <= arena.process.watchdog.EXCESS_SECONDS
            assert await excess_of(process, 10) == then, "it has been stopped"
    finally:
        process.kill()
    if frozen_by == "cgroup":
        assert processes_of(tmp_path) == []


def entries_of(log: str) -> tuple[list[tuple[int, FaultKind]], list[int]]:
    """The faults with their seats, and the seats with excess."""
    entries = parse(log.encode())
    return (
        [(entry.seat, entry.kind) for entry in entries if isinstance(entry, Faulted)],
        [entry.seat for entry in entries if isinstance(entry, Overspent)],
    )


async def test_thirty_helpers_harm_nobody(level: Level, frozen_by: str, tmp_path: Path) -> None:
    finished = await play_match(frozen_out(tmp_path, level, HELPERS, tells=False))
    faults, _ = entries_of(finished.log)
    assert [seat for seat, _ in faults if seat != 0] == []


async def test_a_helper_that_plays_from_a_session_of_its_own_goes_on(
    level: Level, frozen_by: str, tmp_path: Path
) -> None:
    """An honest wrapper with its engine, stopped and thawed with it."""
    engine = "if os.fork():\n    time.sleep(600)\nos.setsid()"
    wrapper = ("wrapper", Program(before=engine, asked="time.sleep(0.01)"))
    task = with_settings(job(tmp_path, wrapper, *ECHOES[:2]), limits=PATIENT)
    finished = await play_match(with_settings(task, sandbox=Sandbox(level, 1024)))
    assert entries_of(finished.log) == ([], [])


async def test_with_ponder_nobody_is_frozen(tmp_path: Path) -> None:
    task = with_settings(frozen_out(tmp_path, Level.NONE, SPIN, tells=False), ponder=True)
    slow = Program(asked="time.sleep(0.05)")
    honest = tuple(entrant(tmp_path, name, slow) for name in ("ann", "bob"))
    task = msgspec.structs.replace(task, entrants=(task.entrants[0], *honest))
    assert entries_of((await play_match(task)).log) == ([], [])


@pytest.mark.needs("control groups")
@pytest.mark.parametrize("many", ["processes", "threads"])
async def test_whoever_was_to_stop_has_stopped_before_the_next_is_asked(
    many: str, level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them needs the core once more, and the next bot would wait for it."""
    monkeypatch.setattr(arena.process.botprocess, "TAIL_SECONDS", 60.0)
    process = await started(tmp_path, level, SLEEPERS[many])
    try:
        process.freeze()
        for _ in range(5):
            process.thaw()
            process.freeze()
            assert process._cgroup is not None
            assert b"frozen 1" in (process._cgroup.folder / "cgroup.events").read_bytes()
    finally:
        process.kill()


@pytest.mark.needs("control groups")
async def test_nothing_is_left_of_a_group(tmp_path: Path) -> None:
    home = home_of_groups()
    assert home is not None
    process = await started(tmp_path, Level.RLIMITS, ORPHAN)
    groups = list(home.glob(OF_A_BOT.format(pid=os.getpid(), number="*")))
    process.kill()
    assert len(groups) == 1
    assert not groups[0].exists()


@pytest.mark.needs("control groups")
def test_only_old_empty_groups_of_the_dead_are_swept() -> None:
    """A worker that is killed leaves a group in which somebody lives, and two in which nobody does."""
    home = home_of_groups()
    assert home is not None
    worker = (
        "import os, subprocess\nfrom arena.process.cgroup import in_new_cgroup\n"
        "with in_new_cgroup(1 << 30, 99): child = subprocess.Popen(['sleep', '60'], stdout=2)\n"
        "for _ in range(2):\n  with in_new_cgroup(1 << 30, 99): pass\n"
        "print(os.getpid(), child.pid, flush=True)\nos.kill(os.getpid(), 9)"
    )
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", worker], env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE
    )
    pid, child = map(int, done.stdout.split())
    lived_in, empty, new = (home / OF_A_BOT.format(pid=pid, number=number) for number in (1, 2, 3))
    ours, foreign = home / OF_A_BOT.format(pid=os.getpid(), number=10**9), home / "arena-of-somebody-else"
    for folder in (ours, foreign):
        folder.mkdir()
    for folder in (ours, foreign, lived_in, empty):
        os.utime(folder, (0, 0))
    try:
        arena.process.cgroup._sweep(home)
        assert not empty.exists()
        assert all(folder.exists() for folder in (lived_in, new, ours, foreign))
        arena.process.cgroup.end_groups_of(pid)
        assert not lived_in.exists()
        assert not new.exists()
        assert not os.path.exists(f"/proc/{child}") or b"Z" in Path(f"/proc/{child}/stat").read_bytes()
    finally:
        for folder in (ours, foreign):
            folder.rmdir()


@pytest.mark.needs("control groups")
def test_we_are_where_we_were() -> None:
    before = Path("/proc/self/cgroup").read_text()
    with in_new_cgroup(1 << 30, 99) as group:
        assert group is not None
        assert group.folder.name in Path("/proc/self/cgroup").read_text()
    assert Path("/proc/self/cgroup").read_text() == before
    group.end()
    assert not group.folder.exists()


@pytest.fixture
def bounded(tmp_path: Path) -> Iterator[tuple[BotProcess, Path]]:
    """A process as if in a group with a limit on memory, and the group's folder: what a kernel would write
    there is written by hand."""
    for name in (*NEEDED, "memory.events"):
        (tmp_path / name).touch()
    child = subprocess.Popen(
        [base_interpreter(), "-S", "-c", "import time; time.sleep(60)"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    process = BotProcess(child, None, cgroup=Cgroup(tmp_path))
    yield process, tmp_path
    process.kill()


@pytest.mark.parametrize("who", ["its own limit", "the machine", "another bot"])
async def test_whose_memory_was_out(
    who: str, bounded: tuple[BotProcess, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, folder = bounded
    own, killed = who == "its own limit", who != "another bot"
    (folder / "memory.events").write_text(f"low 0\nhigh 0\nmax 9\noom {int(own)}\noom_kill {int(killed)}\n")
    (folder / "memory.peak").write_text(f"{600 << 20}\n")
    before = arena.process.botprocess.oom_kills()
    monkeypatch.setattr(arena.process.botprocess, "oom_kills", lambda: before + 1)
    os.kill(process.pid, signal.SIGKILL)
    if own:
        fault, status = await exit_cause(ENDED, process, 512)
        assert (fault.kind, status) == (FaultKind.MEMORY, -signal.SIGKILL)
        assert fault.detail == "600 MB in use, 512 MB are allowed"
    elif not killed:
        fault, status = await exit_cause(ENDED, process, 512)
        assert (fault.kind, status) == (FaultKind.EXITED, -signal.SIGKILL)
    else:
        with pytest.raises(MachineError, match="there was no memory left"):
            await exit_cause(ENDED, process, 512)


FORKER = Program(
    before="large = bytearray(200 * 2**20)\nfor at in range(0, len(large), 4096): large[at] = 1",
    asked="say(answer)\nchild = os.fork()\nif child == 0: os._exit(0)\nos.waitpid(child, 0)\nanswer = ''",
)
"""Forks behind each answer, which takes long with so much memory: the stop arrives in the middle of it."""


async def test_a_bot_that_is_stopped_while_it_forks_goes_on(
    level: Level, frozen_by: str, tmp_path: Path
) -> None:
    """The kernel may take the end of a stop from the child, for which the bot waits."""
    played = job(tmp_path, ("forker", FORKER), ("ann", Program()), ("bob", Program()))
    finished = await play_match(with_settings(played, limits=PATIENT, sandbox=Sandbox(level, 1024)))
    assert entries_of(finished.log) == ([], [])
