"""Of equally cheap assignments the same one, whichever scipy would give; and so the same rounds."""

import random
from collections.abc import Callable, Iterator

import msgspec
import numpy as np
import pytest
import scipy.optimize
from scipy.optimize import linear_sum_assignment

from tests.support.changing import come_and_go, play
from tournaments import statistics
from tournaments.assignment import Columns, Costs, cheapest_assignment
from tournaments.formats import FORMATS, format_named
from tournaments.statistics import GainFit, GainRow

Solver = Callable[[Costs], tuple[Columns, Columns]]


def another_scipy(rng: "np.random.Generator") -> Solver:
    """As cheap as scipy's, and of equally cheap ones another: rows and columns are shuffled, and costs are
    some 1e-12 off, before it is asked."""

    def solve(costs: Costs) -> tuple[Columns, Columns]:
        assert len(costs) == len(costs.T)
        rows, columns = rng.permutation(len(costs)), rng.permutation(len(costs))
        shuffled = costs[np.ix_(rows, columns)] + rng.uniform(-1e-12, 1e-12, costs.shape)
        _, found = linear_sum_assignment(shuffled)
        by_row = np.empty(len(costs), dtype=np.intp)
        by_row[rows] = columns[found]
        return np.arange(len(costs)), by_row

    return solve


@pytest.mark.parametrize("size", [1, 2, 3, 8, 30])
def test_it_is_as_cheap_as_any_and_always_the_same(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(size)
    for spread in (1, 2, 5, 10**6, 2**60):
        costs = rng.integers(-spread, spread + 1, (size, size))
        found = cheapest_assignment(costs)
        assert sorted(found.tolist()) == list(range(size))
        if spread < 2**40:
            rows, columns = linear_sum_assignment(costs)
            assert costs[rows, found].sum() == costs[rows, columns].sum()
        for _ in range(5):
            with monkeypatch.context() as other:
                other.setattr(scipy.optimize, "linear_sum_assignment", another_scipy(rng))
                assert cheapest_assignment(costs).tolist() == found.tolist()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 16])
def test_without_scipy_it_is_the_same(size: int) -> None:
    rng = np.random.default_rng(size)
    for spread in (1, 2, 5, 10**6, 2**60):
        for _ in range(10):
            costs = rng.integers(-spread, spread + 1, (size, size))
            assert cheapest_assignment(costs, light=True).tolist() == cheapest_assignment(costs).tolist()


def test_vectors_that_hold_for_good() -> None:
    """A drawing of version 1 rests on these: what changes them is a new version (`formats.PAIRING`)."""
    assert cheapest_assignment(np.zeros((6, 6), dtype=np.int64)).tolist() == [1, 4, 0, 2, 3, 5]
    by_distance = abs(np.arange(7)[:, None] - np.arange(7)) // 2
    assert cheapest_assignment(by_distance).tolist() == [0, 2, 1, 4, 3, 5, 6]


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Puts another scipy in the place of ours, and a fit whose gains are some 1e-12 off."""

    def move(number: int) -> None:
        rng = np.random.default_rng(number)
        monkeypatch.setattr(scipy.optimize, "linear_sum_assignment", another_scipy(rng))

        def fitted(rows: list[GainRow], *others: object) -> GainFit:
            fit: GainFit = here(rows, *others)  # type: ignore[arg-type]
            return fit._replace(gain=fit.gain + rng.uniform(-1e-12, 1e-12, fit.gain.shape))

        monkeypatch.setattr(statistics, "fitted", fitted)

    here = statistics.fitted
    yield move
    monkeypatch.undo()


def drawn_elsewhere(format: str, count: int, pod_size: int, move: Callable[[int], None]) -> None:
    before = list(play(format, count, pod_size, come_and_go))
    move(random.Random(f"{format}/{count}/{pod_size}").randrange(2**32))
    for field, pods in before:
        assert format_named(format).draw(field) == pods


@pytest.mark.thorough  # 4 s of processor.
@pytest.mark.parametrize("format", FORMATS)
def test_rounds_are_the_same_wherever_they_are_drawn(format: str, elsewhere: Callable[[int], None]) -> None:
    drawn_elsewhere(format, 13, 3, elsewhere)


@pytest.mark.thorough
@pytest.mark.parametrize("pod_size", range(2, 9))
@pytest.mark.parametrize("count", [5, 12, 31])
@pytest.mark.parametrize("format", FORMATS)
def test_all_rounds_are_the_same_wherever_they_are_drawn(
    format: str, count: int, pod_size: int, elsewhere: Callable[[int], None]
) -> None:
    drawn_elsewhere(format, count, pod_size, elsewhere)


def test_by_the_rules_without_a_number_scipy_decides(elsewhere: Callable[[int], None]) -> None:
    """Which is why rounds drawn by them cannot be proved wrong."""
    rounds = [msgspec.structs.replace(field, pairing=0) for field, _ in play("swiss", 13, 3)]
    before = [format_named("swiss").draw(field) for field in rounds]
    elsewhere(7)
    assert [format_named("swiss").draw(field) for field in rounds] != before
