"""What each seat gains, whoever sits there: whether the game or the dealing favours a seat.

For every unit (a deal over all its seatings, or a pod) the mean gain in a seat above the mean of the table is
taken. Over u units this gives the mean, its standard error (the standard deviation / √u), and for their ratio
the two-sided p of Student's t with u − 1 degrees of freedom ("Student", Biometrika 6, 1908). With fair
dealing the mean is far from 0 only if the rules favour a seat, as by leading. Entrants are assigned to seats
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
    """gain: per deal. error: its standard error. p: the probability of at least such a gain, in either
    direction, by chance alone. error and p are None below FEWEST_UNITS. Rounded to 6 decimals."""

    seat: int
    gain: float
    error: float | None
    p: float | None


def seat_gains(results: Iterable[MatchResult], *, independent_deals: bool = True) -> tuple[SeatGain, ...]:
    """The gain of each seat. It is computed from gains as played, those of substitutes included, since the
    cards are judged. All matches must have the same number of seats. `independent_deals`: see Game; if true
    the unit is the deal, else the pod."""
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
