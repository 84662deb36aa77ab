"""`python -m tests.bench.interrupted [--moments N] [--seed N] [--only COMMAND] [--python PATH]`: presses
Ctrl-C on a terminal at moments chosen by chance, from the first line of a command to its end, in commands
that start many processes; at every third moment twice. Prints what is wrong afterwards, and exits with 1 if
anything is.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from arena.director.entries import MatchPlayed
from arena.director.journal import Journal
from arena.log.retrace import read, verify
from tests.cli.ctrl_c import INTERRUPTED, Left, adopting, bots, fresh, pressed

SHORT: Final = ("--deals", 1, "--seed", 7)


class Case(NamedTuple):
    """A command in a folder, which `prepare` makes, and what is wrong in it afterwards."""

    words: tuple[object, ...]
    wrong: Callable[[Path], list[str]] = lambda folder: []


def cases(programs: list[str]) -> dict[str, Case]:
    three = ("--seats", 3, *SHORT)
    return {
        "tournament": Case(
            ("tournament", *programs, *three, "--rounds", 2, "--out", "run", "--report"), half_a_run
        ),
        "compare": Case(
            ("compare", *programs[:2], "--against", programs[2], "--seats", 3, "--budget", 12, *SHORT)
        ),
        "check": Case(("check", programs[0], "--game", "sticheln")),
        "check three": Case(("check", *programs, "--game", "sticheln", "--html", "pages")),
        "league run": Case(("league", "run", "league", "--draws", 3), half_a_league),
        "match": Case(("match", *programs, *SHORT, "--log", "match.jsonl"), half_a_log),
    }


def half_a_run(folder: Path) -> list[str]:
    out = folder / "run"
    if not out.exists():
        return []
    if not (out / "tournament.db").exists():
        return [f"a run without a journal: {[path.name for path in out.iterdir()]}"]
    with Journal(out) as journal:
        for entry in journal.entries:
            if isinstance(entry, MatchPlayed):
                verify(read(journal.log_path(entry.match_id)))
    return []


def half_a_log(folder: Path) -> list[str]:
    log = folder / "match.jsonl"
    if log.exists():
        verify(read(log))
    return []


def half_a_league(folder: Path) -> list[str]:
    left = {path.name for path in (folder / "league").rglob("played-*")}
    return [f"left: {name}" for name in left]


def league(folder: Path, programs: list[str], python: str) -> Path:
    """A league with a board and two versions that wait to be taken in."""
    folder.mkdir()

    def call(*words: str) -> None:
        subprocess.run(
            [python, "-P", "-m", "arena", "league", *words], cwd=folder, check=True, capture_output=True
        )

    call("new", "league", "--board", "sticheln:3", "--deals", "1")
    for name, program in zip(("red", "blue"), programs, strict=False):
        call("author", "league", name)
        call("add", "league", program, "--author", name)
    return folder


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--moments", type=int, default=60, help="of all commands together")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", action="append")
    options.add_argument("--python", default=sys.executable)
    asked = options.parse_args()
    chance = random.Random(asked.seed)
    wrong: Counter[str] = Counter()
    with adopting(), tempfile.TemporaryDirectory(prefix="interrupted-") as name:
        place = Path(name)
        programs = bots(place / "bots")
        chosen = {one: case for one, case in cases(programs).items() if not asked.only or one in asked.only}
        prepared = league(place / "prepared", programs, asked.python) if "league run" in chosen else None
        for one, case in chosen.items():
            of = prepared if one == "league run" else None
            begun = time.monotonic()
            whole = pressed(case.words, fresh(place / "work", of), [], asked.python)
            span = time.monotonic() - begun
            print(f"{one}: {span:.1f} s, exit status {whole.status}", flush=True)
            ended: Counter[int] = Counter()
            for number in range(asked.moments // len(chosen)):
                twice = number % 3 == 2
                # Most of what is sharp comes early.
                seconds = [span * chance.random() ** 2, 0.5 * chance.random()][: 1 + twice]
                moments = [("", one) for one in seconds]
                folder = fresh(place / "work", of)
                left = pressed(case.words, folder, moments, asked.python)
                ended[left.status] += 1
                if found := what_is_wrong(left, whole, case, folder):
                    wrong[one] += 1
                    at = " + ".join(f"{one:.3f}" for one in seconds)
                    print(f"{one} at {at} s: {'; '.join(found)}\n{left.shown}", flush=True)
            print(f"    by exit status: {dict(ended)}; wrong: {wrong[one]}", flush=True)
    sys.exit(bool(wrong))


def what_is_wrong(left: Left, whole: Left, case: Case, folder: Path) -> list[str]:
    found = [*left.wrong, *case.wrong(folder)]
    if left.status not in (INTERRUPTED, whole.status):
        found.append(f"exit status {left.status}")
    if left.status == INTERRUPTED and "interrupted" not in left.shown:
        found.append("it does not say that it was interrupted")
    return found


if __name__ == "__main__":
    main()
