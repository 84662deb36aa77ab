"""What `arena compare` costs, and how often it is wrong, by each of its ways: at any time, final, bounded,
and as it was before its verdicts needed one side only.

    python -m tests.bench.comparing [--runs 1000] [--part costs] [--part skew] [--part real]
        [--part neighbours] [--pods 2000] [--game ole]

costs        Units to a verdict, and how often a budget of 1,000 finds it, where the difference is so many
             standard deviations: normal units.
skew         Wrong verdicts where the truth is 0 and units are made up: normal, coarse, rare, skew.
real         The same on real deals. A program that forfeits now and then meets itself with some cards drawn
             at random, so many that both gain alike; what is left of a difference is taken off. Pods are
             played once, by the real rules in process, and drawn from with replacement.
neighbours   What the other seats decide: how many standard deviations `careful` and `greedy` are apart.

Where the truth is 0, "better" is always wrong, and "not better" would be if it were the least bit greater:
both are shown, each to be at most α, and beside them how often the intervals have ever lost the truth.
"""

import importlib.util
import itertools
import random
import statistics
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import inf, sqrt
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeAlias

import click
import msgspec
import numpy as np

from arena.games import EXTRAS, GAMES
from arena.games.game import Action, Game, State
from protocol.cards import Seat
from protocol.faults import FaultKind
from protocol.outcome import Forfeit, with_forfeits
from protocol.streams import DealSource, pod_key, seating_labels
from tests.tournaments.looks import Array, Looks, looks
from tournaments.compare import Question, differences
from tournaments.results import MatchResult
from tournaments.seatings import seatings

ALPHA: Final = 0.05
BUDGET: Final = 1000
SEATS: Final = 4
PARTS: Final = ("costs", "skew", "real", "neighbours")

Policy: TypeAlias = Callable[[State, Seat, tuple[Action, ...]], Action]


class Way(NamedTuple):
    """bounded: the bound is given with the units."""

    name: str
    question: Question = Question(alpha=ALPHA, budget=BUDGET)
    two_sided: bool = False
    bounded: bool = False

    def looks(self, units: Array, bound: float) -> Looks:
        question = self.question
        if self.bounded:
            question = msgspec.structs.replace(question, bound=bound)
        return looks(units, question, two_sided=self.two_sided)


WAYS: Final = (
    Way("before", two_sided=True),
    Way("at any time"),
    Way("final", Question(alpha=ALPHA, budget=BUDGET, final=True)),
    Way("bounded", bounded=True),
)


# Costs


def costs(runs: int) -> None:
    click.echo("units to a verdict (median; with no end but for final), found with a budget of 1,000")
    click.echo(
        f"bounded: the rules allow 8, 16, 24 standard deviations; {runs} runs, α = {ALPHA}, normal units"
    )
    ways = [(way.name, way, 16.0) for way in WAYS[:3]]
    ways += [(f"bounded {bound:g}", WAYS[3], bound) for bound in (8.0, 16.0, 24.0)]
    heads = "".join(f"{name:>16}" for name, _, _ in ways)
    click.echo(f"  δ sd {heads}  fixed for 80 %, one side (two)")
    for delta in (0.1, 0.2, 0.3, 0.5):
        cells = []
        for _, way, bound in ways:
            last = BUDGET if way.question.final else round(60 / delta**2)
            rng = np.random.default_rng(1)
            found = []
            for _ in range(runs):
                units = np.clip(rng.normal(delta, 1, last), -bound, bound)
                verdict, after = way.looks(units, bound).verdict
                found.append(after if verdict == "better" else inf)
            power = sum(after <= BUDGET for after in found) / runs
            cells.append(f"{statistics.median(found):>9.0f}  {power:.2f} ")
        fixed = [round((quantile + 0.8416) ** 2 / delta**2) for quantile in (1.6449, 1.96)]
        click.echo(f"  {delta:<4} {'  '.join(cells)}   {fixed[0]} ({fixed[1]})")


# Wrong verdicts


