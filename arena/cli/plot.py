"""Intervals as bars on one axis, for a column of a table in the terminal."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.system.wording import gain_text

WIDTH: Final = 31
"""Width of an axis, in characters."""


class Span(NamedTuple):
    """A value with the ends of its interval; each is None if unknown."""

    low: float | None
    at: float
    high: float | None


class Plot(NamedTuple):
    """The bars, and the ends of their common axis."""

    bars: list[str]
    low: float
    high: float

    @property
    def legend(self) -> str:
        """A sentence that explains the axis."""
        return f"the plot ranges from {gain_text(self.low)} to {gain_text(self.high)}; ┊ is 0, ◆ the strength"


def plot(spans: Sequence[Span | None]) -> Plot:
    """A bar for each span, "" for a missing one. The axis covers all of them, and 0."""
    ends = [end for span in spans if span for end in span if end is not None]
    low, high = min(ends, default=0.0), max(ends, default=0.0)
    low, high = min(low, 0.0), max(high, 0.0)

    def column(value: float) -> int:
        return round((value - low) / (high - low) * (WIDTH - 1)) if high > low else 0

    def bar(span: Span | None) -> str:
        if span is None:
            return ""
        cells = [" "] * WIDTH
        if span.low is not None and span.high is not None:
            first, last = column(span.low), column(span.high)
            cells[first : last + 1] = "─" * (last + 1 - first)
            cells[first], cells[last] = "├", "┤"
        cells[column(0.0)] = "┊"
        cells[column(span.at)] = "◆"
        return "".join(cells).rstrip()

    return Plot([bar(span) for span in spans], low, high)
