"""Ctrl-C on a terminal at the sharp moments: nothing is shown but that it was heard, and nothing is left."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.calls import ROOT
from tests.cli.ctrl_c import INTERRUPTED, Left, Moment, adopting, bots, pressed

pytestmark = pytest.mark.needs("linux")  # What is left is looked for in /proc.

PRESSED_AT_AN_IMPORT = """
import os, signal, sys, time

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["PRESSED_AT"]:
            try:
                os.killpg(0, signal.SIGINT)
                time.sleep(0.05)
            except KeyboardInterrupt:
                raise ImportError(f"{name} failed to import")

sys.meta_path.insert(0, Press())
"""
"""For sitecustomize.py: the signal comes to all in the foreground while a module is loaded, and what loads it
makes another error of that, as modules in C do."""


@pytest.fixture(autouse=True)
def _adopting() -> Iterator[None]:
    with adopting():
        yield


def nothing_is_left(left: Left) -> None:
    assert (left.status, left.wrong) == (INTERRUPTED, ()), left.shown
    assert "interrupted" in left.shown


@pytest.mark.parametrize("command", [("compare",), ("tournament", "--rounds", 3, "--no-duplicates")])
def test_while_a_library_is_loaded(command: tuple[object, ...], tmp_path: Path) -> None:
    """In a tournament that is when the first interval is shown."""
    (tmp_path / "sitecustomize.py").write_text(PRESSED_AT_AN_IMPORT)
    env = {"PYTHONPATH": str(tmp_path), "PRESSED_AT": "scipy.special"}
    words = (*command, *bots(tmp_path / "bots"), "--seats", 3, "--deals", 1)
    nothing_is_left(pressed(words, tmp_path, [], env=env))


def test_while_the_lag_is_measured(tmp_path: Path) -> None:
    """Or just after: a quiet machine is done in 60 ms."""
    words = ("tournament", *bots(tmp_path / "bots"), "--seats", 3, "--time", "50ms", "--jobs", 2)
    nothing_is_left(pressed(words, tmp_path, [("if every bot used all its time", 0.03)]))


def test_while_the_laws_are_judged(tmp_path: Path) -> None:
    """In a process of its own, which has another that plays the same matches."""
    words = ("check", "--game", "sticheln", "--seats", 3, "--matches", 300)
    nothing_is_left(pressed(words, tmp_path, [("", 1.5)]))


@pytest.mark.parametrize("command", ["tournament", "compare", "check", "match"])
def test_in_the_first_line(command: str, tmp_path: Path) -> None:
    nothing_is_left(pressed((command, *bots(tmp_path / "bots")), tmp_path, [("", 0.0)]))


@pytest.mark.parametrize("moments", [[("", 1.0)], [("", 1.0), ("", 0.1)]])
def test_while_a_match_is_played(moments: list[Moment], tmp_path: Path) -> None:
    words = ("match", *bots(tmp_path / "bots", seconds=0.1), "--log", "match.jsonl")
    nothing_is_left(pressed(words, tmp_path, moments))
    assert not (tmp_path / "match.jsonl").exists()


def test_no_match_waits_for_scipy() -> None:
    """It takes longer to load than a round takes to draw: an assignment, a quantile."""
    program = """
import sys
import arena.cli.tournament, arena.playing.worker
from tournaments.formats import FORMATS, Field, format_named
names = tuple("abcdefghijk")
for name in FORMATS:
    authors = {"a": "x", "b": "x", "c": "x"}
    assert format_named(name).draw(Field(names, 4, 5, "1", (), (), authors, ("a", "b")))
print([module for module in sys.modules if module.split(".")[0] == "scipy"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.exhaustive  # Two hundred commands, of some seconds each.
def test_at_two_hundred_moments() -> None:
    words = ("-m", "tests.bench.interrupted", "--moments", "200")
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
