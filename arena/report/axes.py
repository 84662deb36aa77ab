"""The axis of a drawing: the range of its values, and the round values marked on it.

Knows neither what is drawn nor how wide.
"""

import math
from collections.abc import Iterable
from typing import Final

import msgspec

STEPS: Final = (1, 2, 5, 10)
MOST_STEPS: Final = 5
MARGIN: Final = 0.04
"""The part of the range that stays empty at each end."""


class Axis(msgspec.Struct, frozen=True):
    """From `low` to `high`; `ticks` are the round values between them."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """The place of a value, from 0 to 100. A value beyond an end is at that end."""
        place = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, place)), 2)


def axis(values: Iterable[float]) -> Axis:
    """The axis that fits 0 and all `values`."""
    ends = [0.0, *values]
    free = MARGIN * (max(ends) - min(ends)) or 1.0
    low, high = min(ends) - free, max(ends) + free
    step = _step(high - low)
    first, last = math.ceil(low / step), math.floor(high / step)
    return Axis(low, high, tuple(round(at * step, 9) for at in range(first, last + 1)))


def span(values: Iterable[float]) -> Axis:
    """An axis from the smallest to the largest of `values`, at least 1 wide (they are counts), without
    marks."""
    ends = [*values] or [0.0]
    return Axis(min(ends), max(max(ends), min(ends) + 1), ())


def _step(span: float) -> float:
    """The smallest round number that fits into `span` at most MOST_STEPS times."""
    power = 10.0 ** math.floor(math.log10(span / MOST_STEPS))
    return next(step * power for step in STEPS if span <= MOST_STEPS * step * power or step == STEPS[-1])
