"""The league's daemon as a process of its own, and what its journal says."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from arena.commands.league import read
from arena.league.entries import DrawPlayed
from arena.league.journal import LeagueJournal
from tests.bench.league_oracle import Oracle
from tests.cli.calls import ROOT
from tests.league.leagues import done

PATIENCE_SECONDS: Final = 300.0


def nothing_is_wrong(league: Path) -> None:
    """By the journal itself, and by `verify`."""
    assert list(Oracle(league, 2, "^$", "^$").complaints()) == []
    found = done("verify", league, "--json").json
    assert isinstance(found, dict)
    assert found["wrong"] == []


def has_version(league: Path, version: str) -> bool:
    return version in read(league).versions


def begun(league: Path, said: int | IO[bytes] = subprocess.DEVNULL, **env: str) -> "subprocess.Popen[bytes]":
    """A daemon that is not waited for."""
    words = [sys.executable, "-P", "-m", "arena", "league", "run", str(league), "--jobs", "2"]
    return subprocess.Popen(words, cwd=ROOT, env=os.environ | env, stdout=said, stderr=said)


def says(said: Path, words: str) -> Callable[[], bool]:
    """Whether a daemon has said these words, into the file `said`."""
    return lambda: words in said.read_text()


def more_than(league: Path, results: int) -> bool:
    return len(played(league)) > results


def played(league: Path) -> list[DrawPlayed]:
    with LeagueJournal(league) as journal:
        return [entry for entry in journal.entries if isinstance(entry, DrawPlayed)]
