"""What one decision costs the referee: µs of its own CPU, rules and log included, for a C bot and a Python
bot, beside the raw ping-pong of the same run.

    python -m tests.bench.referee [--runs 5] [--deals 60]
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click
import trio

from arena.entrants import digest
from arena.games import GAMES
from arena.job import Entrant, Job
from arena.launch import Launch, launch_file
from arena.matchlog import Acted, parse
from arena.referee import play
from protocol.messages import Limits
from protocol.streams import pod_key

HERE = Path(__file__).parent
REQUEST_BYTES = 1000
"""A Sticheln request in the middle of a deal."""


def compiled(name: str, folder: Path) -> Path:
    compiler = shutil.which("cc") or sys.exit("no C compiler (cc) on the PATH")
    program = folder / name
    subprocess.run([compiler, "-O2", "-o", program, HERE / f"{name}.c"], check=True)
    return program


def floor(pingpong: Path) -> tuple[float, float]:
    """CPU of the asking side and wall clock, µs a round trip."""
    done = subprocess.run([pingpong, str(REQUEST_BYTES), "20000"], capture_output=True, text=True, check=True)
    cpu, wall = map(float, done.stdout.split())
    return cpu, wall


def decision(bot: Path, deals: int) -> tuple[float, float]:
    """CPU of the referee and wall clock, µs a decision, of one four-seat match of `bot` against itself."""
    launch = launch_file(bot)
    assert isinstance(launch, Launch), launch
    entrants = tuple(Entrant(f"{bot.name}-{seat}", launch, digest([bot])) for seat in range(4))
    job = Job("bench", "sticheln", {}, deals, pod_key("7", 0, 0), 1, entrants, Limits())
    cpu, wall = time.process_time(), time.perf_counter()
    finished = trio.run(play, job)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    assert not finished.forfeits
    count = sum(isinstance(entry, Acted) for entry in parse(finished.log.encode()))
    return cpu / count * 1e6, wall / count * 1e6


def shown(name: str, figures: Sequence[tuple[float, float]]) -> str:
    cpu, wall = zip(*figures, strict=True)
    spread = f"{min(cpu):.1f}–{max(cpu):.1f}"
    return f"{name:28} {statistics.median(cpu):8.1f} {spread:>14} {1e6 / statistics.median(wall):14,.0f}"


@click.command()
@click.option("--runs", default=5, show_default=True, help="Runs, of which the median is printed.")
@click.option("--deals", default=60, show_default=True, help="Deals of a match.")
def main(runs: int, deals: int) -> None:
    """Print what one decision costs the referee."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # as a worker: one core, and its bots on it
    with tempfile.TemporaryDirectory() as folder:
        pingpong, echo = compiled("pingpong", Path(folder)), compiled("echo", Path(folder))
        ways = {
            "raw C ping-pong": lambda: floor(pingpong),
            "referee, C bot": lambda: decision(echo, deals),
            "referee, Python json bot": lambda: decision(HERE / "echo.py", deals),
        }
        figures: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for _ in range(runs):  # interleaved, so that a noisy minute hits all alike
            for name, measure in ways.items():
                figures[name].append(measure())
    print(f"{GAMES['sticheln'].title}, four seats, one core; medians of {runs} runs")
    print(f"{'':28} {'CPU µs':>8} {'spread':>14} {'decisions/s':>14}")
    for name, measured in figures.items():
        print(shown(name, measured))


if __name__ == "__main__":
    main()
