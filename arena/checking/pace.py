"""How fast a bot answers, and which limits are safe for it. Pure numbers, all in milliseconds."""

import math
from collections.abc import Sequence
from typing import Final

import msgspec

LADDER_MS: Final = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
"""Limits that people usually choose."""

MARGIN: Final = 2.0
"""A limit is safe if the slowest reply would be in time even on a machine half as fast."""


class ReplyTimes(msgspec.Struct, frozen=True):
    """The durations of a bot's replies in complete matches, in milliseconds."""

    replies: int
    """The number of replies."""
    p50: float
    """A percentile, as are `p95` and `p99`."""
    p95: float
    p99: float
    slowest: float
    safe: int | None
    """The lowest limit of LADDER_MS that is safe without a bank; None if none is, or if a reply timed
    out, since its true duration is unknown."""


def pace(times: Sequence[float], timed_out: bool = False) -> ReplyTimes | None:
    """Summarize the durations of replies in milliseconds; None if there are none."""
    if not times:
        return None
    ordered = sorted(times)
    slowest = ordered[-1]
    return ReplyTimes(
        replies=len(ordered),
        p50=percentile(ordered, 50),
        p95=percentile(ordered, 95),
        p99=percentile(ordered, 99),
        slowest=round(slowest, 3),
        safe=None if timed_out else enough(slowest),
    )


def enough(slowest: float) -> int | None:
    """The lowest limit of LADDER_MS that is safe for a reply of `slowest` milliseconds; None if none is."""
    return next((limit for limit in LADDER_MS if limit >= MARGIN * slowest), None)


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The percentile of sorted values by the nearest-rank method, rounded to microseconds."""
    return round(ordered[math.ceil(len(ordered) * percent / 100) - 1], 3)
