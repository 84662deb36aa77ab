"""Processes that wait for their turn to begin: they run nothing until then, and never outlive the match."""

import os
import signal
import subprocess
import sys
import time
from ast import literal_eval
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.playing.job import Job
from arena.playing.referee import play_match
from arena.process.launch import bot_environment
from arena.process.sandbox import Level, Sandbox
from arena.process.tree import MARK
from arena.system.errors import MachineError
from protocol.faults import FaultKind
from tests.support.jobs import ECHOES, alive, check, job, with_settings
from tests.support.needs import require
from tests.support.programs import ECHO, Program

NOW = "print(time.monotonic(), file=sys.stderr)"
SLOW = Program(before=f"{NOW}\ntime.sleep(0.1)\n{NOW}")
PLAY = """\
import sys, msgspec, trio
from arena.playing.job import Job
from arena.playing.referee import play_match
trio.run(play_match, msgspec.json.decode(sys.stdin.buffer.read(), type=Job))
"""


@pytest.fixture(params=list(Level))
def walls(request: pytest.FixtureRequest) -> Sandbox:
    require(request.param)
    return Sandbox(request.param)


def relaunched(task: Job, seat: int, **changes: Any) -> Job:
    """With another launch of one seat's bot."""
    entrants = [*task.entrants]
    launch = msgspec.structs.replace(entrants[seat].launch, **changes)
    entrants[seat] = msgspec.structs.replace(entrants[seat], launch=launch)
    return msgspec.structs.replace(task, entrants=tuple(entrants))


def soon(true: Callable[[], bool]) -> bool:
    patience = time.monotonic() + 30
    while not (found := true()) and time.monotonic() < patience:
        time.sleep(0.01)
    return found


async def test_no_program_begins_before_the_one_before_it_is_ready(tmp_path: Path, walls: Sandbox) -> None:
    task = job(tmp_path, *((f"slow-{seat}", SLOW) for seat in range(4)))
    finished = await play_match(with_settings(task, sandbox=walls))
    assert not check(finished, tmp_path)
    said = [Path(tmp_path, "stderr", f"m-{seat}.txt").read_text().split() for seat in range(4)]
    moments = [float(moment) for begun_and_ready in said for moment in begun_and_ready]
    assert len(moments) == 8
    assert moments == sorted(moments)


def bound(folder: Path) -> list[str]:
    """Those that are past the program that has them end with their parent. Before that a director ends them,
    by their mark."""
    return [
        found for found in alive(folder) if not {"--die-with-parent", "--pdeathsig"} & {*found.split("\0")}
    ]


def test_those_that_wait_end_with_the_program_that_started_them(tmp_path: Path, walls: Sandbox) -> None:
    task = job(tmp_path, ("asleep", Program(before="time.sleep(60)")), *ECHOES)
    words = msgspec.json.encode(with_settings(task, sandbox=walls))
    with subprocess.Popen([sys.executable, "-c", PLAY], stdin=subprocess.PIPE) as playing:
        assert playing.stdin is not None
        playing.stdin.write(words)
        playing.stdin.close()
        names = ["asleep.py", *(f"{name}.py" for name, _ in ECHOES)]
        try:
            assert soon(lambda: all(any(name in found for found in bound(tmp_path)) for name in names))
        finally:
            os.kill(playing.pid, signal.SIGKILL)
    assert soon(lambda: alive(tmp_path) == [])


async def test_a_start_that_fails_leaves_none_of_those_that_wait(tmp_path: Path, walls: Sandbox) -> None:
    task = with_settings(job(tmp_path, *ECHOES, ("last", ECHO)), sandbox=walls)
    with pytest.RaisesGroup(pytest.RaisesExc(MachineError, match="no longer exists"), flatten_subgroups=True):
        await play_match(relaunched(task, 3, folder=str(tmp_path / "gone")))
    assert alive(tmp_path) == []


async def test_a_program_that_cannot_be_executed_is_judged_at_its_turn(
    tmp_path: Path, walls: Sandbox
) -> None:
    task = with_settings(job(tmp_path, *ECHOES, ("last", ECHO)), sandbox=walls)
    program = tmp_path / f"{ECHOES[1][0]}.py"
    program.chmod(0o644)
    (fault,) = check(await play_match(relaunched(task, 1, argv=(str(program),))), tmp_path)
    assert (fault.seat, fault.kind, fault.us) == (1, FaultKind.SPAWN, 0)


async def test_the_bot_is_told_nothing_by_the_shell_that_waited(tmp_path: Path, walls: Sandbox) -> None:
    """Its environment, descriptors and input are as if it had been executed directly."""
    curious = Program(
        before="folder = '/proc/self/fd/'\n"
        "files = {name for name in os.listdir(folder) if os.path.exists(folder + name)}\n"
        "sent = sys.stdin.buffer.peek()\n"
        "print((sorted(os.environ), sorted(files), sent[:9], sent.count(b'\\n')), file=sys.stderr)"
    )
    task = with_settings(job(tmp_path, ("curious", curious), *ECHOES), sandbox=walls)
    assert not check(await play_match(task), tmp_path)
    names, files, begins, lines = literal_eval(Path(tmp_path, "stderr", "m-0.txt").read_text())
    outside = [] if walls.level is Level.BWRAP else [MARK]
    assert set(names) - {"SHLVL"} == {*bot_environment(), *outside}
    assert files == ["0", "1", "2"]
    assert (begins, lines) == (b'{"type":"', 1)
