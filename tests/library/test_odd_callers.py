"""Callers whose process is not as most are: streams, signals, limits, forks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAY = """
import arena
played = arena.match([lambda view, legal: legal[0], "heuristic"], deals=1, seed=7, on_progress=False)
with open(OUT, "w") as file:
    file.write(str(played.outcome.placings))
"""
ODD = {
    "no standard streams": "import os; os.close(0); os.close(1); os.close(2)",
    "python without streams": "import sys; sys.stdin = sys.stdout = sys.stderr = None",
    "ignored signals": "import signal\n"
    "for n in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):\n"
    "    signal.signal(n, signal.SIG_IGN)",
    "blocked signals": "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
    "reaps all children": "import os, signal\n"
    "def reap(*_):\n"
    "    try:\n"
    "        while os.waitpid(-1, os.WNOHANG)[0]: pass\n"
    "    except ChildProcessError: pass\n"
    "signal.signal(signal.SIGCHLD, reap)",
    # With 0o777 nobody but root could enter the temporary folders that Python makes.
    "strict umask": "import os; os.umask(0o077 if os.geteuid() else 0o777)",
    "in a child of a fork": "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n    os._exit(0)",
    "in a thread": "",
    "optimized": "",
}
IN_A_THREAD = (
    "import threading\nthread = threading.Thread(target=lambda: exec(PLAY))\nthread.start()\nthread.join()"
)
FORKED = """
import os, threading, time
import arena
def call():
    try:
        arena.match(["heuristic"], deals=1000, on_progress=lambda _: None)
    except arena.MachineError:
        pass
from arena.library.caller import Stopper, stopper
stop = Stopper()
stopper.set(stop)
import contextvars
context = contextvars.copy_context()
thread = threading.Thread(target=context.run, args=(call,))
thread.start()
while not stop._channels:
    time.sleep(0.01)
if not (child := os.fork()):
    time.sleep(600)  # It holds a copy of the socket.
    os._exit(0)
stop.stop()
thread.join()
os.kill(child, 9)
with open(OUT, "w") as file:
    file.write("gone")
"""


def said_by(source: str, folder: Path, *words: str) -> str:
    out = folder / "out.txt"
    program = f"OUT = {str(out)!r}\nPLAY = {PLAY!r}\n{source}"
    with open(os.devnull, "w") as nothing, open(folder / "err.txt", "w") as errors:
        subprocess.run(
            [sys.executable, "-P", *words, "-c", program],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=nothing,
            stderr=errors,
            timeout=300,
            check=False,
        )
    os.chmod(out, 0o600) if out.exists() else None
    return out.read_text() if out.exists() else (folder / "err.txt").read_text()


SOME = ("no standard streams", "ignored signals", "reaps all children", "in a thread")
"""What the gate plays, a second each."""


@pytest.mark.parametrize(
    "odd", [pytest.param(odd, marks=() if odd in SOME else pytest.mark.thorough) for odd in ODD]
)
def test_a_match_is_played(odd: str, tmp_path: Path) -> None:
    source = IN_A_THREAD if odd == "in a thread" else f"{ODD[odd]}\n{PLAY}"
    assert said_by(source, tmp_path, *(["-OO"] if odd == "optimized" else [])) == "(3, 1, 2)"


def test_a_limit_of_the_callers_is_named(tmp_path: Path) -> None:
    source = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))"
    said = said_by(f"{source}\n{PLAY}", tmp_path).splitlines()[-1]
    assert said.startswith("arena.system.errors.MachineError: "), said
    assert "64" in said


def test_without_its_folder_a_caller_is_told_so(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    source = f"import os; os.chdir({str(folder)!r}); os.rmdir({str(folder)!r})\n"
    source += "import arena\ntry:\n    arena.match(['x=true', 'heuristic'])\n"
    source += "except arena.UserError as error:\n    open(OUT, 'w').write(str(error))"
    assert said_by(source, tmp_path) == "the current folder no longer exists; cd to one that does"


def test_a_process_that_was_forked_meanwhile_keeps_no_call_alive(tmp_path: Path) -> None:
    assert said_by(FORKED, tmp_path) == "gone"
