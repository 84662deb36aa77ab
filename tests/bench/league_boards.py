"""Is anything wrong ever said on a league's board, and when does it sleep? Simulated boards whose bots are
all equal, looked at after every pod: how many ever say that one is ahead of another, and after how many pods
nothing is open.

    python -m tests.bench.league_boards [--boards 1000] [--versions 20] [--interaction 0] [--interaction 0.5]
        [--longer 2000] [--processes 2]

With `--interaction 0.5` each bot gains half a gain more with half of all sets of companions and as much less
with the others. `--longer`: so many comparisons of random pairs are played on every board after it slept, to
see what is said then. α is .05: at most that share of boards, and two standard errors, may say anything.
With `--close` exactly the board's pairs are expected and divide half of α, so that none of it is left for
more pairs and a mistake in it can hardly hide.
"""

import time
from functools import partial
from math import sqrt
from multiprocessing.pool import Pool
from typing import NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from arena.system.processors import allowed
from tests.tournaments.boards import Boards, World
from tournaments.eprocess import EXPECTED_PAIRS

TOGETHER = 50
"""Boards that are simulated at once: what they need stays in the processor's cache."""

MOST = 20_000


class Found(NamedTuple):
    """By board: the pods until asleep, 0 if never; whether anything was said by then, and after longer."""

    pods: NDArray[np.int64]
    said: NDArray[np.bool_]
    later: NDArray[np.bool_]


def some(world: World, longer: int, seed: int) -> Found:
    boards = Boards(world, TOGETHER, seed)
    pods = boards.run(MOST)
    said = boards.said.any(axis=(1, 2))
    rng = np.random.default_rng(seed + 1_000_000)
    every = np.arange(TOGETHER)
    pairs = np.stack(np.triu_indices(boards.size, 1))
    for _ in range(longer):
        first, second = pairs[:, rng.integers(pairs.shape[1], size=TOGETHER)]
        boards.play(every, first, second)
    return Found(pods, said, boards.said.any(axis=(1, 2)))


@click.command()
@click.option("--boards", "count", default=1000, show_default=True)
@click.option("--versions", default=20, show_default=True)
@click.option("--interaction", "interactions", multiple=True, default=(0.0, 0.5), show_default=True)
@click.option("--margin", default=1.0, show_default=True)
@click.option("--longer", default=2000, show_default=True)
@click.option("--close", is_flag=True, help="Expect exactly these pairs.")
@click.option("--processes", default=len(allowed()), show_default=True)
def main(
    count: int,
    versions: int,
    interactions: tuple[float, ...],
    margin: float,
    longer: int,
    close: bool,
    processes: int,
) -> None:
    """Print a line for each interaction."""
    expected = versions * (versions - 1) // 2 if close else EXPECTED_PAIRS
    click.echo("interaction  pods until asleep: median, 90 %, most   said by then  and later   at most")
    seeds = range(-(-count // TOGETHER))
    for interaction in interactions:
        begun = time.monotonic()
        world = World((0.0,) * versions, interaction, margin=margin, expected=expected)
        with Pool(processes) as pool:
            found = pool.map(partial(some, world, longer), seeds, chunksize=1)
        pods, said, later = (np.concatenate(each)[:count] for each in zip(*found, strict=True))
        bound = world.alpha + 2 * sqrt(world.alpha * (1 - world.alpha) / count)
        awake = f" ({np.sum(pods == 0)} still awake)" if (pods == 0).any() else ""
        click.echo(
            f"{interaction:>11}  {np.median(pods):>23.0f} {np.quantile(pods, 0.9):>5.0f} {pods.max():>5}"
            f"   {said.mean():>12.3f}  {later.mean():>9.3f}   {bound:>7.3f}{awake}"
        )
        click.echo(f"  {time.monotonic() - begun:.0f} s", err=True)


if __name__ == "__main__":
    main()
