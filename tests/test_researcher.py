"""docs/researcher.md does what it says: its commands and programs, in their order."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import ROOT, arena, blocks

GUIDE = "docs/researcher.md"


@pytest.mark.thorough
def test_every_command_does_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "bots").symlink_to(ROOT / "bots")
    for line in "".join(blocks(GUIDE, "sh")).splitlines():
        command, _, file = line.partition(" > ")
        name, *words = shlex.split(command)
        assert name == "arena"
        call = arena(*words, folder=tmp_path)
        # A comparison may also end undecided.
        assert call.status == 0 or (words[0] == "compare" and call.status == 3), call.err
        assert call.out
        if file:
            (tmp_path / file).write_text(call.out)
    assert len((tmp_path / "decisions.jsonl").read_text().splitlines()) > 500


@pytest.mark.parametrize("source", blocks(GUIDE, "python"))
def test_every_program_runs(source: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", source],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
