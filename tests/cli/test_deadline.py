"""`--until` and `--minutes`: a tournament that has to end in time, in processes of its own."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.director.entries import MatchAnnulled, MatchPlayed, RoundPaired, TimeUp
from arena.director.journal import Journal
from arena.director.state import Record
from tests.cli.calls import ROOT, arena
from tests.support.programs import Program
from tests.support.waiting import until


def bots(folder: Path, *seconds: float) -> list[str]:
    paths = []
    for number, pause in enumerate(seconds):
        (path := folder / f"bot{number}.py").write_text(Program(asked=f"time.sleep({pause})").source())
        paths.append(str(path))
    return paths


def record_of(run: Path) -> Record:
    with Journal(run) as journal:
        return Record(journal.entries)


@pytest.mark.thorough
def test_as_many_rounds_are_played_as_fit(tmp_path: Path) -> None:
    run = tmp_path / "run"
    call = arena("tournament", *bots(tmp_path, 0, 0, 0, 0), "--deals", 1, "--minutes", 0.3, "--out", run)
    assert call.status == 0, call.err
    record = record_of(run)
    assert record.over
    assert len(record.drawn) > 1
    assert [entry for entry in record.times_up if entry.unfinished] == []
    assert f"the time was up after round {len(record.drawn)}" in call.out
    assert "round 1 · 0 of 4 matches" in call.err
    assert "of about" in call.err
    assert arena("verify", run).status == 0
    # A rehearsal tells a plan what to expect, in whatever time.
    plan = arena("tournament", *bots(tmp_path, 0, 0, 0, 0), "--plan", 1, "--like", run, "--json")
    size = plan.json["sizes"][0]  # type: ignore[index]
    assert 0 < size["expected_seconds"] < size["worst_seconds"]
    # It goes on afterwards, by number and by the clock.
    more = arena("resume", run, "--minutes", 0.1, "--rounds", "+1")
    assert more.status == 0, more.err
    assert len(record_of(run).drawn) - len(record.drawn) in (0, 1)
    assert arena("verify", run).status == 0


@pytest.mark.thorough
def test_a_round_that_does_not_end_in_time_and_a_director_that_is_killed_in_it(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["tournament", *bots(tmp_path, *[0.05] * 8), "--deals", "2", "--jobs", "1", "--seed", "7"]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "arena", *words, "--minutes", "0.4", "--out", str(run)],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def played() -> int:
        with Journal(run) as journal:
            return sum(isinstance(entry, MatchPlayed) for entry in journal.entries)

    until(lambda: (run / "tournament.db").exists())
    until(lambda: played() > 0 or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.wait()
    deadline = record_of(run).deadline
    assert deadline is not None
    # What it had decided holds for the next one, which is asked before it throws away what was played.
    until(lambda: time.time() > deadline.at)
    call = arena("resume", run)
    assert call.status == 2
    assert "set a new one" in call.err
    assert not record_of(run).over
    call = arena("resume", run, "--minutes", 0)
    assert call.status == 0, call.err
    assert "of round 1 did not end in time" in call.out
    with Journal(run) as journal:
        assert isinstance(journal.entries[-1], TimeUp)
        assert sum(isinstance(entry, RoundPaired) for entry in journal.entries) == 1
        digest = journal.digest
    verified = arena("verify", run, "--digest", digest)
    assert verified.status == 0, verified.out
    assert arena("standings", run).status == 0
    assert arena("resume", run).status == 0
    with Journal(run) as journal:
        assert journal.digest == digest


def test_the_end_now_leaves_an_annulled_match_unplayed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("--deals", 1, "--rounds", 1, "--seats", 3, "--no-duplicates", "--out", run)
    call = arena("tournament", *bots(tmp_path, 0, 0, 0), *words)
    assert call.status == 0, call.err
    call = arena("annul", run, "r01-p001-s01", "--reason", "the machine slept")
    assert call.status == 0, call.err
    call = arena("resume", run, "--minutes", 0)
    assert call.status == 0, call.err
    with Journal(run) as journal:
        assert isinstance(journal.entries[-1], TimeUp)
        annulled = [isinstance(entry, MatchAnnulled) for entry in journal.entries].index(True)
        assert not any(isinstance(entry, MatchPlayed) for entry in journal.entries[annulled:])
    assert record_of(run).over
    assert arena("verify", run).status == 0
