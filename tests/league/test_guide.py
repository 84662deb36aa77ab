"""docs/league.md does what it says, command by command."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import ROOT, blocks, path_with_arena

GUIDE = "docs/league.md"


@pytest.mark.thorough
def test_every_command_does_what_it_says(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "bots", tmp_path / "bots", ignore=shutil.ignore_patterns("__pycache__"))
    path = path_with_arena(tmp_path)
    for line in "".join(blocks(GUIDE, "sh")).splitlines():
        done = subprocess.run(
            ("sh", "-c", line),
            cwd=tmp_path,
            env={"PATH": path, "HOME": str(tmp_path), "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}: {done.stderr}{done.stdout}"
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks(GUIDE, "python"))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "house/random@1" in done.stdout
