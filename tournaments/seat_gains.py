"""What each seat gains, whoever sits there: whether the game or the dealing favours a seat.

Each unit (a deal over all its seatings, or a pod) has a mean gain in a seat, above the mean of the table.
Over u units this gives the mean, its standard error (the standard deviation / √u), and for their ratio the
two-sided p of Student's t with u − 1 degrees of freedom ("Student", Biometrika 6, 1908). If the dealing is
fair, the mean is far from 0 only if the rules favour a seat, for example by leading. Entrants get their seats
by lot: their strengths are noise here, which duplicates remove. Knows no entrants.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import msgspec
import numpy as np

from tournaments.results import MatchResult, in_match_order
from tournaments.statistics import rounded
from tournaments.student import two_sided

FEWEST_UNITS: Final = 3
"""With fewer units there is no standard error."""


class SeatGain(msgspec.Struct, frozen=True):
    """What a seat gains, rounded to 6 decimals. The units are deals, or pods if deals depend on each
    other."""

    seat: int
    gain: float
    """Per deal."""
    error: float | None
    """The standard error of the gain; None below three units."""
    p: float | None
    """The probability of such a gain, or a greater one, in either direction, by chance alone; None below
    three units."""


def seat_gains(results: Iterable[MatchResult], *, independent_deals: bool = True) -> tuple[SeatGain, ...]:
    """The gain of each seat, from gains as played, those of substitutes included, since this is about the
    cards. All matches must have the same number of seats. `independent_deals`: the unit is the deal, else
    the pod; see Game."""
    tables = defaultdict[tuple[int, ...], list[list[float]]](list)
    for result in in_match_order(results):
        for deal_no, gains in enumerate(result.gains, start=1):
            pod = (result.round_no, result.pod_no)
            mean = sum(gains) / len(gains)
            tables[(*pod, deal_no) if independent_deals else pod].append([gain - mean for gain in gains])
    if not tables:
        return ()
    means = np.array([np.mean(of_unit, axis=0) for of_unit in tables.values()])
    count = len(means)
    gain = means.mean(axis=0)
    if count < FEWEST_UNITS:
        return tuple(SeatGain(seat, rounded(of_seat), None, None) for seat, of_seat in enumerate(gain))
    error = means.std(axis=0, ddof=1) / count**0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(error > 0, two_sided(count - 1, abs(gain) / error), gain == 0)
    return tuple(
        SeatGain(seat, *(rounded(value) for value in of_seat))
        for seat, of_seat in enumerate(zip(gain, error, p, strict=True))
    )
