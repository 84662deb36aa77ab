"""Simulated boards decide and say the same as tournaments/."""

from math import log

import numpy as np
import pytest

from tests.tournaments.boards import Boards, World
from tournaments.eprocess import PairEvidence, after, is_ahead, is_behind, share_of_alpha
from tournaments.questions import open_wishes
from tournaments.strength import Pair, PairSums, StrengthFit, Sums, Variances, fitted

STRENGTHS = (0.0, 0.1, -0.2, 1.0, 4.0, 4.0)


@pytest.mark.parametrize(
    ("seed", "comparisons"),
    [(0, 60), *(pytest.param(seed, 600, marks=pytest.mark.thorough) for seed in (1, 2, 3))],
)
def test_boards_are_as_the_product_would_have_them(seed: int, comparisons: int) -> None:
    """After every comparison of a board, until it sleeps or so many were played."""
    world = World(STRENGTHS, interaction=0.5, expected=8)
    boards = Boards(world, 1, seed)
    names = [f"v{number}" for number in range(len(STRENGTHS))]
    costs = dict.fromkeys(names, 1)
    every = np.zeros(1, dtype=np.intp)
    versus: dict[Pair, PairEvidence] = {}
    for number in range(comparisons):
        variances = Variances(float(boards.draw[0]), float(boards.own[0]), 99)
        if number % 20 == 0:
            boards.fit()
            exact = fitted(*sums_of(boards, names))
            at = [exact.names.index(name) for name in names if name in exact.names]
            inside = [names.index(exact.names[column]) for column in at]
            assert exact.strength[at] == pytest.approx(boards.strength[0][inside])
            assert exact.covariance[np.ix_(at, at)] == pytest.approx(
                boards.covariance[0][np.ix_(inside, inside)]
            )
            assert exact.variances.own == pytest.approx(boards.own[0])
            variances = exact.variances
        fit = StrengthFit(
            tuple(names),
            boards.strength[0],
            boards.covariance[0],
            np.zeros(len(names), np.int64),
            variances,
            np.ones(len(names)),
        )
        wishes = open_wishes(names, fit, {}, versus_of(boards, names), {}, costs, world.margin, world.alpha)
        found = boards.decide(every)
        assert found.awake[0] == bool(wishes)
        if not wishes:
            break
        largest = max(wishes, key=lambda wish: wish.size)
        pair = names[found.first[0]], names[found.second[0]]
        assert {largest.asker, largest.other} == set(pair)
        before = boards.apart.copy()
        boards.play(every, found.first, found.second)
        x = float((boards.apart - before)[0, found.first[0], found.second[0]])
        versus[pair] = after(versus.get(pair, PairEvidence(len(versus) + 1)), x, world.cap)
    assert len(versus) > 3
    for pair, known in versus.items():
        one, other = map(names.index, pair)
        if pair != ("v0", "v1"):  # Whose comparisons in the beginning are not in `versus`.
            assert boards.most[0, 0, one, other] == pytest.approx(known.most_ahead)
            assert boards.most[1, 0, one, other] == pytest.approx(known.most_behind)


def versus_of(boards: Boards, names: list[str]) -> dict[Pair, PairEvidence]:
    """The statements of the board: what is said is said by the same rule."""
    found = {}
    for one, other in zip(*np.nonzero(boards.n[0]), strict=True):
        known = PairEvidence(
            int(boards.opened[0, one, other]),
            most_ahead=float(boards.most[0, 0, one, other]),
            most_behind=float(boards.most[1, 0, one, other]),
        )
        # open_wishes knows 500 expected pairs; the simulation fewer, so that both parts of α take part.
        expected = boards.world.expected
        assert boards.share_of_alpha(boards.opened)[0, one, other] == pytest.approx(
            share_of_alpha(known.opened, boards.world.alpha, expected)
        )
        assert boards.said[0, one, other] == is_ahead(known, boards.world.alpha, expected)
        assert boards.said[0, other, one] == is_behind(known, boards.world.alpha, expected)
        said = PairEvidence(
            known.opened,
            most_ahead=log(1e99) if boards.said[0, one, other] else 0.0,
            most_behind=log(1e99) if boards.said[0, other, one] else 0.0,
        )
        found[names[one], names[other]] = said
    return found


def sums_of(boards: Boards, names: list[str]) -> tuple[dict[str, Sums], dict[Pair, PairSums]]:
    singles = {
        name: Sums(int(boards.rows_alone[0, at]), float(boards.alone[0, at])) for at, name in enumerate(names)
    }
    pairs = {
        (names[one], names[other]): PairSums(
            int(boards.n[0, one, other]),
            *(
                float(sums[0, one, other])
                for sums in (boards.apart, boards.together, boards.apart2, boards.together2)
            ),
        )
        for one, other in zip(*np.nonzero(boards.n[0]), strict=True)
    }
    return singles, pairs


def test_equal_bots_fall_asleep_and_those_apart_are_said() -> None:
    equal = Boards(World((0.0,) * 4), 20, 5)
    assert equal.run(2000).all()
    apart = Boards(World((9.0, 0.0, -9.0)), 10, 6)
    assert apart.run(2000).all()
    assert apart.said[:, 0, 1].all()
    assert apart.said[:, 1, 2].all()
    assert not np.tril(apart.said.any(axis=0)).any()
