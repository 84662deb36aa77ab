"""`arena play` in a terminal, from its start to the end."""

import math
import re
from pathlib import Path

import pytest

from arena.log.retrace import Log, read, verify
from tests.cli.terminals import Terminal
from tests.support.jobs import alive
from tests.support.programs import Program
from tests.support.waiting import until

ASKED = re.compile(r"(?:enter: (?P<chosen>\w+) · )?(?:(?P<first>\w)–\w choose · )?\? hint")


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Three, which play from copies in `cache`, by which their processes are known at every level."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "bots"
    folder.mkdir()
    for name in ("ada", "bob", "cy"):
        (folder / f"{name}.py").write_text(Program().source())
    return [str(path) for path in sorted(folder.iterdir())]


def verified(tmp_path: Path) -> Log:
    log = read(tmp_path / "log.jsonl")
    verify(log)
    return log


def somebody_plays(tmp_path: Path) -> None:
    until(lambda: alive(tmp_path / "cache") != [])


def nobody_left(tmp_path: Path) -> None:
    until(lambda: alive(tmp_path) == [])


def play_to_the_end(terminal: Terminal, most: float = math.inf) -> list[str]:
    """Answer whatever is asked with what its first key chooses, so often at most; all that was chosen."""
    chosen: list[str] = []
    answered, screen = "", terminal.until("choose")
    while "the match is over" not in screen and len(chosen) < most:
        asked = ASKED.search(screen)
        if screen == answered:
            pass  # It may be drawn again before it has our key.
        elif asked and asked["chosen"]:
            chosen.append(asked["chosen"])
            terminal.press("\r")
        elif asked:
            terminal.press(asked["first"])
        elif "any key" in screen:
            terminal.press(" ")
        answered, screen = screen, terminal.next()
    return chosen
