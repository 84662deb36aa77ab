"""Do intervals, rank ranges, pairs and comparisons keep their promises on real play? Tournaments resampled
from a bank (tests/realplay/), in cells that are fixed here before anything is looked at.

    python -m tests.bench.coverage DIR [--trials 150] [--cell TEXT]… [--processes 2] [--only comparisons]

DIR is where `python -m tests.realplay.bank DIR` has put its files. A cell is taken if its line, with single
spaces, holds TEXT: `--cell swiss`, `--cell "ole 8x3x60"`. Each line has, with standard errors behind ±,

* covered: of the 95 % intervals, how many hold the truth (tests/realplay/resampled.py); worst: the same of
  the program for which it is lowest. Copies of a program are pooled: two at 8 entrants, and with four of each
  name at 32 there are eight of careful and of greedy and four of every other. With so few tournaments the
  lowest of six is some .02 below the true one's.
* unknown: the share of entrants without an interval. ranks: of the ranges, how many hold a rank that the
  truth allows (of equals, each may be first or last). half: half an interval's width, in gain per deal.
* false pairs: the share of tournaments that call at least one pair significant, at p < .05 and by Holm's
  correction, whose truth is equal or the other way round; copies: only of pairs of the same program. The
  standard error of a share p of n is √(p (1 − p) / n): .018 at .05 of 150.
* centre: as covered, of the mean of all estimates instead of the truth; bias: of the program for which it is
  largest, the mean estimate less the truth. They differ from the others where pods are not drawn at random.

Then the false alarms of comparisons: the share of comparisons of a program with its copy, beside random and
greedy, that say at any time before 1000 deals that it is better. "Not better" is right for a copy.
"""

import functools
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from math import isnan, nan, sqrt
from multiprocessing.pool import Pool
from pathlib import Path
from statistics import fmean, stdev
from typing import Final, NamedTuple, TypeVar

import click
import numpy as np

from arena.system.processors import allowed
from tests.realplay.bank import Bank, load
from tests.realplay.product import Comparison, table
from tests.realplay.promises import Trial, judged
from tests.realplay.resampled import Design, play, tournament, truth
from tests.realplay.versions import VERSIONS

S, D, O, S93 = "sticheln", "david-and-goliath", "ole", "sticheln-1993"  # noqa: E741

CELLS: Final = (
    # What the product does where nobody says otherwise, of eight and of 32; and of eight with three rounds,
    # which were its default when the cells were fixed.
    *(Design(game, 8, 6, 4, "swiss") for game in (S, D, O, S93)),
    *(Design(game, 8, 3, 4, "swiss") for game in (S, D, O, S93)),
    *(Design(game, 32, 5, 4, "swiss") for game in (S, D, O, S93)),
    # More and fewer deals, the same in every game.
    *(Design(game, 8, 3, 60) for game in (S, D, O, S93)),
    *(Design(game, 8, 6, 16) for game in (S, D, O, S93)),
    *(Design(game, 8, 3, 1, "random", 0.05) for game in (S, D, O, S93)),
    # The rest, mostly of the game that is measured elsewhere too.
    Design(S, 8, 1, 4),
    Design(S, 8, 1, 60),
    Design(O, 8, 1, 60),
    Design(D, 32, 1, 16, "swiss"),
    Design(S, 8, 3, 4),
    Design(S, 8, 3, 16),
    Design(S, 8, 6, 60),
    Design(S, 32, 3, 16),
    Design(S, 32, 6, 4),
    Design(S, 8, 3, 60, "swiss"),
    Design(S, 8, 6, 16, "swiss"),
    Design(S, 32, 6, 16, "swiss"),
    Design(D, 32, 3, 16, "swiss"),
    Design(S93, 8, 6, 16, "swiss", 0.05),
    Design(S, 8, 3, 16, "swiss", 0.05),
    Design(S, 32, 3, 4, "random", 0.05),
    Design(O, 32, 3, 4, "random", 0.05),
    Design(D, 8, 6, 60, "random", 0.05),
    Design(S, 8, 6, 4, "random", 0.3),
    Design(O, 8, 6, 4, "swiss", 0.3),
    Design(S93, 32, 6, 1, "random", 0.3),
)


class Twins(NamedTuple):
    """Of a version with its copy."""

    game: str
    version: str
    deals: int


COMPARISONS: Final = tuple(
    Twins(game, version, deals)
    for game in (S, D, O, S93)
    for version in ("careful", "sensitive")
    for deals in (1, 4, 16, 60)
)

T = TypeVar("T")
C = TypeVar("C", Design, Twins)


@functools.cache
def bank(folder: Path, game: str) -> Bank:
    return load(folder, game)


@functools.cache
def true_gains(folder: Path, design: Design) -> list[float]:
    return truth(bank(folder, design.game), design)


def trial(folder: Path, design: Design, number: int) -> Trial:
    field = tournament(bank(folder, design.game), design, number)
    found, pairs = table(field, design.pods)
    return judged(found, pairs, design.programs(number), true_gains(folder, design))


def share(hits: Sequence[int], of: Sequence[int]) -> tuple[float, float]:
    """A share over all tournaments with its standard error, tournaments being what is independent."""
    h, n = np.array(hits, dtype=float), np.array(of, dtype=float)
    if not n.sum():
        return nan, nan
    found = h.sum() / n.sum()
    return float(found), sqrt(float(((h - found * n) ** 2).sum())) / float(n.sum())


