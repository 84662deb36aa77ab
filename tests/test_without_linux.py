"""What is left of the arena on macOS, as far as Linux can tell: commands run as an ordinary user who has no
/proc, no cgroups, no bwrap, prlimit or setpriv, and whose Python has lost what only Linux has. The table in
docs/organiser.md, macOS, says the same in words.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from arena.process.sandbox import MEANING, Level
from tests.cli.calls import ROOT

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.needs("root", "unshare", "everybody's Python"),
]
USER: Final = 7777
TOOLS: Final = ("bwrap", "prlimit", "setpriv", "taskset", "unshare")
LOST: Final = {
    "os": "sched_getaffinity sched_setaffinity pidfd_open memfd_create pipe2 eventfd posix_fadvise splice "
    "posix_fallocate getrandom getresuid setresuid setns unshare copy_file_range getxattr fdatasync",
    "resource": "prlimit RLIMIT_NICE RLIMIT_RTPRIO RLIMIT_RTTIME RLIMIT_SIGPENDING RLIMIT_MSGQUEUE",
    "signal": "pidfd_send_signal sigwaitinfo sigtimedwait SIGRTMIN SIGRTMAX",
    "fcntl": "F_SETPIPE_SZ F_GETPIPE_SZ F_ADD_SEALS",
    "time": "CLOCK_BOOTTIME pthread_getcpuclockid",
}
"""Names that these modules do not have on macOS, by Python's documentation."""
BEFORE_3_13: Final = {**LOST, "os": f"{LOST['os']} waitid"}
ENTER: Final = """
: >nothing
for tool in $TOOLS; do
    for folder in /usr/bin /usr/sbin /usr/local/bin; do
        if [ -e $folder/$tool ]; then mount --bind nothing $folder/$tool; fi
    done
done
for folder in /sys /dev/shm /proc; do mount -t tmpfs -o mode=555 tmpfs $folder; done
exec "$@"
"""
BOT: Final = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","name":"mybot"}', flush=True)
    elif message["type"] == "request":
        ACT
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}), flush=True)
"""
HOG: Final = BOT.replace("ACT", "kept = b'x' * (200 << 20)")
LEAVES_A_HELPER: Final = BOT.replace(
    "ACT",
    """if message["id"] == 1:
            has_left, leaves = os.pipe()
            if os.fork() == 0:
                os.setsid()
                os.write(leaves, b"!")
                os.execvp("sh", ["sh", "-c", "exec >/dev/null 2>&1 </dev/null; sleep 4; : >HOME/survived"])
            os.read(has_left, 1)""",
)


@pytest.fixture(params=[LOST, BEFORE_3_13], ids=["python-3.13", "python-3.11"])
def home(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder of the user, with the samples, and beside it what takes the names away. It does not lie in
    pytest's own, which every other run of pytest closes to all but root."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield furnished(Path(folder), request.param)


def furnished(folder: Path, lost: Mapping[str, str]) -> Path:
    site, home = folder / "site", folder / "home"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        f"import importlib\nfor name, lost in {lost!r}.items():\n"
        "    module = importlib.import_module(name)\n"
        "    for one in filter(module.__dict__.__contains__, lost.split()):\n        delattr(module, one)\n"
    )
    shutil.copytree(ROOT / "bots", home / "bots", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "hog.py").write_text(HOG)
    (home / "leaver.py").write_text(LEAVES_A_HELPER.replace("HOME", str(home)))
    for path in (home, *home.rglob("*")):
        os.chown(path, USER, USER)
    return home


def run(home: Path, *words: str) -> tuple[int, str]:
    """The exit status of a command and all that it says."""
    become = "import os, sys; os.setgroups([]); os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[1]));"
    become += "os.execv(sys.argv[2], sys.argv[2:])"
    done = subprocess.run(
        (
            *("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", ENTER, "sh"),
            *(sys.executable, "-c", become, str(USER), sys.executable, *words),
        ),
        cwd=home,
        env={
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PYTHONPATH": f"{home.parent / 'site'}:{ROOT}",
            "TOOLS": " ".join(TOOLS),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def arena(home: Path, line: str) -> tuple[int, str]:
    return run(home, "-m", "arena", *line.split())


def follow(home: Path, lines: Sequence[str]) -> None:
    for line in lines:
        status, said = arena(home, line)
        assert status == 0, f"{line}\n{said}"


def test_nothing_of_linux_is_left(home: Path) -> None:
    """Else the other tests would say nothing."""
    program = (
        "import os, resource, shutil\n"
        "print(os.listdir('/proc'), os.listdir('/sys'), hasattr(resource, 'prlimit'))\n"
        "print(shutil.which('bwrap'), shutil.which('setpriv'), os.geteuid())\n"
    )
    assert run(home, "-c", program) == (0, f"[] [] False\nNone None {USER}\n")


def test_bots_are_made_checked_played_and_looked_back_on(home: Path) -> None:
    follow(
        home,
        (
            "new python mybot --kit",
            "check mybot --game ole",
            "check bots/greedy.py bots/modest.sh --game sticheln --html pages",
            "match mybot bots/greedy.py heuristic --deals 1 --log match.jsonl",
            "replay match.jsonl --html match.html",
            "replay match.jsonl --verify",
            "rerun match.jsonl --seat 0 mybot",
            "rematch match.jsonl --seat 0 bots/random.py mybot bots/greedy.py",
            "review match.jsonl --seat 0",
        ),
    )


def test_tournaments_are_played_verified_and_published(home: Path) -> None:
    bots = "bots/greedy.py bots/careful.py bots/random.py bots/modest.sh"
    follow(
        home,
        (
            f"tournament {bots} --rounds 2 --deals 1 --out spring --report",
            "standings spring --full",
            "verify spring",
            "faults spring",
            "export spring --rows matches",
            f"tournament {bots} --rounds 1 --deals 1 --keep-bots --ponder --out summer",
        ),
    )
    status, said = arena(home, "compare bots/greedy.py bots/random.py --against bots/modest.sh --budget 10")
    assert status in (0, 3), said


def test_python_programs_play_too(home: Path) -> None:
    program = (
        "import arena\nseats = [lambda view, legal: legal[0], 'bots/greedy.py', 'bots/random.py']\n"
        "print(arena.match(seats, deals=1).outcome)\n"
    )
    status, said = run(home, "-c", program)
    assert status == 0, said


@pytest.mark.parametrize("level", ["bwrap", "rlimits"])
def test_there_are_no_walls_and_it_is_said(level: str, home: Path) -> None:
    status, said = arena(home, f"match bots/greedy.py bots/random.py --sandbox {level}")
    assert (status, said) == (2, f"arena: --sandbox {level}: this needs Linux\n")
    _, said = arena(home, "match bots/greedy.py bots/random.py --deals 1")
    assert f"sandbox: none, 512 MB a bot; {MEANING[Level.NONE]}" in said


def test_memory_is_not_bounded(home: Path) -> None:
    _, said = arena(home, "match hog.py bots/greedy.py --deals 1 --memory 64")
    assert "forfeits" not in said


def test_a_helper_that_leaves_its_process_group_lives_on(home: Path) -> None:
    """It would be ended with its namespace, so we stay in that for as long as it needs."""
    match = "python3 -m arena match leaver.py bots/greedy.py --deals 1"
    waits = "for _ in range(1200): os.path.exists('survived') or time.sleep(0.1)"
    run(home, "-c", f"import os, time; os.system({match!r})\n{waits}")
    assert (home / "survived").exists()


def test_a_bot_that_is_late_forfeits_and_its_group_ends(home: Path) -> None:
    (home / "late.py").write_text(BOT.replace("ACT", "import time; time.sleep(600)"))
    _, said = arena(home, "match late.py bots/greedy.py --deals 1 --time 100ms+100ms")
    assert "timeout" in said
