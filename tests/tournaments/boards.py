"""Many simulated boards at once, each playing the largest of its questions: the same decisions, strengths and
statements as those of tournaments/, which test_boards.py sees to.

Companions are members of a panel that is not ranked; a draw is one of SETS sets of them. All versions are
placed in the beginning, and every version has an author of its own, so that the guards change nothing.
"""

from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tournaments.eprocess import SHARES
from tournaments.questions import Z
from tournaments.strength import FEWEST_DEGREES

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]

SETS: Final = 56
"""Of three companions from a panel of eight."""

DRAW_SD: Final = 1.6
OWN_SD: Final = 2.05
"""Together 2.6 gains a pod: of what both versions of a comparison share, and of what they do not."""

CHECKPOINT: Final = 50
"""Comparisons between two exact fits."""


class World(NamedTuple):
    """strengths: by version. interaction: how much each set of companions adds to or takes from what a
    version gains, up and down, 0 on average. cap, margin, alpha, expected: see tournaments/."""

    strengths: tuple[float, ...]
    interaction: float = 0.0
    cap: float = 12.0
    margin: float = 1.0
    alpha: float = 0.05
    expected: int = 500
    placement: int = 9


class Decision(NamedTuple):
    """By board, whether a question is open, and the two versions of the largest, the earlier one first."""

    awake: NDArray[np.bool_]
    first: Indices
    second: Indices


