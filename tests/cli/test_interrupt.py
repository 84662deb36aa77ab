"""Ctrl-C once and twice, a terminal that closes, a director that is killed: nobody is left, and what was
played is there.
"""

import os
import pty
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import ROOT, arena
from tests.support.jobs import alive
from tests.support.programs import Program
from tests.support.waiting import WAIT, running, until, what_is_there_is_true


@pytest.fixture
def bots(tmp_path: Path) -> list[str]:
    """Three that take 5 ms for a decision: a match of one deal takes about a quarter of a second."""
    folder = tmp_path / "bots"
    folder.mkdir()
    for name in ("ada", "bob", "cy"):
        (folder / f"{name}.py").write_text(Program(asked="time.sleep(0.005)").source())
    return [str(path) for path in sorted(folder.iterdir())]


def begun(
    bots: list[str], out: Path, program: Sequence[str] = ("-m", "arena"), deals: int = 1, **files: Any
) -> "subprocess.Popen[bytes]":
    length = ("--seats", "3", "--rounds", "50", "--deals", str(deals))
    return subprocess.Popen(
        [sys.executable, *program, "tournament", *bots, *length, "--seed", "7", "--out", str(out)],
        cwd=ROOT,
        # Bots play from copies there, by which `nobody_left` knows them.
        env={**os.environ, "XDG_CACHE_HOME": str(out.parent / "cache")},
        start_new_session=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | files,
    )


def children(pid: int) -> list[Path]:
    """The processes that one has started and that live."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "stat").read_text().rpartition(")")[2].split()[1] == str(pid):
                found.append(entry)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def lives(process: Path) -> bool:
    """A zombie does not: in a container there may be nobody to reap it. It has no command line."""
    try:
        return (process / "cmdline").read_bytes() != b""
    except OSError:
        return False


def nobody_left(bots: list[str]) -> None:
    until(lambda: alive(Path(bots[0]).parent.parent) == [])


def test_ctrl_c_once_lets_the_running_matches_end(bots: list[str], tmp_path: Path) -> None:
    director = begun(bots, tmp_path / "run")
    running(tmp_path / "run")
    director.send_signal(signal.SIGINT)
    out, err = director.communicate(timeout=WAIT)
    assert director.returncode == 130
    assert err.count(b"running matches have 5 s to finish") == 1
    assert b"interrupted: these are the standings so far" in err
    assert b"ada" in out
    nobody_left(bots)
    assert what_is_there_is_true(tmp_path / "run") >= 1


def test_sigterm_is_like_ctrl_c(bots: list[str], tmp_path: Path) -> None:
    director = begun(bots, tmp_path / "run")
    running(tmp_path / "run")
    director.terminate()
    director.communicate(timeout=WAIT)
    assert director.returncode == 130
    nobody_left(bots)


def test_ctrl_c_twice_stops_at_once(tmp_path: Path) -> None:
    """Matches of six minutes, and a director who after one would wait for them as long as it takes."""
    patient = "import arena.cli, arena.director.director as it; it.GRACE_SECONDS = 3600; arena.cli.main()"
    slow = tmp_path / "bots"
    slow.mkdir()
    for name in ("ada", "bob", "cy"):
        (slow / f"{name}.py").write_text(Program(asked="time.sleep(0.8)").source())
    bots = [str(path) for path in sorted(slow.iterdir())]
    director = begun(bots, tmp_path / "run", ("-c", patient), deals=10)
    until(lambda: len(alive(tmp_path / "cache")) >= 3)
    director.send_signal(signal.SIGINT)
    time.sleep(0.2)
    director.send_signal(signal.SIGINT)
    director.communicate(timeout=WAIT)
    assert director.returncode == 130
    nobody_left(bots)
    assert what_is_there_is_true(tmp_path / "run") == 0


@pytest.mark.thorough  # 2 s of processor; test_play closes one too.
def test_a_closed_terminal_is_like_ctrl_c(bots: list[str], tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    director = begun(bots, tmp_path / "run", stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    running(tmp_path / "run")
    while select.select([ours], [], [], 0)[0]:
        os.read(ours, 65536)
    os.close(ours)
    director.send_signal(signal.SIGHUP)  # what the kernel does for the session that owns the terminal
    assert director.wait(timeout=WAIT) == 130
    nobody_left(bots)
    assert what_is_there_is_true(tmp_path / "run") >= 1


def test_a_killed_director_leaves_nobody(bots: list[str], tmp_path: Path) -> None:
    director = begun(bots, tmp_path / "run")
    running(tmp_path / "run")
    workers = children(director.pid)
    assert workers
    director.kill()
    director.communicate(timeout=WAIT)
    nobody_left(bots)
    until(lambda: not any(map(lives, workers)))
    what_is_there_is_true(tmp_path / "run")


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_at_any_moment(times: int, bots: list[str], tmp_path: Path) -> None:
    interrupt_at_random(bots, tmp_path, times, moments=1)


@pytest.mark.thorough
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_at_many_moments(times: int, bots: list[str], tmp_path: Path) -> None:
    interrupt_at_random(bots, tmp_path, times, moments=25)


def interrupt_at_random(bots: list[str], folder: Path, times: int, moments: int) -> None:
    chance = random.Random(times)
    for number in range(moments):
        out = folder / f"run-{number}"
        reading, writing = os.pipe()
        up = f"import os, arena.cli; os.close({writing}); arena.cli.main()"
        director = begun(bots, out, ("-c", up), pass_fds=(writing,))
        os.close(writing)
        # From the first line of ours to some matches later; before, Python itself is not up yet.
        os.read(reading, 1)
        os.close(reading)
        time.sleep(0.01 + 1.5 * chance.random())
        director.send_signal(signal.SIGINT)
        for _ in range(times - 1):
            time.sleep(0.3 * chance.random())
            director.send_signal(signal.SIGINT)
        _, err = director.communicate(timeout=WAIT)
        assert director.returncode == 130, err.decode()
        assert b"Traceback" not in err, err.decode()
        nobody_left(bots)
        if (out / "tournament.db").exists():
            what_is_there_is_true(out)


@pytest.mark.thorough  # 3 s of processor.
@pytest.mark.needs("rlimits")
def test_an_interruption_that_a_bot_sends_to_its_parent_is_nobodys(bots: list[str]) -> None:
    Path(bots[0]).write_text(Program(asked="os.kill(os.getppid(), signal.SIGINT)").source())
    match = arena("match", *bots, "--deals", 1, "--sandbox", "rlimits", "--json")
    assert (match.status, match.json["faults"]) == (0, []), match.err  # type: ignore[index]
    # A single bot would be checked by the command itself, which cannot know who interrupts it.
    check = arena("check", *bots[:2], "--game", "sticheln", "--sandbox", "rlimits")
    assert "interrupted" not in check.err
    assert "not checked" not in check.out + check.err
