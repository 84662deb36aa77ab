"""The benchmarks run; what they print is for people."""

import subprocess
import sys

import pytest

from tests.cli.calls import ROOT


@pytest.mark.thorough
def test_a_quick_run_prints_all_parts() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for title in (
        "one decision on one core",
        "a worker a core",
        "memory of the director",
        "rules, four seats",
        "rules in step, one core: with masks",
        "channels between bots of different matches",
    ):
        assert title in done.stdout