def skew(seed: int, size: int) -> Iterator[tuple[str, Array, float]]:
    """Units whose mean is exactly 0, by name, with the bound that they have."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(0, 1, size)
    yield "normal", normal, 16.0
    yield (
        "integers, heavy tails",
        np.round(12 * normal + 30 * rng.normal(0, 1, size) * _rarely(rng, size, 0.15)),
        400.0,
    )
    yield "1 in 20 differs", rng.choice([-20.0, 20.0], size) * _rarely(rng, size, 0.05), 100.0
    for side in (1, -1):
        for share, far in ((0.02, 20.0), (0.02, 5.0), (0.005, 20.0)):
            units = side * (normal + far * (_rarely(rng, size, share) - share))
            yield f"{share:.1%} at {side * far:+g} sd", units, 30.0


def _rarely(rng: np.random.Generator, size: int, share: float) -> Array:
    return (rng.random(size) < share).astype(float)


def wrong(named: str, draw: Callable[[int], tuple[Array, float]], runs: int) -> None:
    """One line: by way, how often a verdict is given on either side, and an interval has lost the truth."""
    cells = []
    for way in WAYS:
        verdicts, lost = [], 0
        for number in range(runs):
            units, bound = draw(number)
            found = way.looks(units, bound)
            verdicts.append(found.verdict[0])
            lost += not found.holds.all()
        sides = (verdicts.count(side) / runs for side in ("better", "not better"))
        cells.append("  ".join(f"{share:.3f}" for share in (*sides, lost / runs)))
    click.echo(f"  {named:<36} {'   '.join(cells)}")


def head(runs: int) -> None:
    limit = ALPHA + 2 * sqrt(ALPHA * (1 - ALPHA) / runs)
    click.echo(
        f"by way: better, not better, an interval lost the truth; each may be {limit:.3f} in {runs} runs"
    )
    click.echo(" " * 39 + "".join(f"{way.name:<24}" for way in WAYS))


# Real deals


def advised(game: Game) -> Policy:
    advise = EXTRAS[game.id].advise
    return lambda state, seat, legal: advise(state, seat, legal)


def at_times_random(policy: Policy, share: float, rnd: random.Random) -> Policy:
    def choose(state: State, seat: Seat, legal: tuple[Action, ...]) -> Action:
        if rnd.random() < share:
            return legal[int(rnd.random() * len(legal))]
        return policy(state, seat, legal)

    return choose


def sample(name: str, game: Game) -> Policy:
    """One of bots/, by its table of ideas, without a process."""
    ideas: Mapping[str, Callable[[Any, Any], Any]] = _module(name).IDEAS[game.id]

    def choose(state: State, seat: Seat, legal: tuple[Action, ...]) -> Action:
        if (idea := ideas.get(state.pending[seat])) is None:
            return legal[0]
        found = idea(msgspec.to_builtins(state.view(seat)), list(legal))
        action: Action = found[0] if isinstance(found, tuple) else found
        return action

    return choose


@cache
def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path("bots") / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Real(NamedTuple):
    """Four programs by name, the first two compared; of each, how often it forfeits a match."""

    game: Game
    policies: Mapping[str, Policy]
    forfeits: Mapping[str, float]
    deals: int = 1

    def units(self, pods: int, seed: str) -> Array:
        one, other, *_ = self.policies
        results = (result for number in range(1, pods + 1) for result in self._pod(number, seed))
        return np.array(differences(results, one, other))

    def _pod(self, pod_no: int, seed: str) -> Iterator[MatchResult]:
        key = pod_key(seed, 1, pod_no)
        names = tuple(self.policies)
        for seating_no, order in enumerate(seatings(names, seating_labels(key, len(names))), start=1):
            rnd = random.Random(f"{seed}/{pod_no}/{seating_no}")
            yield self._match((pod_no, seating_no), order, key, rnd)

    def _match(
        self, place: tuple[int, int], order: tuple[str, ...], key: str, rnd: random.Random
    ) -> MatchResult:
        """A bot that forfeits does so at some decision of its first deal, from which on a substitute plays
        at random. It costs all deals of the match, at whichever it happens."""
        game = self.game
        breaks = {
            seat: rnd.randrange(15)
            for seat, name in enumerate(order)
            if rnd.random() < self.forfeits.get(name, 0)
        }
        asked = dict.fromkeys(range(len(order)), 0)
        state = game.start(len(order), game.options(), self.deals, DealSource(key)).state
        while pending := state.pending:
            actions = {}
            for seat in pending:
                legal = state.legal(seat)
                substituted = asked[seat] >= breaks.get(seat, inf)
                asked[seat] += 1
                actions[seat] = (
                    legal[int(rnd.random() * len(legal))]
                    if substituted
                    else self.policies[order[seat]](state, seat, legal)
                )
            state = state.apply(actions).state
        outcome = state.tally()
        fallen = tuple(
            Forfeit(seat, 1, FaultKind.EXITED, answered=True) for seat in breaks if asked[seat] > breaks[seat]
        )
        placings = with_forfeits(outcome.placings, {forfeit.seat for forfeit in fallen})
        return MatchResult(1, *place, order, outcome.gains, placings, fallen)


def real(game: Game, pods: int, runs: int) -> None:
    advise = advised(game)
    bound = float(game.largest_lead(SEATS))
    deals = 1 if game.independent_deals else game.deals(SEATS)
    rnd = random.Random(1)
    neighbours = {"greedy": sample("greedy", game), "careful": sample("careful", game)}

    def played(forfeits: float, share: float, other_forfeits: float = 0.0) -> Array:
        both = {"one": advise, "other": at_times_random(advise, share, rnd)} | neighbours
        return Real(game, both, {"one": forfeits, "other": other_forfeits}, deals).units(pods, "real")

    cost = float(played(0, 0.1).mean()) / 0.1
    for forfeits in (0.005, 0.02, 0.05):
        loss = -float(played(forfeits, 0).mean())
        share = min(1.0, max(0.0, loss / cost))
        units = played(forfeits, share)
        told = f"{game.id}, {forfeits:.1%} forfeits, {share:.1%} random"
        drawn_from(told, units, bound, runs)
    drawn_from(f"{game.id}, both forfeit 5 %", played(0.05, 0.0, 0.05), bound, runs)


def drawn_from(told: str, units: Array, bound: float, runs: int) -> None:
    mean, spread = float(units.mean()), float(units.std())
    shape = float((((units - mean) / spread) ** 3).mean()) if spread else 0.0
    click.echo(
        f"  {told}: mean {mean:+.3f} taken off, sd {spread:.2f}, skewness {shape:+.1f}, "
        f"the rules allow {bound / spread:.0f} sd"
    )

    def draw(number: int) -> tuple[Array, float]:
        rng = np.random.default_rng(number)
        return rng.choice(units - mean, BUDGET), bound + abs(mean)

    wrong("", draw, runs)


def neighbours(game: Game, pods: int) -> None:
    rnd = random.Random(1)

    def at_random(state: State, seat: Seat, legal: tuple[Action, ...]) -> Action:
        return legal[int(rnd.random() * len(legal))]

    two = {"careful": sample("careful", game), "greedy": sample("greedy", game)}
    for name, beside in {"random": at_random, "heuristic": advised(game)}.items():
        deals = 1 if game.independent_deals else game.deals(SEATS)
        units = Real(game, two | {f"{name} 1": beside, f"{name} 2": beside}, {}, deals).units(pods, "beside")
        mean, spread = float(units.mean()), float(units.std())
        apart = f"{mean:+6.2f} = {mean / spread:+.2f} sd of {spread:.2f} (± {1 / sqrt(len(units)):.2f})"
        allowed = f"the rules allow {game.largest_lead(SEATS) / spread:.0f} sd"
        click.echo(f"  {game.id:<18} beside two {name:<10} careful − greedy {apart}; {allowed}")


@click.command()
@click.option("--runs", default=1000, show_default=True)
@click.option("--pods", default=2000, show_default=True, help="Really played, for each line.")
@click.option("--part", "parts", multiple=True, type=click.Choice(PARTS), default=PARTS)
@click.option("--game", "games", multiple=True, type=click.Choice(list(GAMES)), default=list(GAMES))
def main(runs: int, pods: int, parts: tuple[str, ...], games: tuple[str, ...]) -> None:
    if "costs" in parts:
        costs(runs)
    if "skew" in parts:
        head(runs)
        for at, (named, _, _) in enumerate(skew(0, 1)):

            def draw(number: int, at: int = at) -> tuple[Array, float]:
                _, units, bound = next(itertools.islice(skew(number, BUDGET), at, None))
                return units, bound

            wrong(named, draw, runs)
    if "real" in parts:
        head(runs)
        for game in games:
            real(GAMES[game], pods, runs)
    if "neighbours" in parts:
        for game in games:
            neighbours(GAMES[game], pods)


if __name__ == "__main__":
    main()
