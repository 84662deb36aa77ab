"""The ladder of our bots: is each better than the one below, in every game? By `arena compare`, the better
one among three copies of the other.

    python -m tests.bench.ladder [--game ole] [--time 10ms+200ms] [--budget 1000]
"""

import json
import subprocess
import sys
from itertools import pairwise

import click

from arena.games import GAMES

RUNGS = ("bots/random.py", "bots/greedy.py", "bots/careful.py", "heuristic", "search")


@click.command()
@click.option("--game", "games", multiple=True, type=click.Choice(list(GAMES)), default=list(GAMES))
@click.option("--time", default="10ms+200ms", show_default=True)
@click.option("--budget", default=1000, show_default=True, help="The most deals.")
@click.option("--seed", default="ladder", show_default=True)
def main(games: tuple[str, ...], time: str, budget: int, seed: str) -> None:
    """Print the ladder, rung by rung."""
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