class Boards:
    """`count` boards of one world, from a seed. Arrays by board, and by pair in the upper triangle."""

    def __init__(self, world: World, count: int, seed: int) -> None:
        self.world, self.count, self.size = world, count, len(world.strengths)
        self._rng = np.random.default_rng(seed)
        self.true = np.array(world.strengths)
        half = np.repeat((1.0, -1.0), SETS // 2) * world.interaction
        self.by_set = np.stack([self._rng.permutation(half) for _ in range(self.size)])
        square = (count, self.size, self.size)
        self.n, self.apart, self.together, self.apart2, self.together2 = (np.zeros(square) for _ in range(5))
        self.opened = np.zeros(square, dtype=np.int64)
        self.bets = np.zeros((2, *square, len(SHARES)))
        self.most = np.zeros((2, *square))
        self.said = np.zeros(square, dtype=bool)
        self.pods = np.zeros(count, dtype=np.int64)
        self.alone = np.zeros((count, self.size))
        self.rows_alone = np.full((count, self.size), world.placement)
        self._begin()

    def _begin(self) -> None:
        """The placements, and the comparisons of the first two versions that determine the variances."""
        self.rows_alone[:, :2] = 0
        for _ in range(self.world.placement):
            rows = np.stack([self._row(np.full(self.count, at)) for at in range(self.size)], axis=1)
            self.alone += np.where(self.rows_alone > 0, rows, 0)
        self.pods += self.rows_alone.sum(axis=1)
        every = np.arange(self.count)
        self.own = self.draw = np.ones(self.count)
        self.strength = np.zeros((self.count, self.size))
        self.covariance = np.stack([np.eye(self.size)] * self.count)
        for _ in range(FEWEST_DEGREES + 1):
            self.play(every, np.zeros(self.count, np.intp), np.ones(self.count, np.intp))
        self.fit()

    def _row(self, who: Indices) -> Array:
        """One pod a board, of draws of their own."""
        drawn = self._rng.integers(SETS, size=len(who))
        noise = self._rng.normal(0, np.hypot(DRAW_SD, OWN_SD), len(who))
        found: Array = self.true[who] + self.by_set[who, drawn] + noise
        return found

    def play(self, boards: Indices, first: Indices, second: Indices) -> None:
        """One comparison on each of these boards."""
        drawn = self._rng.integers(SETS, size=len(boards))
        luck = self._rng.normal(0, DRAW_SD, len(boards))
        rows = [
            self.true[who] + self.by_set[who, drawn] + luck + self._rng.normal(0, OWN_SD, len(boards))
            for who in (first, second)
        ]
        self.add(boards, first, second, *rows)

    def add(
        self,
        boards: Indices,
        first: Indices,
        second: Indices,
        one: Array,
        other: Array,
    ) -> None:
        """Counts comparisons whose rows are known."""
        at = boards, first, second
        new = self.n[at] == 0
        self.opened[at] = np.where(new, (self.n[boards] > 0).sum(axis=(1, 2)) + 1, self.opened[at])
        apart, together = one - other, one + other
        self.n[at] += 1
        self.apart[at] += apart
        self.together[at] += together
        self.apart2[at] += apart**2
        self.together2[at] += together**2
        self.pods[boards] += 2
        cut = np.clip(apart, -self.world.cap, self.world.cap) / self.world.cap
        enough = -np.log(self.share_of_alpha(self.opened[at]))
        for side, sign in enumerate((1, -1)):
            bets = self.bets[(side, *at)] + np.log1p(sign * cut[:, None] * SHARES)
            self.bets[(side, *at)] = bets
            capital = np.logaddexp.reduce(bets, axis=-1) - np.log(len(SHARES))
            self.most[(side, *at)] = np.maximum(self.most[(side, *at)], capital)
            pair = at if sign == 1 else (boards, second, first)
            self.said[pair] = self.most[(side, *at)] >= enough
        self._update(boards, first, second, apart, together)

    def share_of_alpha(self, opened: NDArray[np.int64]) -> Array:
        expected = self.world.expected
        late = expected / np.maximum(opened * (opened - 1), 1)
        found: Array = self.world.alpha / 4 * np.where(opened <= expected, 1 / expected, late)
        return found

    def _update(
        self,
        boards: Indices,
        first: Indices,
        second: Indices,
        apart: Array,
        together: Array,
    ) -> None:
        """Recursive least squares."""
        every = np.arange(len(boards))
        strength, covariance = self.strength[boards], self.covariance[boards]
        own, draw = self.own[boards], self.draw[boards]
        for sign, found, variance in ((-1, apart, 2 * own), (1, together, 4 * draw + 2 * own)):
            reach = covariance[every, first] + sign * covariance[every, second]
            expected = strength[every, first] + sign * strength[every, second]
            gain = reach / (variance + reach[every, first] + sign * reach[every, second])[:, None]
            strength += gain * (found - expected)[:, None]
            covariance -= gain[:, :, None] * reach[:, None, :]
        self.strength[boards], self.covariance[boards] = strength, covariance

    def fit(self) -> None:
        """The exact fit, with new variances."""
        degrees = self.n.sum(axis=(1, 2)) - (self.n > 0).sum(axis=(1, 2))
        count = np.maximum(self.n, 1)
        apart = (self.apart2 - self.apart**2 / count).sum(axis=(1, 2)) / degrees
        together = (self.together2 - self.together**2 / count).sum(axis=(1, 2)) / degrees
        self.own, self.draw = apart / 2, np.maximum(0, together - apart) / 4
        near, far, single = (
            1 / weight[:, None, None]
            for weight in (2 * self.own, 4 * self.draw + 2 * self.own, self.own + self.draw)
        )
        both = self.n + self.n.swapaxes(1, 2)
        diagonal = ((near + far) * both).sum(axis=2) + single[:, 0] * self.rows_alone
        information = (far - near) * both + diagonal[:, :, None] * np.eye(self.size)
        moment = (near * self.apart + far * self.together).sum(axis=2)
        moment += (far * self.together - near * self.apart).sum(axis=1) + single[:, 0] * self.alone
        self.covariance = np.linalg.inv(information)
        self.strength = (self.covariance @ moment[:, :, None])[:, :, 0]

    def decide(self, boards: Indices) -> Decision:
        """The largest question of each of these boards."""
        strength, covariance = self.strength[boards], self.covariance[boards]
        margin = self.world.margin
        variance = np.diagonal(covariance, axis1=1, axis2=2)
        squares = variance[:, :, None] + variance[:, None, :] - 2 * covariance
        wide = Z * np.sqrt(np.maximum(squares, 0))
        apart = np.abs(strength[:, :, None] - strength[:, None, :])
        excess = wide - apart - margin
        asked = excess > 0
        order = np.argsort(-strength, axis=1)
        every = np.arange(len(boards))[:, None]
        above, below = order[:, :-1], order[:, 1:]
        for at in ((every, above, below), (every, below, above)):
            asked[at] |= apart[at] + wide[at] > margin
        said = self.said[boards]
        asked &= ~(said | said.swapaxes(1, 2)) & np.triu(np.ones(asked.shape[1:], dtype=bool), 1)
        size = np.where(asked, excess, -np.inf).reshape(len(boards), -1)
        first, second = np.unravel_index(size.argmax(axis=1), asked.shape[1:])
        return Decision(asked.any(axis=(1, 2)), first, second)

    def run(self, most: int) -> NDArray[np.int64]:
        """Plays until all are asleep, at most so many comparisons each. By board, the pods until asleep; 0 of
        those that are not."""
        asleep = np.zeros(self.count, dtype=np.int64)
        boards = np.arange(self.count)
        for number in range(1, most + 1):
            found = self.decide(boards)
            asleep[boards[~found.awake]] = self.pods[boards[~found.awake]]
            boards = boards[found.awake]
            if not len(boards):
                break
            self.play(boards, found.first[found.awake], found.second[found.awake])
            if number % CHECKPOINT == 0:
                self.fit()
        return asleep
