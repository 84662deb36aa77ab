"""The axes of drawings: fitted to what is drawn, and marked at round values."""

import pytest

from arena.report.axes import MARGIN, MOST_STEPS, axis


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ((-3.2, 4.1), (-2, 0, 2, 4)),
        ((-12, 24), (-10, 0, 10, 20)),
        ((-0.031, 0.05), (-0.02, 0, 0.02, 0.04)),
        ((150, 900), (0, 200, 400, 600, 800)),
        ((), (-1, -0.5, 0, 0.5, 1)),
    ],
)
def test_ticks_are_round_values_within_the_range(values: tuple[float, ...], ticks: tuple[float, ...]) -> None:
    assert axis(values).ticks == ticks


def test_values_fill_the_axis_but_for_its_margins() -> None:
    for size in (1e-6, 0.3, 1.0, 7.7, 1000.0, 123456.0):
        fitted = axis((-size, 2 * size))
        free = 100 * MARGIN / (1 + 2 * MARGIN)
        assert fitted.at(-size) == pytest.approx(free, abs=0.01)
        assert fitted.at(2 * size) == pytest.approx(100 - free, abs=0.01)
        assert 2 <= len(fitted.ticks) <= MOST_STEPS + 1
        assert fitted.low < fitted.ticks[0] < fitted.ticks[-1] < fitted.high


def test_a_value_beyond_the_axis_is_at_its_end() -> None:
    fitted = axis((-1, 1))
    assert (fitted.at(-5), fitted.at(0), fitted.at(5)) == (0, 50, 100)
