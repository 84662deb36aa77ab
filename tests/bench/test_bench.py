"""The benchmarks run; what they print is for people."""

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from protocol.codec import encode
from tests.bench import (
    explained,
    league_arrivals,
    league_newcomers,
    league_rush,
    league_scale,
    league_shares,
    league_statements,
)
from tests.cli.calls import ROOT
from tests.support.logs import chance_log


def test_what_is_explained_is_told_by_game_and_stage(tmp_path: Path) -> None:
    for game, seats in (("sticheln", 3), ("ole", 4), ("david-and-goliath", 4)):
        path = tmp_path / f"{game}.jsonl"
        path.write_bytes(b"".join(map(encode, chance_log(game, seats).entries)))
    done = CliRunner().invoke(explained.main, [str(tmp_path)], catch_exceptions=False)
    _, *rows = map(str.split, done.stdout.splitlines())
    assert [row[:4] for row in rows] == [
        [game, seats, stage, "1"]
        for game, seats in (("ole", "4"), ("sticheln", "3"))
        for stage in ("early", "middle", "late")
    ]
    for row in rows:
        assert 0 < float(row[4]) < 100
        assert float(row[5]) - float(row[4]) == pytest.approx(float(row[6]), abs=0.11)


@pytest.mark.exhaustive  # Its parts are run by whoever needs their figures.
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


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("command", "words", "told"),
    [
        (league_statements.main, "--boards 2 --world flood --processes 1", "at the worst look"),
        pytest.param(
            league_arrivals.main,
            "--leagues 1 --gap 120",
            "0 of 6 promises broken",
            marks=pytest.mark.exhaustive,
        ),
        (league_rush.main, "--authors 4 --slow 1 --bombs 1", "4 archives: 3 accepted, 1 refused"),
        (league_newcomers.main, "--boards 2 --newcomers 3", "bit-equal"),
        (league_shares.main, "--board twins", "asleep after"),
        (league_scale.main, "--current 20 --versions 300 --rows 100000", "the exact fit"),
    ],
)
def test_the_benchmarks_of_a_league_print(command: click.Command, words: str, told: str) -> None:
    done = CliRunner().invoke(command, words.split(), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert told in done.output
    assert "CHANGED" not in done.output
    assert "OVER" not in done.output
