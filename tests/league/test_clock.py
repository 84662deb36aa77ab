"""A league whose machine has a wrong clock: set forward or back, while it is played and in between, or asleep
for days. Nothing that is asked is refused for it, and no seed is used before it was committed or after it was
revealed.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

import pytest

import arena.league.office
from arena.commands.league import verify
from arena.league.days import SECONDS_A_DAY
from arena.league.entries import Paused, Restored
from arena.league.office import Office
from tests.bench.league_oracle import Oracle
from tests.cli.calls import ROOT, Call
from tests.cli.calls import arena as call_arena
from tests.league.leagues import LAST, bot, copied
from tests.league.quick import play
from tests.support.daemons import PATIENCE_SECONDS, begun, has_version, more_than, nothing_is_wrong, played
from tests.support.waiting import until

SHIM: Final = """\
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *found) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, found);
    int file = clock == CLOCK_REALTIME ? open(getenv("CLOCK_OFFSET"), O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        char text[32] = "";
        if (read(file, text, sizeof text - 1) > 0) found->tv_sec += atol(text);
        close(file);
    }
    return result;
}
"""
"""A library that sets the clock of the day forward or back by what stands in a file, and leaves the one alone
by which programs wait. (With libfaketime 0.9.10 Python's time.sleep fails with EINVAL.)"""
WHILE_PLAYED: Final = (0, 3, -2, 50, 1, -96, 216, 0)
BETWEEN: Final = (-48, 30, -1, 0, 240, 48, 0)
"""Hours by which the clock is ahead of the true time, one after the other."""

LEAPING: Final = """\
import itertools, sys, time
import arena.league.office as office
readings = itertools.count()
def clock():
    days = min(next(readings), 90) // 3 * 2
    return int(time.time()) + days * 86400
office.clock = clock
import arena.cli
arena.cli.main()
"""
"""The command, whose clock leaps two days at every third reading: as of a machine that falls asleep at any
moment."""


class Clock:
    """The clock of processes that get `env`, which can be set while they run."""

    def __init__(self, folder: Path) -> None:
        self._file, library = folder / "offset", folder / "clock.so"
        (folder / "clock.c").write_text(SHIM)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "clock.c", "-ldl"], check=True)
        self.env: Mapping[str, str] = {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(self._file)}
        self.set(0)

    def set(self, hours: int) -> None:
        """Ahead of the true time."""
        unfinished = self._file.with_suffix(".new")
        unfinished.write_text(f"{hours * 3600}\n")
        unfinished.rename(self._file)

    def call(self, *words: object) -> Call:
        """A call of `arena league` that succeeds."""
        call = call_arena("league", *words, env=self.env, fresh=True)
        assert call.status == 0, call.err + call.out
        return call


@pytest.mark.thorough  # 15 s of processor.
@pytest.mark.needs("perl")
def test_no_day_begins_again(league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are called, and draws are played, in days that are out of order."""
    league, now = copied(league, tmp_path), int(time.time())
    for asked, drawn in ((3, 0), (-2, 5), (9, 2)):
        monkeypatch.setattr(arena.league.office, "clock", lambda day=asked: now + day * SECONDS_A_DAY)
        with Office(league) as office:
            assert office.asked(Paused("red/mybot@1", "to see it"))
            assert office.asked(Restored("red/mybot@1", "seen"))
        monkeypatch.setattr(arena.league.office, "clock", lambda day=drawn: now + day * SECONDS_A_DAY)
        play(league, 2)
    oracle = Oracle(league, 2, "^$", "^$")
    assert list(oracle.complaints()) == []
    assert len(oracle.played()) == 4 + 2 * 3
    assert verify(league).wrong == ()


@pytest.mark.needs("cc")
@pytest.mark.exhaustive  # Some minutes of play.
def test_a_clock_that_is_set_while_it_is_played(league: Path, tmp_path: Path) -> None:
    league, clock = copied(league, tmp_path), Clock(tmp_path)
    said = tmp_path / "said"
    with said.open("wb") as file:
        daemon = begun(league, file, **clock.env)
    try:
        for number, hours in enumerate(WHILE_PLAYED):
            clock.set(hours)
            until(partial(more_than, league, len(played(league)) + 1), PATIENCE_SECONDS)
            sent = bot(tmp_path / "sent", f"b{number}", LAST)
            sent.write_text(f"{sent.read_text()}# {number}\n")
            assert f"b{number}@1: current" in clock.call("add", league, sent, "--author", "red").out
            dropped = bot(league / "inbox" / "blue", f"d{number}", LAST)
            until(lambda path=dropped: not path.exists(), PATIENCE_SECONDS)  # type: ignore[misc]
            until(partial(has_version, league, f"blue/d{number}@1"), PATIENCE_SECONDS)
        daemon.send_signal(signal.SIGINT)
        assert daemon.wait(PATIENCE_SECONDS) == 130, said.read_text()
    finally:
        daemon.kill()
        daemon.wait()
    nothing_is_wrong(league)


@pytest.mark.needs("cc")
@pytest.mark.exhaustive  # A minute of processor.
def test_a_clock_that_is_set_between_two_runs(league: Path, tmp_path: Path) -> None:
    league, clock = copied(league, tmp_path), Clock(tmp_path)
    for number, hours in enumerate(BETWEEN):
        clock.set(hours)
        # A command alone reveals what is due by the clock.
        clock.call("pause", league, "red/mybot@1", "--reason", f"pause {number}")
        clock.set(0)
        clock.call("restore", league, "red/mybot@1", "--reason", f"restored {number}")
        clock.set(hours)
        said = clock.call("run", league, "--draws", 2, "--jobs", 2).err
        assert ("ahead of this machine's clock" in said) == (hours not in (30, 240)), hours
    assert len(played(league)) == 4 + 2 * len(BETWEEN)
    nothing_is_wrong(league)


@pytest.mark.thorough
def test_a_machine_that_sleeps_at_any_moment(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    for _ in range(3):
        words = [sys.executable, "-c", LEAPING, "league", "run", str(league), "--draws", "3", "--jobs", "2"]
        run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
    nothing_is_wrong(league)
