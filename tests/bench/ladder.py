"""What is it worth to think longer? `search` at 1, 10, 100 and 1,000 ms a decision and `heuristic` at one
table of five, in every game: what each gains per deal above the table's mean, with its 95 % interval.

    python -m tests.bench.ladder [--game ole] [--minutes 60]
    python -m tests.bench.ladder --rungs

`--rungs` asks another question: is each of our bots better than the one below?
"""

import json
import subprocess
import sys
import tempfile
import time as clock
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import click

import arena
from arena.games import GAMES
from arena.system.processors import allowed

RUNGS: Final = ("bots/random.py", "bots/greedy.py", "bots/careful.py", "heuristic", "search")
THINKING_MS: Final = (1, 10, 100, 1000)
HURRIED: Final = Path(__file__).with_name("hurried.py")
SEATS: Final = 5


@click.command()
@click.option("--game", "games", multiple=True, type=click.Choice(list(GAMES)), default=list(GAMES))
@click.option("--minutes", default=60.0, show_default=True, help="For each game, with all cores.")
@click.option("--seed", default="ladder", show_default=True)
@click.option("--rungs", is_flag=True, help="Compare our bots, each with the one below.")
@click.option("--time", default="10ms+200ms", show_default=True, help="Of --rungs.")
@click.option("--budget", default=1000, show_default=True, help="Of --rungs: the most deals.")
def main(games: tuple[str, ...], minutes: float, seed: str, rungs: bool, time: str, budget: int) -> None:
    """Print the ladder."""
    if rungs:
        print_rungs(games, time, budget, seed)
        return
    print(
        f"gain per deal above the table's mean, with its 95 % interval; {SEATS} seats, {len(allowed())} cores"
    )
    print(
        f"{'game':<18} {'bot':<16} {'gain':>7} {'from':>7} {'to':>7} {'pods':>5} {'matches':>8} {'faults':>7}"
    )
    for game in games:
        print_curve(game, minutes, seed)


def print_curve(game: str, minutes: float, seed: str) -> None:
    """One game: all bots at one table, as many rounds of one deal as fit into the time."""
    bots = [f"search-{ms}ms={sys.executable} -P {HURRIED} {ms}" for ms in THINKING_MS]
    with tempfile.TemporaryDirectory() as folder:

        def played(rounds: int, name: str) -> arena.Run:
            return arena.tournament(
                [*bots, "heuristic"],
                game=game,
                rounds=rounds,
                seats=SEATS,
                deals=1,
                time="2s+10s",
                faults=1000,
                sandbox="none",
                seed=f"{seed}-{name}",
                out=Path(folder) / name,
                on_progress=False,
            )

        begun = clock.monotonic()
        played(1, "pilot")
        rounds = max(3, min(1000, int(minutes * 60 / (clock.monotonic() - begun))))
        run = played(rounds, "curve")
        faults = [row.bot for row in run.faults]
        matches = len(run.matches) // SEATS
        for row in sorted(run.standings, key=lambda row: row.name != "heuristic" and len(row.name)):
            interval = "      –       –" if row.low is None else f"{row.low:>+7.2f} {row.high:>+7.2f}"
            print(
                f"{game:<18} {row.name:<16} {row.gain:>+7.2f} {interval} {rounds:>5} {matches:>8}"
                f" {faults.count(row.name):>7}",
                flush=True,
            )


def print_rungs(games: Sequence[str], time: str, budget: int, seed: str) -> None:
    """Is each bot better than the one below? By `arena compare`, the better one among three copies of the
    other."""
    print(f"by gain per deal, with its 95 % interval; {time} a decision")
    print(f"{'game':<18} {'better':<10} {'than':<8} {'by':>7} {'from':>7} {'to':>7} {'pods':>6}  verdict")
    for game in games:
        for lower, upper in pairwise(RUNGS):
            command = [sys.executable, "-m", "arena", "compare", upper, lower, "--against", lower]
            command += ["--against", lower, "--game", game, "--time", time, "--budget", str(budget)]
            command += ["--seed", seed, "--jobs", "1", "--json"]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            found = json.loads(done.stdout)
            print(
                f"{game:<18} {found['one']:<10} {found['other']:<8} {found['difference']:>+7.2f}"
                f" {found['low']:>+7.2f} {found['high']:>+7.2f} {found['units']:>6}  {found['verdict']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
