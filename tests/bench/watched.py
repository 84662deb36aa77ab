"""What it costs a tournament to be watched: its pace with a report that Chromium follows, and without one.

    python -m tests.bench.watched [--pairs 4] [--rounds 16] [--deals 80]

Two tournaments play the same matches of fast bots at the same time, one match at a time, each with a core
of its own for all that it does; in the next pair they change cores. A machine that is slow for a while is so
for both. Chromium and the server of the files run on either core, as they do not belong to the tournament.

Prints for both the seconds from the first match to the last, and those of processor that the director itself
took until then; of the watched one what the page asked for; and how much longer it took: of each pair, and in
the mean with its standard error. Neither is waited for after its last match.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import click

from arena.system.processors import allowed
from tests.cli.calls import ROOT
from tests.support.chromium import chromium
from tests.support.served import served

LOOK_SECONDS: Final = 0.1


class Took(NamedTuple):
    """Seconds from the first match to the last one, and of processor of the director until the latter."""

    seconds: float
    director: float

    def __str__(self) -> str:
        return f"{self.seconds:6.1f} s, director {self.director:5.2f} s"


class Tournament:
    """A tournament in a process of its own, which keeps to one core with all that it starts."""

    def __init__(self, run: Path, words: list[str], core: int) -> None:
        self._run = run
        self._count = 0
        self._director = 0.0
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena", "tournament", *words, "--out", str(run)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=partial(os.sched_setaffinity, 0, {core}),
        )

    def look(self) -> int:
        """How many matches have ended."""
        if (count := len(self._logs())) > self._count:
            self._count, self._director = count, processor_seconds(self._process.pid)
        assert self._process.poll() in (None, 0), self._process.returncode
        return count

    def kill(self) -> None:
        """Ends it with all its bots."""
        self._process.kill()
        self._process.wait()

    def took(self) -> Took:
        ended = [log.stat().st_mtime for log in self._logs()]
        return Took(max(ended) - min(ended), self._director)

    def _logs(self) -> list[Path]:
        return list(self._run.glob("matches/*.jsonl"))


def processor_seconds(process: int) -> float:
    """Of a process, without those that it has started."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pair(folder: Path, words: list[str], cores: tuple[int, int], matches: int) -> float:
    """How much longer the watched one took, as a share; prints the figures."""
    run = folder / "watched"
    with chromium() as browser, served(run) as (address, asked):
        alone = Tournament(folder / "alone", words, cores[0])
        watched = Tournament(run, [*words, "--report"], cores[1])
        try:
            page = browser.new_page()
            # The page's own clock runs on while this one waits.
            while min(alone.look(), watched.look()) < matches:
                if page.url == "about:blank" and watched.look():
                    page.goto(address)
                time.sleep(LOOK_SECONDS)
        finally:
            alone.kill()
            watched.kill()
    longer = watched.took().seconds / alone.took().seconds - 1
    sent = sum(size for _, size in asked)
    print(f"alone    {alone.took()}")
    print(
        f"watched  {watched.took()}; {len(asked)} requests, {sent / 1000:.0f} kB; {longer:+.1%}", flush=True
    )
    return longer


@click.command()
@click.option("--pairs", default=4, show_default=True)
@click.option("--rounds", default=16, show_default=True, help="Of eight matches.")
@click.option("--deals", default=80, show_default=True)
def main(pairs: int, rounds: int, deals: int) -> None:
    """Print the figures."""
    one, other, *_ = allowed()
    longer = []
    for number in range(pairs):
        with tempfile.TemporaryDirectory() as temporary:
            words = [*entered(Path(temporary)), "--rounds", str(rounds), "--deals", str(deals)]
            words += ["--jobs", "1", "--seed", "7", "--quiet"]
            cores = (other, one) if number % 2 else (one, other)
            longer.append(pair(Path(temporary), words, cores, 8 * rounds))
    error = statistics.stdev(longer) / len(longer) ** 0.5 if pairs > 1 else float("nan")
    print(f"longer by {statistics.mean(longer):+.1%}, standard error {error:.1%}, of {8 * rounds} matches")


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
