"""A league whose daemon is killed again and again loses nothing but the pods in flight."""

import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from arena.commands.league import read
from arena.league.entries import DrawPlayed
from arena.league.office import Office
from tests.cli.calls import ROOT, arena
from tests.league.leagues import LAST, NEW, bot, copied, done
from tests.support.daemons import begun, more_than, played
from tests.support.waiting import until

KILLS: Final = 12


@pytest.mark.thorough
def test_killed_at_any_moment(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    moments = random.Random(7)
    results: list[DrawPlayed] = []
    for number in range(KILLS):
        daemon = begun(league)
        if number == KILLS // 2:
            done("add", league, bot(tmp_path / "late", "late", LAST), "--author", "red")
        if number % 2:
            until(partial(more_than, league, len(results)))
        time.sleep(moments.uniform(0, 3))
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()
        now = played(league)
        assert now[: len(results)] == results
        assert len(read(league).in_flight) <= 2
        results = now
    done("run", league, "--draws", 1, "--jobs", 2)
    found = done("verify", league, "--json").json
    assert isinstance(found, dict)
    assert found["wrong"] == []
    assert not [line for line in found["unchecked"] if "no result" in line]
    assert "red/late@1" in arena("league", "standings", league).out


def test_what_is_asked_while_it_is_played_is_done(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    daemon = begun(league)
    try:
        until((league / "control" / "socket").exists)
        said = done("pause", league, "red/mybot@1", "--reason", "to see it").out
        assert said == "red/mybot@1: paused, to see it\n"
        call = arena("league", "retire", league, "red/nobody@1", "--reason", "x")
        assert (call.status, call.err.partition(";")[0]) == (2, "arena: no version is called 'red/nobody@1'")
        again = arena("league", "run", league)
        assert again.status == 2
        assert "another arena is writing this league" in again.err
    finally:
        daemon.send_signal(signal.SIGINT)
        assert daemon.wait() == 130
    assert read(league).versions["red/mybot@1"].status == "paused"


@pytest.mark.thorough  # 2 s of processor.
def test_a_command_says_at_once_whom_it_waits_for(tmp_path: Path) -> None:
    league, said = tmp_path / "league", tmp_path / "said"
    done("new", league, *NEW)
    daemon = begun(league)
    words = [sys.executable, "-P", "-m", "arena", "league", "author", str(league), "red"]
    try:
        until((league / "control" / "socket").exists)
        done("author", league, "blue")  # The socket is there before anybody listens.
        daemon.send_signal(signal.SIGSTOP)
        with said.open("wb") as file:
            command = subprocess.Popen(words, cwd=ROOT, stderr=file, stdout=subprocess.DEVNULL)
        until(lambda: f"waiting for process {daemon.pid}, which runs it" in said.read_text())
        assert command.poll() is None
        daemon.send_signal(signal.SIGCONT)
        assert command.wait() == 0
    finally:
        daemon.kill()
        daemon.wait()
    assert "red" in read(league).authors


def test_a_command_waits_for_another_one(tmp_path: Path) -> None:
    league, said = tmp_path / "league", tmp_path / "said"
    done("new", league, *NEW)
    words = [sys.executable, "-P", "-m", "arena", "league", "author", str(league), "red"]
    with Office(league), said.open("wb") as file:
        command = subprocess.Popen(words, cwd=ROOT, stderr=file, stdout=subprocess.DEVNULL)
        until(lambda: "is writing the league; this one is waiting for it" in said.read_text())
        assert command.poll() is None
    assert command.wait() == 0
    assert "red" in read(league).authors


def test_it_begins_when_no_command_writes_any_more(league: Path, tmp_path: Path) -> None:
    league, said = copied(league, tmp_path), tmp_path / "said"
    with said.open("wb") as file:
        command = Office(league)
        daemon = begun(league, file)
    try:
        until(lambda: "waiting for another command" in said.read_text())
        command.journal.close()
        until((league / "control" / "socket").exists)
        daemon.send_signal(signal.SIGINT)
        assert daemon.wait() == 130
    finally:
        daemon.kill()
        daemon.wait()
