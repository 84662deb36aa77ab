"""What may be said on a board, and how often it is wrong: simulated boards, looked at after every pod.

    python -m tests.bench.league_statements [--boards 1000] [--first 0] [--processes 2] [--world NAME ...]

For each world a line: the share of pairs parted after 6, 8, 10, 12, 16 and 24 pods each, by how far they
are apart; the mean share of wrong statements at these looks, and at the worst look of each board; the share
of boards that ever say, and that ever mark as certain, anything wrong. Strengths are in gains per deal, a row
has a standard deviation of 2.6 unless the world says otherwise, and the board was founded with 2.6.

Who plays next: everybody in turn; `chase` compares the pair whose wrong statement is nearest to being made;
`stars` plays only the half that looks stronger; `flood` waits until a version looks luckier than it is, and
then enters ten of its equals. After that the by-index rule, which looks ahead, is played beside ours: the
mean of its evidence, which has to be 1 at most.
"""

import time
from collections.abc import Callable
from functools import partial
from itertools import combinations, permutations
from multiprocessing.pool import Pool
from typing import Final, NamedTuple, TypeAlias

import click
import numpy as np

from arena.system.processors import allowed
from tournaments.evidence import ALPHA, Evidence, certain, closed, log_weight, standing

Law: TypeAlias = Callable[[np.random.Generator], float]
"""Draws the luck of a row, whose mean is 0."""

DEVIATION: Final = 2.6
SPREAD: Final = (22, 19, 17.5, 15, 13, 12.2, 10, 9, 7.5, 6, 5, 3.2, 2, 0, 0)
LOOKS: Final = (6, 8, 10, 12, 16, 24)
SIZES: Final = ((2.5, 5), (5, 8), (8, 99))
FORFEIT: Final = (0.03, -10.0)
"""How often a row is a forfeit, and what that costs, in deviations."""


def normal(rng: np.random.Generator) -> float:
    return float(rng.normal(0, DEVIATION))


def heavy(rng: np.random.Generator) -> float:
    return float(rng.standard_t(5)) * DEVIATION / (5 / 3) ** 0.5


def skewed(rng: np.random.Generator) -> float:
    return (1 - float(rng.exponential())) * DEVIATION


def forfeits(rng: np.random.Generator) -> float:
    share, cost = FORFEIT
    return normal(rng) + DEVIATION * (cost * (rng.random() < share) - cost * share)


def wide(rng: np.random.Generator) -> float:
    return 2 * normal(rng)


def narrow(rng: np.random.Generator) -> float:
    return 0.1 / DEVIATION * normal(rng)


def never(rng: np.random.Generator) -> float:
    return 0.0


class World(NamedTuple):
    """A kind of board."""

    strengths: tuple[float, ...]
    laws: tuple[Law, ...]
    """Each version in turn has the next one."""
    rule: str = "turn"
    pods: int = 24


EQUAL: Final = (0.0,) * 15
WORLDS: Final = {
    "spread": World(SPREAD, (normal,)),
    "spread, heavy tails": World(SPREAD, (heavy,)),
    "spread, skewed": World(SPREAD, (skewed,)),
    "spread, forfeits": World(SPREAD, (forfeits,)),
    "spread, chase": World(SPREAD, (heavy,), "chase"),
    "equal": World(EQUAL, (normal,)),
    "equal, chase": World(EQUAL, (heavy,), "chase"),
    "equal, skewed, stars": World(EQUAL, (skewed,), "stars"),
    "equal, forfeits, chase": World(EQUAL, (forfeits, normal), "chase"),
    "equal, some twice as wild": World(EQUAL, (normal, wide), "chase"),
    "equal, some hardly vary": World(EQUAL, (normal, narrow), "chase"),
    "copies": World(EQUAL, (never,), "chase"),
    "flood": World((*EQUAL[:5], *SPREAD[8:]), (normal,), "flood"),
}


