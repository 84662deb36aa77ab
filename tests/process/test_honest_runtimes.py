"""Bots that use what their language has for doing several things at once, each at its default settings, play
as if no wall were there: twenty matches without a fault, and nothing that counts as computing while frozen.

The programs stand in tests/process/honest. Each tries its means before it says `ready`, ends if one of them
does not do what its manual says, and plays with some of them. Everything here is done as whoever runs the
tests and, where that is root, once more as an ordinary user.
"""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.process.sandbox import Level
from tests.cli.calls import ROOT, arena
from tests.support.boxed import pass_as_an_ordinary_user
from tests.support.needs import require

pytestmark = [pytest.mark.needs("bwrap"), pytest.mark.thorough]

HONEST = Path(__file__).parent / "honest"
FIELD = [ROOT / "bots" / name for name in ("careful.py", "greedy.py", "random.py")]
ROUNDS = 5
MATCHES = 20
"""Four seatings of each round."""


class Runtime(NamedTuple):
    """A program's file, how it is started and built, and what that takes beside the first word of both."""

    file: str
    command: str
    build: str = ""
    needs: Sequence[str] = ()
    allow: str = ""
    """What of it lies outside of what every bot is shown."""


RUNTIMES: Mapping[str, Runtime] = {
    "bash": Runtime("jobs.sh", "bash jobs.sh", needs=("flock",)),
    "C": Runtime("threads.c", "./bot", "cc -O2 -Wall -Werror -fopenmp -pthread -o bot threads.c -lrt"),
    "C++": Runtime("futures.cpp", "./bot", "c++ -std=c++20 -O2 -Wall -Werror -pthread -o bot futures.cpp"),
    "Go": Runtime("goroutines.go", "./bot", "go build -o bot goroutines.go"),
    "Haskell": Runtime(
        "threads.hs", "./bot", "ghc -O -threaded -o bot threads.hs", needs=("cc",), allow="/var/lib/ghc"
    ),
    "Java": Runtime("Pools.java", "java Pools", "javac Pools.java", needs=("java",)),
    "Lua": Runtime("pipes.lua", "lua pipes.lua"),
    "Node": Runtime("workers.js", "node workers.js"),
    "Perl": Runtime("forks.pl", "perl forks.pl"),
    "PHP": Runtime("forks.php", "php forks.php"),
    "Python, processes": Runtime("processes.py", "python3 processes.py"),
    "Python, tasks": Runtime("tasks.py", "python3 tasks.py"),
    "Python, threads": Runtime("threads.py", "python3 threads.py"),
    "Ruby": Runtime("ractors.rb", "ruby ractors.rb"),
    "Rust": Runtime("threads.rs", "./bot", "rustc -O -o bot threads.rs", needs=("cc",)),
    "SBCL": Runtime("threads.lisp", "sbcl --script threads.lisp"),
}


@pytest.fixture(autouse=True)
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tmp_path.chmod(0o755)


def bot(folder: Path, name: str, runtime: Runtime) -> Path:
    """The program in a folder of its own, as an author would hand it in."""
    folder.mkdir()
    shutil.copy(HONEST / runtime.file, folder)
    build = f'build = "{runtime.build}"\n' if runtime.build else ""
    (folder / "bot.toml").write_text(f'name = "{name}"\ncommand = "{runtime.command}"\n{build}')
    return folder


@pytest.mark.parametrize("language", RUNTIMES)
def test_it_plays_without_fault_or_excess(language: str, tmp_path: Path) -> None:
    runtime = RUNTIMES[language]
    require((runtime.build or runtime.command).split()[0], *runtime.needs)
    honest = bot(tmp_path / "honest", "honest", runtime)
    env = {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    rules = ("--rounds", ROUNDS, "--deals", 4, "--seed", 7, "--sandbox", Level.BWRAP, "--quiet")
    rules += ("--allow", runtime.allow) if runtime.allow else ()
    played = arena("tournament", honest, *FIELD, *rules, "--out", "run", folder=tmp_path, env=env)
    assert played.status == 0, played.err
    assert "left out" not in played.err, played.err
    assert len(list((tmp_path / "run" / "matches").glob("*.jsonl"))) == MATCHES
    found: Any = arena("faults", "run", "--json", folder=tmp_path, env=env).json
    seconds = sum(row["seconds"] for row in found["excess"])
    print(f"{language}: {MATCHES} matches, {len(found['faults'])} faults, {seconds:.3f} s of excess")
    assert found == {"faults": [], "excess": []}


@pytest.mark.needs("root")
@pytest.mark.exhaustive  # All of the above once more.
def test_the_same_as_an_ordinary_user() -> None:
    pass_as_an_ordinary_user(__file__, "plays", marked="thorough")
