"""Commands that run beside the test, and what is waited for."""

import time
from collections.abc import Callable
from pathlib import Path

from arena.director.entries import MatchPlayed
from arena.director.journal import Journal
from arena.log.retrace import read, verify

WAIT = 60.0


def until(so: Callable[[], bool], seconds: float = WAIT) -> None:
    deadline = time.monotonic() + seconds
    while not so():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def running(out: Path) -> None:
    """Wait until a match is finished."""
    until(lambda: any((out / "matches").glob("*.jsonl")))


def what_is_there_is_true(out: Path) -> int:
    with Journal(out) as journal:
        played = [entry for entry in journal.entries if isinstance(entry, MatchPlayed)]
        for entry in played:
            verify(read(journal.log_path(entry.match_id)))
        assert len(list((out / "matches").iterdir())) - len(played) in (0, 1)
    return len(played)