class Board:
    """One board, played to its end."""

    def __init__(self, world: World, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.strengths, self.laws, self.rule = list(world.strengths), world.laws, world.rule
        self.evidence = Evidence(DEVIATION)
        self.rows: list[list[float]] = [[] for _ in self.strengths]
        self.now: frozenset[tuple[str, str]] = frozenset()
        self.certain: frozenset[tuple[str, str]] = frozenset()
        self.parted: list[list[float]] = []
        self.wrong: list[float] = []
        self.worst = 0.0
        pods = 0
        while pods < world.pods * len(self.strengths):
            pods += self.play()
            self.look()
            # In a flood the number of versions grows, so a look may come late.
            if len(self.wrong) < len(LOOKS) and pods >= LOOKS[len(self.wrong)] * len(self.strengths):
                self.parted.append([self.share_parted(*size) for size in SIZES])
                self.wrong.append(self.share_wrong())

    def play(self) -> int:
        """The next pod or comparison. How many pods that was."""
        fewest = min(range(len(self.rows)), key=lambda at: len(self.rows[at]))
        if len(self.rows[fewest]) < 8 or self.rule in ("turn", "flood"):
            if self.rule == "flood" and len(self.strengths) < 30 and self.luckiest() > 2.5:
                self.strengths += [0.0] * 10
                self.rows += [[] for _ in range(10)]
            self.place(fewest)
            return 1
        if self.rule == "stars":
            order = sorted(range(len(self.rows)), key=lambda at: -float(np.mean(self.rows[at])))
            self.place(min(order[: len(order) // 2], key=lambda at: len(self.rows[at])))
            return 1
        pairs = permutations(range(len(self.strengths)), 2)
        untrue = [pair for pair in pairs if self.strengths[pair[0]] <= self.strengths[pair[1]]]
        one, other = max(untrue, key=lambda pair: self.evidence.log_of(f"{pair[0]}", f"{pair[1]}"))
        first, second = sorted((one, other))
        luck = self.rng.normal(0, 0.6 * DEVIATION)
        rows = [self.strengths[at] + luck + 0.8 * self.luck(at) for at in (first, second)]
        self.evidence.compared((f"{first}", f"{second}"), *rows)
        for at, row in zip((first, second), rows, strict=True):
            self.rows[at].append(row)
        return 2

    def place(self, at: int) -> None:
        row = self.strengths[at] + self.luck(at)
        self.rows[at].append(row)
        self.evidence.placed(f"{at}", row)

    def luck(self, at: int) -> float:
        return self.laws[at % len(self.laws)](self.rng)

    def luckiest(self) -> float:
        """By how many standard errors the luckiest of the equal versions seems better than it is."""
        seen = [rows for rows in self.rows[:5] if rows]
        return max((sum(rows) / len(rows) ** 0.5 / DEVIATION for rows in seen), default=0.0)

    def look(self) -> None:
        """What is said now."""
        means = [float(np.mean(rows)) if rows else -np.inf for rows in self.rows]
        order = sorted((at for at, rows in enumerate(self.rows) if rows), key=lambda at: -means[at])
        known = {
            (f"{one}", f"{other}"): self.evidence.log_of(f"{one}", f"{other}")
            + log_weight(one + 1, other + 1)
            for one, other in combinations(order, 2)
        }
        self.now = standing(known, ALPHA)
        self.certain = closed(self.certain | certain(known, ALPHA))
        self.worst = max(self.worst, self.share_wrong())

    def is_wrong(self, pair: tuple[str, str]) -> bool:
        one, other = map(int, pair)
        return self.strengths[one] <= self.strengths[other]

    def share_wrong(self) -> float:
        return sum(map(self.is_wrong, self.now)) / max(1, len(self.now))

    def share_parted(self, least: float, most: float) -> float:
        apart = [
            (f"{one}", f"{other}") in self.now
            for one, other in permutations(range(len(self.strengths)), 2)
            if least <= self.strengths[one] - self.strengths[other] < most
        ]
        return sum(apart) / len(apart) if apart else float("nan")


class Found(NamedTuple):
    """What became of a board."""

    parted: list[list[float]]
    wrong: list[float]
    worst: float
    certain_wrong: bool


def found(world: World, seed: int) -> Found:
    board = Board(world, seed)
    return Found(board.parted, board.wrong, board.worst, any(map(board.is_wrong, board.certain)))


def peeked(seed: int) -> tuple[float, float]:
    """Two equal versions: 60 pods of A are known, and C stops where A looked best. The evidence for A by
    pairing rows by their number, and by our rule."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal(0, DEVIATION, 60), rng.normal(0, DEVIATION, 60)
    stop = 1 + int(np.argmax(np.cumsum(first)))
    by_index, ours = Evidence(DEVIATION), Evidence(DEVIATION)
    for one in first:
        ours.placed("A", float(one))
    for one, other in zip(first[:stop], second, strict=False):
        ours.placed("C", float(other))
        # A comparison without the rows of either is just what pairing by number would be.
        by_index.compared(("A", "C"), float(one), float(other))
    paired = float(np.exp(by_index.log_of_comparisons("A", "C")))
    return paired, float(np.exp(ours.log_of("A", "C")))


@click.command()
@click.option("--boards", "count", default=1000, show_default=True)
@click.option("--first", default=0, show_default=True, help="The number of the first board, to play more.")
@click.option("--world", "names", multiple=True, type=click.Choice([*WORLDS]))
@click.option("--processes", default=len(allowed()), show_default=True)
def main(count: int, first: int, names: tuple[str, ...], processes: int) -> None:
    """Print a line for each world."""
    for name in names or WORLDS:
        begun = time.monotonic()
        with Pool(processes) as pool:
            boards = pool.map(partial(found, WORLDS[name]), range(first, first + count), chunksize=1)
        looks = zip(*(board.parted for board in boards), strict=True)
        parted = ["/".join(f"{share:.2f}" for share in np.mean(look, axis=0)) for look in looks]
        wrong = np.mean([board.wrong for board in boards], axis=0)
        worst = np.array([board.worst for board in boards])
        click.echo(
            f"{name}: parted {' '.join(parted)}; wrong {' '.join(f'{share:.4f}' for share in wrong)}, at the "
            f"worst look {worst.mean():.4f}; ever {np.mean(worst > 0):.3f}, certain "
            f"{np.mean([board.certain_wrong for board in boards]):.3f}"
        )
        click.echo(f"  {count} boards, {time.monotonic() - begun:.0f} s", err=True)
    with Pool(processes) as pool:
        by_index, ours = np.mean(pool.map(peeked, range(20 * count)), axis=0)
    click.echo(f"evidence after a peek, mean: by number {by_index:.2f}, ours {ours:.2f}")


if __name__ == "__main__":
    main()
