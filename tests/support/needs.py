"""What tests need and a bare machine lacks: whether it is here, what is not proved without it, and what has
to be installed. `@pytest.mark.needs("bwrap")` skips a test where that is missing, `require("bwrap")` does so
from within. At the end pytest says what was not proved (tests/conftest.py).

A need is a level of the sandbox, a name in STATES, or a program. Knows the machine and no test.
"""

import functools
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from arena.process.cgroup import home_of_groups
from arena.process.launch import Launch, obstacle, resolved
from arena.process.sandbox import TOOLS, Level, probe
from arena.process.seccomp import known_machine
from arena.starters import HERE, STARTERS

ROOT: Final = Path(__file__).parent.parent.parent
BROWSERS: Final = ("chromium", "chromium-browser")
"""The names that Chromium has on Debian and on Ubuntu."""


class Lack(NamedTuple):
    """Something that is not here. `packages` of Debian bring it; there may be none."""

    subject: str
    reason: str
    packages: tuple[str, ...] = ()


class Lacking(pytest.skip.Exception):
    """Skips a test, and says what it lacked."""

    def __init__(self, lack: Lack) -> None:
        super().__init__(f"{lack.subject}: {lack.reason}")
        self.lack = lack


def require(*needs: str) -> None:
    """Skip the test that is running unless all of `needs` are here."""
    for need in needs:
        if lack := lacking(need):
            raise Lacking(lack)


@functools.cache
def lacking(need: str) -> Lack | None:
    """What is missing of this need; None if nothing is."""
    if need in tuple(Level):
        reason = probe(Level(need))
        missing = {tool for tool in TOOLS[Level(need)] if shutil.which(tool) is None}
        packages = {"bubblewrap" if tool == "bwrap" else "util-linux" for tool in missing}
        return Lack(f"the sandbox {need}", reason, tuple(sorted(packages))) if reason else None
    if need in STATES:
        subject, reason, is_so = STATES[need]
        return None if is_so() else Lack(subject, reason)
    if _runs(need):
        return None
    subject, names = _programs().get(need, (f"what {need} does", ""))
    return Lack(subject, f"no {need} here", tuple(names.split()))


def _succeeds(*command: str, **options: Any) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False, **options).returncode == 0
    except OSError:
        return False


STATES: Final[Mapping[str, tuple[str, str, Callable[[], bool]]]] = {
    "root": ("what root may do", "run it as root too", lambda: os.geteuid() == 0),
    "no root": ("what root cannot see", "run it as an ordinary user too", lambda: os.geteuid() != 0),
    "linux": ("what only Linux has", "run it there too", lambda: sys.platform == "linux"),
    "call numbers": ("the filter of calls", "unknown for this machine", lambda: known_machine() is not None),
    "control groups": (
        "freezing by control groups",
        "none can be made here",
        lambda: home_of_groups() is not None,
    ),
    "everybody's Python": (
        "what an ordinary user sees beside root",
        "only root can run this Python",
        lambda: _succeeds(sys.executable, "-c", "", user=65534, group=65534, extra_groups=[]),
    ),
    "clone": (
        "what is handed out",
        "needs git and its clone",
        lambda: _succeeds("git", "-C", str(ROOT), "ls-files"),
    ),
}
"""Name to what is not proved where it is not so, the reason, and whether it is so."""

OTHERS: Final[Mapping[str, tuple[str, str]]] = {
    "chromium": ("pages in a browser", "chromium"),
    "debootstrap": ("setting up a fresh machine", "debootstrap"),
    "busybox": ("bots in awk", "busybox"),
    "gawk": ("bots in awk", "gawk"),
    "mawk": ("bots in awk", "mawk"),
    "original-awk": ("bots in awk", "original-awk"),
    "flock": ("bots in bash", "util-linux"),
    "/usr/bin/python3": ("bots run by the system's Python", "python3"),
    "setpriv": ("ordinary users beside root", "util-linux"),
    "unshare": ("a machine without Linux", "util-linux"),
}
"""Programs that no starter needs: what is not proved without them, and their packages."""


@functools.cache
def _programs() -> Mapping[str, tuple[str, str]]:
    """OTHERS, and the same of what starters need."""
    found = dict(OTHERS)
    for folder, starter in STARTERS.items():
        language = tomllib.loads((HERE / folder / "bot.toml").read_text("utf-8"))["language"]
        for program, packages in starter.packages.items():
            found.setdefault(program, (f"bots in {language}", packages))
    return found


def _runs(program: str) -> bool:
    """On our PATH, and for bots."""
    if program == "chromium":
        return any(map(shutil.which, BROWSERS))
    if program == "perl":  # Some systems have one without its core modules.
        return _succeeds("perl", "-MJSON::PP", "-e", "0")
    if program == "tclsh":  # The starter needs tcllib too.
        return _succeeds("sh", "-c", "echo 'exit [catch {package require json}]' | tclsh")
    return shutil.which(program) is not None and obstacle(Launch(resolved((program,), "/"), "/")) is None


def not_proved(lacks: Mapping[Lack, int], others: int) -> Iterator[str]:
    """The lines that pytest ends with: what was not proved, each with the number of its tests, and what would
    have to be installed. None if nothing was skipped. `others`: tests that were skipped for other reasons."""
    counts: Counter[str] = Counter()
    for lack, count in lacks.items():
        counts[lack.subject if lack.packages else f"{lack.subject} ({lack.reason})"] += count
    subjects = [f"{subject} {count}" for subject, count in counts.most_common()]
    subjects += [f"other {others}"] if others else []
    if subjects:
        yield f"not proved here, by tests that were skipped: {', '.join(subjects)}"
        if packages := sorted({package for lack in lacks for package in lack.packages}):
            yield f"to prove it on Debian or Ubuntu: apt install {' '.join(packages)}"
        yield "which tests these are, and why: pytest -rs"
