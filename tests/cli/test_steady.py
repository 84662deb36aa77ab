"""Somebody moves, breaks or exchanges the file of a command line while a tournament is being played: nobody
pays for it, no result of another program is written down, and with the file as it was the same table comes
out.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.log.fault_report import fault_rows
from tests.cli.calls import ROOT, arena
from tests.support.programs import Program
from tests.support.standings import table
from tests.support.waiting import running

OTHER = Program(asked="answer = answer.replace(m['legal'][0], m['legal'][-1])").source()


def removed(file: Path) -> None:
    file.unlink()


def broken(file: Path) -> None:
    file.write_text("broken(")


def exchanged(file: Path) -> None:
    new = file.with_suffix(".new")
    new.write_text(OTHER)
    os.rename(new, file)


@pytest.mark.thorough  # 4 s of processor.
@pytest.mark.parametrize("change", [exchanged, removed, broken])
def test_a_file_that_is_changed_in_between_costs_nobody_anything(
    change: Callable[[Path], None], tmp_path: Path
) -> None:
    for name in ("ada", "bob", "cy"):
        (tmp_path / f"{name}.py").write_text(Program(asked="time.sleep(0.005)").source())
    # A command line plays in place; a file or folder would play on, from its copy.
    bots = [f"{path.stem}=python3 {path}" for path in sorted(tmp_path.iterdir())]
    words = ["tournament", *bots, "--seats", "3", "--rounds", "3", "--deals", "1", "--seed", "7"]
    words += ["--no-duplicates"]
    ada, run = tmp_path / "ada.py", tmp_path / "run"
    director = subprocess.Popen(
        [sys.executable, "-m", "arena", *words, "--out", str(run)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    running(run)
    before = ada.read_text()
    change(ada)
    said = director.communicate()[1].splitlines()
    assert director.returncode == 2
    assert "the files of ada changed while it was playing; r0" in said[-1]
    assert f"`arena resume {run}` continues once they are restored" in said[-1]
    assert [row for log in run.glob("matches/*") for row in fault_rows(log.read_text())] == []

    assert arena("resume", run).status == 2
    ada.write_text(before)
    assert arena("resume", run).status == 0
    assert arena(*words, "--out", tmp_path / "whole").status == 0
    assert table(run) == table(tmp_path / "whole")
