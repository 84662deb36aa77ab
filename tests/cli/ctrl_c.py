"""Ctrl-C on a terminal, as a person presses it: the signal goes to every process in the foreground there.
What is left of a command after it: processes, temporary files, half files, an exit status, words.
"""

import contextlib
import ctypes
import fcntl
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from arena.process.tree import children, tree
from tests.support.programs import Program

WAIT: Final = 120.0
REST_SECONDS: Final = 10.0
"""In which the processes that are being killed are gone."""
INTERRUPTED: Final = 130
PR_SET_CHILD_SUBREAPER: Final = 36
FORBIDDEN: Final = ("Traceback", "bug in the arena", "Exception ignored", "KeyboardInterrupt")
START: Final = "import arena.__main__ as it, os; os.close({ready}); it.main()"
"""A command that says when its first lines have run: Python itself is up then."""


Moment: TypeAlias = tuple[str, float]
"""So many seconds after this text is shown; after "" so many after the first line or the last key."""


class Left(NamedTuple):
    """What is left of a command: its exit status, what the terminal shows, and what is `wrong`."""

    status: int
    shown: str
    wrong: tuple[str, ...]


@contextlib.contextmanager
def adopting() -> Iterator[None]:
    """Meanwhile processes whose parents have ended become ours, so that none is overlooked."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def bots(folder: Path, seconds: float = 0.002) -> list[str]:
    """Three that take some milliseconds for a decision."""
    folder.mkdir()
    for name in ("ada", "bob", "cy"):
        (folder / f"{name}.py").write_text(Program(asked=f"time.sleep({seconds})").source())
    return [str(path) for path in sorted(folder.iterdir())]


def pressed(
    words: Sequence[object],
    folder: Path,
    moments: Sequence[Moment],
    python: str = sys.executable,
    env: Mapping[str, str] | None = None,
) -> Left:
    """Calls `arena` on a terminal of its own in `folder`, and presses Ctrl-C at these moments. To be called
    while `adopting`."""
    with tempfile.TemporaryDirectory(prefix="ctrl-c-") as place:
        outside = {name: Path(place, name) for name in ("tmp", "cache", "runtime")}
        for path in outside.values():
            path.mkdir(mode=0o700)
        around = {
            **os.environ,
            "TMPDIR": str(outside["tmp"]),
            "XDG_CACHE_HOME": str(outside["cache"]),
            "XDG_RUNTIME_DIR": str(outside["runtime"]),
            "TERM": "xterm-256color",
            **(env or {}),
        }
        before = set(children(os.getpid()))
        status, shown = _called(words, folder, moments, python, around)
        wrong = [f"{word!r} is shown" for word in FORBIDDEN if word in shown]
        wrong += [f"left: {process}" for process in _processes(before)]
        wrong += [f"left in TMPDIR: {path.name}" for path in outside["tmp"].iterdir()]
        for where in (folder, outside["cache"]):
            wrong += [f"half a file: {path}" for path in where.rglob("unfinished-*")]
    return Left(status, shown, tuple(wrong))


def _called(
    words: Sequence[object],
    folder: Path,
    moments: Sequence[Moment],
    python: str,
    env: Mapping[str, str],
) -> tuple[int, str]:
    ours, theirs = os.openpty()
    reading, writing = os.pipe()

    def own_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # A shell ignores it for what it starts with `&`.

    process = subprocess.Popen(
        [python, "-P", "-c", START.format(ready=writing), *map(str, words)],
        cwd=folder,
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        pass_fds=[writing],
        start_new_session=True,
        preexec_fn=own_terminal,
    )
    os.close(theirs)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    shown = bytearray()

    def read(seconds: float) -> bool:
        if not select.select([ours], [], [], max(0.0, seconds))[0]:
            return True
        with contextlib.suppress(OSError):
            shown.extend(data := os.read(ours, 1 << 16))
            return bool(data)
        return False

    there = True
    for text, seconds in moments:
        end = time.monotonic() + WAIT
        while there and time.monotonic() < end and text.encode() not in shown:
            there = read(end - time.monotonic())
        end = time.monotonic() + seconds
        while there and time.monotonic() < end:
            there = read(end - time.monotonic())
        with contextlib.suppress(OSError):
            os.write(ours, b"\x03")
    end = time.monotonic() + WAIT
    while there and time.monotonic() < end:
        there = read(end - time.monotonic())
    os.close(ours)
    try:
        status = process.wait(REST_SECONDS)
    except subprocess.TimeoutExpired:
        for pid in tree(process.pid):
            os.kill(pid, signal.SIGKILL)
        status = process.wait()
    return status, shown.decode("utf-8", "replace")


def _processes(before: set[int]) -> list[str]:
    """The processes that a command has left behind, which are killed."""
    end = time.monotonic() + REST_SECONDS
    while found := set(children(os.getpid())) - before:
        for pid in found:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() > end:
            break
        time.sleep(0.01)
    told = []
    for pid in found:
        with contextlib.suppress(OSError):
            told.append(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:200])
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return told


def fresh(folder: Path, of: Path | None = None) -> Path:
    """An empty folder in the place of what was there, or a copy."""
    shutil.rmtree(folder, ignore_errors=True)
    if of is None:
        folder.mkdir()
    else:
        shutil.copytree(of, folder)
    return folder
