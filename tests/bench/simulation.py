"""Does the table keep its promises? A thousand simulated tournaments of each design: how often the 95 %
intervals and the rank ranges hold the truth, how well the order is found, and how often a comparison of two
equal bots, looked at after every pod, finds one of them better.

    python -m tests.bench.simulation [--tournaments 1000] [--size 8x3x4]… [--pods swiss]…
        [--deviation 300]… [--forfeits 0.05]… [--sensitive 300]… [--comparisons 1000]

A size is ENTRANTSxROUNDSxDEALS; 7 entrants play with a house bot. Strengths deviate by so much from each
other, beside luck and noise of 600 each a deal: 0 are equal bots, 300 a field that is easily told apart.
With `--sensitive 300` the order round the table adds so much, drawn anew for every pod, to what one entrant
gains; how often its interval holds stands in a column of its own, beside the mean over all.
"""

import itertools
import re
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from math import isnan, sqrt
from typing import TypeVar

import click

from tests.tournaments.simulated import Design, play, trials
from tournaments.compare import Question, answer, differences

T = TypeVar("T")

SIZE = re.compile(r"(\d+)x(\d+)x(\d+)")


@click.command()
@click.option("--tournaments", "count", default=1000, show_default=True)
@click.option("--size", "sizes", multiple=True, default=("8x3x4", "32x5x4"), show_default=True)
@click.option("--pods", multiple=True, type=click.Choice(["random", "swiss"]), default=("random", "swiss"))
@click.option("--deviation", "deviations", multiple=True, type=float, default=(300.0,), show_default=True)
@click.option("--forfeits", "shares", multiple=True, type=float, default=(0.0, 0.05), show_default=True)
@click.option("--sensitive", multiple=True, type=float, default=(0.0,), show_default=True)
@click.option("--comparisons", default=1000, show_default=True, help="Of equal bots.")
def main(
    count: int,
    sizes: tuple[str, ...],
    pods: tuple[str, ...],
    deviations: tuple[float, ...],
    shares: tuple[float, ...],
    sensitive: tuple[float, ...],
    comparisons: int,
) -> None:
    columns = (
        "size      pods    strengths forfeits sensitive  intervals hold     "
        "the sensitive one's  rank ranges  τ adjusted  τ plain  widened"
    )
    click.echo(columns)
    for size in sizes if count else ():
        if not (fits := SIZE.fullmatch(size)):
            raise click.BadParameter(f"{size}: ENTRANTSxROUNDSxDEALS, as 8x3x4", param_hint="--size")
        for forfeits, deviation, drawn, effect in itertools.product(shares, deviations, pods, sensitive):
            design = Design(*map(int, fits.groups()), drawn, deviation, forfeits, effect)  # type: ignore[arg-type]
            click.echo(
                f"{size:<9} {drawn:<7} {deviation:>9g} {forfeits:>8.0%} {effect:>9g}  "
                f"{figures(design, count)}"
            )
    for forfeits in shares if comparisons else ():
        alarms = sum(watched((alarm(n, forfeits) for n in range(comparisons)), comparisons))
        bound = 0.05 + 2 * sqrt(0.05 * 0.95 / comparisons)
        click.echo(
            f"equal bots, {forfeits:.0%} forfeits, compared up to {BUDGET} deals, {DEALS} a match, α = .05: "
            f"{alarms / comparisons:.3f} found better (at most {bound:.3f})"
        )


def figures(design: Design, count: int) -> str:
    found = list(watched(trials(design, count), count))
    ranges = statistics.fmean(one.ranges for one in found)
    held, own = (mean_with_error([getattr(one, name) for one in found]) for name in ("held", "sensitive"))
    taus = [statistics.fmean(getattr(one, name) for one in found) for name in ("adjusted", "plain")]
    adjusted, plain = ("–" if isnan(tau) else f"{tau:.3f}" for tau in taus)
    widened = statistics.fmean(one.widening for one in found)
    return f"{held}    {own} {ranges:>15.4f} {adjusted:>11} {plain:>8} {widened:>8.3f}"


def mean_with_error(values: Sequence[float]) -> str:
    return f"{statistics.fmean(values):.4f} ± {statistics.stdev(values) / sqrt(len(values)):.4f}"


BUDGET = 1000
DEALS = 4


def alarm(number: int, forfeits: float) -> bool:
    """Whether of two equal bots, at a table with two others, one is found to be better. That it is not better
    would be true."""
    strength = {"one": 0.0, "other": 0.0, "strong": 300.0, "weak": -300.0}
    question = Question(budget=BUDGET // DEALS)
    units: list[float] = []
    for pod_no in itertools.count(1):
        results = play(
            (0, pod_no), tuple(strength), strength, f"compare/{number}", deals=DEALS, forfeits=forfeits
        )
        units += differences(results, "one", "other")
        verdict = answer(units, question).verdict
        if verdict is not None:
            return verdict == "better"
    raise AssertionError("it was never decided")


def watched(values: Iterable[T], count: int) -> Iterator[T]:
    """As they come, with a line to standard error every tenth: how many, and how long it still takes."""
    begun = time.monotonic()
    for number, value in enumerate(values, start=1):
        yield value
        if number % max(1, count // 10) == 0:
            left = (time.monotonic() - begun) * (count - number) / number
            print(f"  {number} of {count}, {left:.0f} s left", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
