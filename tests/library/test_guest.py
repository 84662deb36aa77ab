"""A program with a life of its own calls the arena: nothing of its own is touched, and nothing is left.

It is also killed at moments that chance chooses.
"""

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

GUEST = Path(__file__).with_name("guest.py")
ROOT = Path(__file__).parents[2]
MARK = "GUEST_OF_THE_ARENA"
PATIENCE_SECONDS = 60.0


def begun(rounds: int, folder: Path, mark: str, **streams: int) -> "subprocess.Popen[bytes]":
    bot = folder / "mybot.py"
    bot.write_bytes((ROOT / "bots" / "greedy.py").read_bytes())
    return subprocess.Popen(
        [sys.executable, "-P", GUEST, str(rounds), folder, bot],
        env={**os.environ, MARK: mark, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        **streams,
    )


def left(mark: str, folder: Path) -> Iterator[str]:
    """The processes that bear the mark of the program or play its bot, but for its own children."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = (entry / "environ").read_bytes()
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if (f"{MARK}={mark}".encode() in environment or str(folder) in words) and "sleep 1000" not in words:
            yield f"{entry.name}: {words}"


def end_children(mark: str) -> None:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                continue


@pytest.mark.thorough  # Ten seconds of processor a round.
def test_nothing_of_the_callers_is_touched(tmp_path: Path) -> None:
    mark = str(uuid.uuid4())
    guest = begun(3, tmp_path, mark, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said, errors = guest.communicate()
    assert (said.decode(), guest.returncode) == ("", 0), errors.decode()[-3000:]
    assert [*left(mark, tmp_path)] == []


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(2, 12))]
)
def test_killed_at_any_moment_it_leaves_nothing(tmp_path: Path, seed: int) -> None:
    mark = str(uuid.uuid4())
    guest = begun(10, tmp_path, mark, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while sum(1 for _ in left(mark, tmp_path)) < 3:
            assert time.monotonic() < deadline, "it did not begin to play"
            time.sleep(0.01)
        time.sleep(random.Random(seed).uniform(0, 3))
        guest.kill()
        guest.wait()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while remaining := [*left(mark, tmp_path)]:
            assert time.monotonic() < deadline, remaining
            time.sleep(0.05)
    finally:
        guest.kill()
        guest.wait()
        end_children(mark)
