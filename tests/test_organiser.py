"""docs/organiser.md does what it says, in an evening that is interrupted so that the organiser's hand has
something to do.
"""

import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.calls import ROOT, blocks, path_with_arena
from tests.cli.test_interrupt import until

GUIDE = "docs/organiser.md"
EVENING = "--out spring"
HAND = "arena withdraw"
ANSWERS = ("arena rerun", "arena rematch")
"""Whose exit code says what they found."""


@pytest.mark.thorough
def test_every_command_does_what_it_says(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "bots", tmp_path / "bots", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(tmp_path / "bots" / "greedy.py", tmp_path / "late.py")
    path = path_with_arena(tmp_path)

    def begun(line: str) -> "subprocess.Popen[str]":
        words = ("bash", "-c", f"exec {line}")
        return subprocess.Popen(
            words, cwd=tmp_path, env={"PATH": path}, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def done(line: str) -> None:
        process = begun(line)
        _, err = process.communicate()
        assert process.returncode in ((0, 1) if line.startswith(ANSWERS) else (0,)), f"{line}: {err}"

    before, evening, after = [], "", []
    for block in blocks(GUIDE, "sh"):
        for line in block.splitlines():
            if EVENING in line:
                evening = line
            else:
                (after if evening else before).append(line)
    hand = after[(at := next(n for n, line in enumerate(after) if line.startswith(HAND))) : at + 5]

    for line in before:
        done(line)
    tournament = begun(evening)
    until(lambda: (tmp_path / "spring" / "matches" / "r01-p001-s01.jsonl").exists())
    tournament.send_signal(signal.SIGINT)
    tournament.communicate()
    assert tournament.returncode == 130
    for line in [*hand, *(line for line in after if line not in hand)]:
        done(line)
    assert (tmp_path / "spring" / "report.html").exists()
