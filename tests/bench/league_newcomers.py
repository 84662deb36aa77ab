"""Do newcomers' intervals hold the truth after their placement, and does nobody else's number change?

    python -m tests.bench.league_newcomers [--boards 100] [--newcomers 50]
        [--interaction 0] [--interaction 0.8]

On every board the eight members of a panel, whose strengths deviate by 4 gains, are compared with each other
with a checkpoint after every 50 comparisons; then newcomers are placed, which condition on that. A gain
depends on the set of companions too, by `interaction` gains (a standard deviation): over all sets that a
version may meet this is 0 on average. "Noisy" newcomers vary twice as much as the others; "uncorrected" are
the same placements without the correction for the draw.

The truth is the difference of the newcomer's and the anchor's mean gain over all sets that each may meet.
The standard error of a share takes the board as the unit.
"""

from itertools import combinations
from math import sqrt
from typing import Final, NamedTuple

import click
import numpy as np

from tests.tournaments.simulated_league import DRAW_SD, OWN_SD
from tournaments.questions import pods_of_placement
from tournaments.strength import (
    Pair,
    PairSums,
    Strength,
    StrengthFit,
    Sums,
    added,
    corrected,
    fitted,
    pair_added,
    placed,
)

PANEL: Final = tuple("abcdefgh")
ANCHOR: Final = "d"
COMPARISONS: Final = 300
CHECKPOINT: Final = 50
DEVIATION: Final = 4.0
SETS: Final = list(combinations(PANEL, 3))


class Board:
    """A panel that was compared with each other."""

    def __init__(self, interaction: float, rng: np.random.Generator) -> None:
        self.interaction, self.rng = interaction, rng
        self.true = dict(zip(PANEL, rng.normal(0, DEVIATION, len(PANEL)), strict=True))
        self.by_set: dict[str, dict[tuple[str, ...], float]] = {name: self.effects(name) for name in PANEL}
        self.known: dict[str, float] = {}
        self.pairs: dict[Pair, PairSums] = {}
        for number in range(1, COMPARISONS + 1):
            one, other = rng.choice(PANEL, 2, replace=False)
            pair = (str(min(one, other)), str(max(one, other)))
            others = [name for name in PANEL if name not in pair]
            companions = tuple(sorted(map(str, rng.choice(others, 3, replace=False))))
            luck = rng.normal(0, DRAW_SD)
            leads = [self.lead(name, companions) + luck + rng.normal(0, OWN_SD) for name in pair]
            rows = corrected(leads, pair, companions, PANEL, self.known)
            self.pairs[pair] = pair_added(self.pairs.get(pair, PairSums()), *rows)
            if number % CHECKPOINT == 0:
                self.fit = fitted({}, self.pairs)
                self.known = {name: each.strength for name, each in self.fit.relative_to(ANCHOR).items()}

    def effects(self, name: str) -> dict[tuple[str, ...], float]:
        sets = [companions for companions in SETS if name not in companions]
        effects = self.rng.normal(0, 1, len(sets))
        effects = (effects - effects.mean()) / effects.std() * self.interaction
        return dict(zip(sets, effects.tolist(), strict=True))

    def lead(self, name: str, companions: tuple[str, ...]) -> float:
        """Over many deals."""
        met = np.mean([self.true[each] for each in companions])
        return float(self.true[name] - met + self.by_set[name][companions])

    def place(self, noise: float, correction: bool) -> tuple[Strength, float, Sums]:
        """The strength of a newcomer, the true one, and its rows' sums."""
        self.true["new"] = self.rng.normal(0, DEVIATION)
        self.by_set["new"] = self.effects("new")
        sums = Sums()
        for _ in range(pods_of_placement(self.fit, 1.0)):
            companions = SETS[self.rng.integers(len(SETS))]
            lead = self.lead("new", companions) + noise * self.rng.normal(0, np.hypot(DRAW_SD, OWN_SD))
            (row,) = corrected([lead], ["new"], companions, PANEL, self.known) if correction else (lead,)
            sums = added(sums, row)
        found = placed(sums, self.fit, ANCHOR)
        assert found is not None
        return found, self.true["new"] - self.true[ANCHOR], sums


class Held(NamedTuple):
    share: float
    error: float
    half: float
    pods: float
    equal: bool


def held(boards: int, newcomers: int, interaction: float, noise: float, correction: bool) -> Held:
    shares, halves, pods, equal = [], [], [], True
    for number in range(boards):
        board = Board(interaction, np.random.default_rng((number, round(10 * interaction))))
        singles, hits = {}, 0
        for newcomer in range(newcomers):
            found, true, sums = board.place(noise, correction)
            assert found.low is not None
            assert found.high is not None
            hits += found.low <= true <= found.high
            halves.append((found.high - found.low) / 2)
            pods.append(found.pods)
            singles[f"new{newcomer}"] = sums
        shares.append(hits / newcomers)
        equal &= same(board.fit, fitted(singles, board.pairs))
    return Held(
        float(np.mean(shares)),
        float(np.std(shares) / sqrt(boards)),
        float(np.mean(halves)),
        float(np.mean(pods)),
        equal,
    )


def same(before: StrengthFit, after: StrengthFit) -> bool:
    """To the last bit."""
    return all(
        (
            before.names == after.names,
            before.strength.tobytes() == after.strength.tobytes(),
            before.covariance.tobytes() == after.covariance.tobytes(),
        )
    )


@click.command()
@click.option("--boards", default=100, show_default=True)
@click.option("--newcomers", default=50, show_default=True, help="On each board.")
@click.option("--interaction", "interactions", multiple=True, default=(0.0, 0.8), show_default=True)
def main(boards: int, newcomers: int, interactions: tuple[float, ...]) -> None:
    """Print a line for each design."""
    click.echo("interaction  newcomers      held          half  pods  others' numbers")
    for interaction in interactions:
        for name, noise, correction in (
            ("usual", 1.0, True),
            ("noisy", 2.0, True),
            ("uncorrected", 1.0, False),
        ):
            found = held(boards, newcomers, interaction, noise, correction)
            click.echo(
                f"{interaction:>11}  {name:<12} {found.share:.3f} ± {found.error:.3f}  {found.half:.2f}"
                f"  {found.pods:>4.1f}  {'bit-equal' if found.equal else 'CHANGED'}"
            )


if __name__ == "__main__":
    main()
