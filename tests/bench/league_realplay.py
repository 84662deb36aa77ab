"""Does a league keep its promises on real play? Whole boards resampled from a bank (tests/realplay/): six
anchors, six authors from the beginning, nine more versions once the board sleeps.

    python -m tests.realplay.bank DIR --game sticheln --deals 64 --again
    python -m tests.bench.league_realplay DIR [--game sticheln]… [--world panels]… [--boards 100]
        [--seconds 600] [--processes 2]

For every world (tests/realplay/league_trial.py) and game whose file is in DIR it prints, with standard errors
behind ± that take the board as the unit,

* placed: of the newcomers' intervals at the end of their placements, how many hold the truth, which is
  reckoned from all compositions and orders of the bank (tests/realplay/league_truth.py); then of those who
  came in the beginning, of those who came to a board that slept, and of the anchors that were placed. asleep:
  of all intervals when the board sleeps at last; the interval is meant for one look. Each with the mean half
  width, the mean error of the estimate, and the program for which the fewest hold.
* said: the statements of a board when it sleeps at last. wrong: the mean share of these that have the
  strengths, or the comparisons, of all compositions against them, copies of a program included; at most .05.
  A statement is right if it holds against one panel since both versions have played. Then the mean of the
  greatest share that was wrong after any draw, and of how many boards that was more than 0.
* pods: until the board sleeps for the first time, and in all; median and most.
* placements: how many pods of them, and after how many of these anybody else's number was another one in any
  bit.
"""

import time
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import product
from math import nan, sqrt
from multiprocessing import TimeoutError
from multiprocessing.pool import Pool
from operator import attrgetter
from pathlib import Path
from statistics import fmean

import click
import numpy as np

from arena.games import GAMES
from arena.system.processors import allowed
from tests.realplay.bank import Bank, file_of, load
from tests.realplay.league_trial import EQUAL, WORLDS, Held, Trial, trial
from tests.realplay.versions import VERSIONS


@cache
def bank(folder: Path, game: str) -> Bank:
    return load(folder, game)


def board(folder: Path, game: str, world: str, number: int) -> Trial:
    return trial(bank(folder, game), number, world)


def trials(
    folder: Path, game: str, count: int, seconds: float, processes: int, world: str = WORLDS[0]
) -> list[Trial]:
    """Of so many boards, or of those that are over by then, the first of which is waited for."""
    end, found = time.monotonic() + seconds, []
    with Pool(processes) as pool:
        asked = (pool.apply_async(board, (folder, game, world, number)) for number in range(count))
        first, *others = list(asked)
        found.append(first.get())
        for result in others:
            try:
                found.append(result.get(max(0.0, end - time.monotonic())))
            except TimeoutError:
                break
    return found


def share(boards: Sequence[Sequence[bool]]) -> tuple[float, float]:
    """Of all, with a standard error by boards."""
    hits, of = (np.array([float(what(board)) for board in boards]) for what in (sum, len))
    if not of.sum():
        return nan, nan
    found = float(hits.sum() / of.sum())
    return found, sqrt(float(((hits - found * of) ** 2).sum())) / float(of.sum())


def intervals(what: str, boards: Sequence[Sequence[Held]]) -> str:
    """A line about them."""
    every = [held for board in boards for held in board]
    if not every:
        return f"  {what:<24} –"
    half, off = fmean(held.half for held in every), fmean(held.off for held in every)
    found, error = share([[held.right for held in board] for board in boards])
    worst, program = min(
        (share([[held.right for held in board if held.program == at] for board in boards])[0], name)
        for at, name in enumerate(VERSIONS)
        if any(held.program == at for held in every)
    )
    return (
        f"  {what:<24} {found:.3f} ± {error:.3f} of {len(every):>5}, half {half:.2f}, error {off:+.2f}, "
        f"worst {worst:.3f} {program}"
    )


def statements(trials: Sequence[Trial]) -> list[str]:
    """Lines about what was said."""
    strength, compared = (
        fmean(fmean([by(said) <= EQUAL for said in each.said] or [False]) for each in trials)
        for by in (attrgetter("strength"), attrgetter("compared"))
    )
    looks = [each.worst for each in trials]
    wrong = Counter(
        f"{said.one} of {said.other}" for each in trials for said in each.said if said.strength <= EQUAL
    )
    return [
        f"  said on {len(trials)} boards: {fmean(len(each.said) for each in trials):.1f}, wrong by strengths "
        f"{strength:.4f}, by comparisons {compared:.4f}; at the worst look {fmean(looks):.4f}, ever on "
        f"{sum(look > 0 for look in looks)}",
        *(f"    {what}: {count} times" for what, count in wrong.most_common(5)),
    ]


def report(trials: Sequence[Trial]) -> list[str]:
    """The lines about a game."""
    slept = np.array([each.pods for each in trials if each.pods])
    lines = [
        intervals(
            f"placed, {what}", [[held for held in each.placed if held.kind in kinds] for each in trials]
        )
        for what, kinds in (
            ("newcomers", ("first", "later")),
            ("from the beginning", ("first",)),
            ("while it slept", ("later",)),
            ("anchors", ("anchor",)),
        )
    ]
    lines += [
        intervals(
            f"asleep, {kind}s", [[held for held in each.asleep if held.kind == kind] for each in trials]
        )
        for kind in ("anchor", "author")
    ]
    lines += statements(trials)
    if len(slept):
        median, most = np.median(slept, axis=0), slept.max(axis=0)
        lines.append(
            f"  pods until asleep: {median[0]:.0f} (most {most[0]}), in all {median[1]:.0f} ({most[1]})"
        )
    if len(slept) < len(trials):
        lines.append(f"  {len(trials) - len(slept)} never slept")
    placements, changes = map(sum, zip(*(each.placements for each in trials), strict=True))
    lines.append(f"  pods of placements: {placements}, after which others' numbers changed: {changes}")
    return lines


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--game", "games", multiple=True, type=click.Choice(list(GAMES)))
@click.option("--world", "worlds", multiple=True, type=click.Choice(WORLDS))
@click.option("--boards", "count", default=100, show_default=True)
@click.option("--seconds", default=600.0, show_default=True, help="For a game in a world, at most.")
@click.option("--processes", default=len(allowed()), show_default=True)
def main(
    folder: Path,
    games: tuple[str, ...],
    worlds: tuple[str, ...],
    count: int,
    seconds: float,
    processes: int,
) -> None:
    """Print some lines for each game and world."""
    games = games or tuple(each for each in GAMES if file_of(folder, each).exists())
    for game, world in product(games, worlds or WORLDS):
        bank(folder, game)  # Before there are processes, which inherit it.
        begun = time.monotonic()
        found = trials(folder, game, count, seconds, processes, world)
        click.echo("\n".join([f"{game}, {world}: {len(found)} boards", *report(found)]))
        click.echo(f"  {time.monotonic() - begun:.0f} s", err=True)


if __name__ == "__main__":
    main()
