"""How soon does a newcomer play, have a number and have an interval, in a league of sixty versions?

    python -m tests.bench.league_arrivals [--leagues 10] [--gap 120] [--gap 15]

Simulated boards on two cores: six anchors and twenty authors, with one, two, three or five bots, of which a
pod takes 4 to 12 s. They have been played for an hour when newcomers come, one after the other, `--gap`
seconds apart: the first bot of a new author, the second of one that has one, the third of one that has two,
in turn.

A line for each: the seconds from its arrival (after the intake) to its first pod, its first number, and its
first interval, as p50 / p95. Promised: the bound on the first pod that its author was told on arrival, p50;
broken: how many waited longer than that, which others that come later may cause. Placed: the same for the end
of its placement, and the forecast of that on arrival.
"""

import copy
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

import click
import numpy as np

from tests.tournaments.simulated_league import Bot, League
from tournaments.agenda import Wish, longest_wait
from tournaments.questions import forecast
from tournaments.statistics import FEWEST_PODS

HOUR: Final = 3_600_000
KINDS: Final = ("first", "second", "third")
ARRIVALS: Final = 18
"""Of each league, a third of each kind."""


class Seen(NamedTuple):
    """What became of a newcomer, in seconds after its arrival."""

    bound: float
    """The promise for its first pod."""
    forecast: float
    """The forecast for the end of all placements."""
    begins: float
    number: float
    interval: float
    placed: float


class Arrivals(League):
    """A board that notes when newcomers are played."""

    def __init__(self, bots: Sequence[Bot], seed: int) -> None:
        super().__init__(bots, seed=seed)
        self.promised: dict[str, tuple[float, float]] = {}
        self.begun: dict[str, int] = {}
        self.ended: defaultdict[str, list[int]] = defaultdict(list)
        self.placed: dict[str, int] = {}

    def _watch(self, wishes: Sequence[Wish]) -> None:
        super()._watch(wishes)
        placing = {wish.asker for wish in wishes if wish.kind == "placement"}
        bounds = longest_wait(wishes, self.author_of(), self.jobs)
        for name in placing - self.promised.keys():
            self.promised[name] = bounds[name] / 1000, forecast(wishes, self.jobs).placed_in
        for name in self.promised.keys() - placing:
            self.placed.setdefault(name, self.now)

    def _begin(self, wishes: Sequence[Wish]) -> None:
        super()._begin(wishes)
        (begun,) = (playing for playing in self.playing if playing.number == self.drawn)
        self.begun.setdefault(begun.wish.asker, self.now)

    def _end(self) -> None:
        wish = self.playing[0].wish
        super()._end()
        self.ended[wish.asker].append(self.now)

    def seen(self, bot: Bot) -> Seen:
        """In seconds after it came."""
        pods = self.ended[bot.name]
        times = (self.begun[bot.name], pods[0], pods[FEWEST_PODS - 1], self.placed[bot.name])
        return Seen(*self.promised[bot.name], *((time - bot.comes) / 1000 for time in times))


def played(seed: int) -> Arrivals:
    """A league of sixty versions, after an hour."""
    rng = np.random.default_rng(seed)
    bots = [Bot(f"h/anchor{at}", 4.0 * at - 10, 4000) for at in range(6)]
    for author in range(20):
        for at in range((1, 2, 3, 5)[author % 4] if author < 18 else 4):
            bots.append(Bot(f"author{author}/bot{at}", rng.normal(0, 6), int(rng.integers(4000, 12_000))))
    league = Arrivals(bots, seed)
    league.run(HOUR)
    return league


def arrivals(league: Arrivals, gap: float) -> dict[str, list[Seen]]:
    """What became of newcomers to a copy of this league, by kind."""
    league = copy.deepcopy(league)
    start, came = league.now, defaultdict[str, list[Bot]](list)
    for number in range(ARRIVALS):
        kind = KINDS[number % 3]
        author = {"first": f"new{number}", "second": f"author{4 * (number // 3 % 4)}", "third": ""}[kind]
        author = author or f"author{4 * (number // 3 % 4) + 1}"
        bot = Bot(
            f"{author}/newcomer{number}",
            float(league.rng.normal(0, 6)),
            8000,
            start + round(1000 * gap * (number + 1)),
        )
        league.bots[bot.name] = bot
        came[kind].append(bot)
    last = start + round(1000 * gap * ARRIVALS)
    while len(league.placed.keys() & {bot.name for each in came.values() for bot in each}) < ARRIVALS:
        last += 60_000
        league.run(last)
    return {kind: [league.seen(bot) for bot in each] for kind, each in came.items()}


@click.command()
@click.option("--leagues", default=10, show_default=True)
@click.option("--gap", "gaps", multiple=True, default=(120.0, 15.0), show_default=True)
def main(leagues: int, gaps: tuple[float, ...]) -> None:
    """Print a line for each kind of newcomer and each gap."""
    before = [played(seed) for seed in range(leagues)]
    click.echo(f"{len(before[0].bots)} versions, {before[0].drawn} draws in the hour before")
    for gap in gaps:
        found = defaultdict[str, list[Seen]](list)
        for league in before:
            for kind, seen in arrivals(league, gap).items():
                found[kind] += seen
        for kind, seen in found.items():
            broken = sum(one.begins > one.bound for one in seen)
            times = {
                what: np.quantile([getattr(one, what) for one in seen], (0.5, 0.95))
                for what in ("begins", "number", "interval", "placed", "bound", "forecast")
            }
            said = ", ".join(f"{what} {times[what][0]:.0f} / {times[what][1]:.0f}" for what in times)
            click.echo(f"every {gap:g} s, {kind:<6} bot: {said}; {broken} of {len(seen)} promises broken")


if __name__ == "__main__":
    main()