WIDTHS: Final = (40, 11, 21, 7, 11, 11, 11, 6, 6, 16)
HEADS: Final = (
    "tournaments",
    "covered",
    "worst",
    "unknown",
    "ranks",
    "false p Holm",
    "copies p Holm",
    "half",
    "centre",
    "bias",
)


def row(*columns: str) -> str:
    return "  ".join(f"{column:<{width}}" for column, width in zip(columns, WIDTHS, strict=True)).rstrip()


def line(design: Design, trials: Sequence[Trial], true: Sequence[float]) -> str:
    covered = share([sum(one.held) for one in trials], [sum(one.known) for one in trials])
    by_version = {
        name: share([one.held[at] for one in trials], [one.known[at] for one in trials])
        for at, name in enumerate(VERSIONS)
    }
    worst = min(by_version, key=lambda name: (isnan(by_version[name][0]), by_version[name]))
    ranges = [one.ranges for one in trials]
    unknown = 1 - sum(sum(one.known) for one in trials) / sum(sum(one.entrants) for one in trials)
    false = [f"{fmean(one.pairs[at] for one in trials):.2f}" for at in range(4)]
    of = np.array([version for one in trials for version in one.of], dtype=int)
    gains = np.array([gain for one in trials for gain in one.gains])
    halves = np.array([half for one in trials for half in one.halves])
    middle = [gains[of == at].mean() if (of == at).any() else nan for at in range(len(VERSIONS))]
    bias = np.nan_to_num(np.array(middle) - true)
    most = int(abs(bias).argmax())
    return row(
        label(design),
        shown(*covered),
        f"{shown(*by_version[worst])} {worst}",
        f"{unknown:.2f}",
        shown(fmean(ranges), stdev(ranges) / sqrt(len(ranges))),
        " ".join(false[:2]),
        " ".join(false[2:]),
        f"{halves.mean():.2f}" if len(of) else "–",
        shown(float((abs(gains - np.array(middle)[of]) <= halves).mean())) if len(of) else "–",
        f"{bias[most]:+.2f} {list(VERSIONS)[most]}" if len(of) else "–",
    )


def shown(value: float, error: float | None = None) -> str:
    """As .934 ± .012; a dash for NaN."""
    if isnan(value):
        return "–"
    number = f"{value:.2f}" if round(value, 3) >= 1 else f"{value:.3f}"[1:]
    return number if error is None else f"{number} ± {error:.3f}".replace(" 0.", " .")


def label(cell: Design | Twins) -> str:
    if isinstance(cell, Twins):
        return f"{cell.game:<17} {cell.version:<9} {cell.deals:>2}"
    size = f"{cell.entrants}x{cell.rounds}x{cell.deals}"
    return f"{cell.game:<17} {size:<7} {cell.pods:<6} {cell.forfeits:>4.0%}"


def alarm(folder: Path, cell: Twins, number: int) -> bool:
    """Whether a program, beside random and greedy, is found to be better than its copy."""
    numbers = {name: at for at, name in enumerate(VERSIONS)}
    programs = {"one": numbers[cell.version], "other": numbers[cell.version]}
    programs |= {name: numbers[name] for name in ("random", "greedy")}
    chance = np.random.default_rng((number, 2))
    comparison = Comparison("one", "other", cell.deals)
    for pod_no in itertools.count(1):
        pod = play(bank(folder, cell.game), (0, pod_no), tuple(programs), programs, chance, cell.deals)
        if verdict := comparison.after(pod):
            return verdict == "better"
    raise AssertionError("it was never decided")


def each(what: Callable[[Path, C, int], T], folder: Path, cell: C, count: int, processes: int) -> list[T]:
    """Of every number, in order."""
    asked = [(folder, cell, number) for number in range(count)]
    if processes == 1:
        return list(itertools.starmap(what, asked))
    with Pool(processes) as pool:
        return pool.starmap(what, asked, chunksize=max(1, count // (20 * processes)))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--trials", "count", default=150, show_default=True, help="Tournaments and comparisons a cell.")
@click.option("--cell", "wanted", multiple=True, help="Only cells whose line holds this.")
@click.option("--only", type=click.Choice(["tournaments", "comparisons"]))
@click.option("--processes", default=len(allowed()), show_default=True)
def main(folder: Path, count: int, wanted: tuple[str, ...], only: str | None, processes: int) -> None:
    """Print the table, cell by cell, with what each took to standard error."""

    def chosen(cells: Sequence[C], kind: str) -> list[C]:
        if only not in (None, kind):
            return []
        labels = {cell: " ".join(label(cell).split()) for cell in cells}
        return [cell for cell, found in labels.items() if not wanted or any(text in found for text in wanted)]

    designs, twins = chosen(CELLS, "tournaments"), chosen(COMPARISONS, "comparisons")
    if not designs and not twins:
        raise click.BadParameter("no cell's line holds it", param_hint="--cell")
    if designs:
        click.echo(row(*HEADS))
    for design in designs:
        begun = time.monotonic()
        true = true_gains(folder, design)  # Before there are processes, which inherit it, and the bank.
        trials = each(trial, folder, design, count, processes)
        click.echo(line(design, trials, true))
        print(f"  {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    if twins:
        click.echo(
            f"\ncomparisons: false alarms among {count}, at most {0.05 + 2 * sqrt(0.0475 / count):.3f}"
        )
    for cell in twins:
        begun = time.monotonic()
        bank(folder, cell.game)
        alarms = each(alarm, folder, cell, count, processes)
        click.echo(f"{label(cell)}  {shown(*share(alarms, [1] * count))}")
        print(f"  {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
