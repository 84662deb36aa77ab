"""What it costs a tournament to be watched: its pace with a report that Chromium follows, and without one.

    python -m tests.bench.watched [--pairs 2] [--rounds 16] [--deals 80] [--jobs 1]

Both play the same matches of fast bots, one after the other in turns. Prints for each the seconds from its
first match to its last, and those of processor that the director itself took until then; of the watched ones
what the page asked for; and how much longer they took: of each pair, and in the middle.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import click

from arena.running.journal import Created, Journal, MatchPlayed
from tests.chromium import chromium
from tests.cli.calls import ROOT
from tests.report.test_live import served

LOOK_SECONDS: Final = 0.5


class Took(NamedTuple):
    """Seconds from the first match to the last one, and of processor of the director until the latter."""

    matches: int
    seconds: float
    director: float

    def __str__(self) -> str:
        return f"{self.matches} matches, {self.seconds:.1f} s, director {self.director:.2f} s"


def played(run: Path, words: list[str], begun: Callable[[], object] = lambda: None) -> Took:
    """Plays a tournament in a process of its own; `begun` is called once it has begun."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "arena", "tournament", *words, "--out", str(run)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    count, first, last, director = 0, 0.0, 0.0, 0.0
    told = False
    while process.poll() is None:
        time.sleep(LOOK_SECONDS)
        if (found := matches(run)) > count:
            count, last, director = found, time.monotonic(), processor_seconds(process.pid)
            first = first or last
        if count and not told:
            begun()
            told = True
    assert process.returncode == 0
    return Took(count, last - first, director)


def matches(run: Path) -> int:
    """How many of a run have ended."""
    if not (run / "tournament.db").exists():
        return 0
    with Journal(run) as journal:
        assert isinstance(journal.entries[0], Created)
        return sum(isinstance(entry, MatchPlayed) for entry in journal.entries)


def processor_seconds(process: int) -> float:
    """Of a process, without those that it has started."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@click.command()
@click.option("--pairs", default=2, show_default=True)
@click.option("--rounds", default=16, show_default=True)
@click.option("--deals", default=80, show_default=True)
@click.option("--jobs", default=1, show_default=True, help="Matches at a time.")
def main(pairs: int, rounds: int, deals: int, jobs: int) -> None:
    """Print the figures."""
    longer = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        words = [*entered(folder), "--rounds", str(rounds), "--deals", str(deals), "--jobs", str(jobs)]
        words += ["--seed", "7", "--quiet"]
        for pair in range(1, pairs + 1):
            alone = played(folder / f"alone-{pair}", words)
            print(
                f"alone    {alone.matches} matches, {alone.seconds:6.1f} s, director {alone.director:5.2f} s"
            )
            run = folder / f"watched-{pair}"
            with chromium() as browser, served(run) as (address, asked):
                page = browser.new_page()
                watched = played(run, [*words, "--report"], partial(page.goto, address))
            sent = sum(size for _, size in asked)
            longer.append(watched.seconds / alone.seconds - 1)
            print(
                f"watched  {watched}; {len(asked)} requests, {sent / 1000:.0f} kB; {longer[-1]:+.1%}",
                flush=True,
            )
    print(f"longer by {statistics.median(longer):+.1%}, the middle of {len(longer)}")


def entered(folder: Path) -> list[str]:
    """Eight programs: copies of the sample bots."""
    made = []
    for number in range(8):
        source = ROOT / "bots" / f"{('greedy', 'careful')[number % 2]}.py"
        path = folder / f"bot{number}.py"
        path.write_text(f"{source.read_text()}\n# {number}\n")
        made.append(str(path))
    return made


if __name__ == "__main__":
    main()
