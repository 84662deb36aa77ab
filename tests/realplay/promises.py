"""What a table promises, held against the truth: intervals, rank ranges and significant pairs.

Knows neither how tournaments are played nor how many.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np

from tests.realplay.resampled import Programs
from tests.realplay.versions import VERSIONS
from tournaments.standings import Standings
from tournaments.superiority import Superiority

EQUAL: Final = 1e-9
"""Strengths of the same program, reckoned once, differ by nothing; others by far more."""


class Trial(NamedTuple):
    """One tournament. By version: the entrants, how many have an interval, how many of these hold the truth;
    and the gains and half widths of all that have one, beside the version of each. pairs: whether any pair
    is falsely called significant: at p < .05, by Holm, and the same of copies alone."""

    entrants: list[int]
    known: list[int]
    held: list[int]
    ranges: float
    of: list[int]
    gains: list[float]
    halves: list[float]
    pairs: tuple[bool, bool, bool, bool]


def judged(
    table: Standings, pairs: Sequence[Superiority], programs: Programs, true: Sequence[float]
) -> Trial:
    entrants, known, held = ([0] * len(VERSIONS) for _ in range(3))
    of, gains, halves, ranges = [], [], [], []
    everybody = np.array([true[version] for version in programs.values()])
    for row in table.entrants:
        version = programs[row.name]
        own = true[version]
        entrants[version] += 1
        if row.gain is not None and row.low is not None and row.high is not None:
            known[version] += 1
            held[version] += row.low <= own <= row.high
            of.append(version)
            gains.append(row.gain)
            halves.append((row.high - row.low) / 2)
        if row.rank_low is not None and row.rank_high is not None:
            best = 1 + int((everybody > own + EQUAL).sum())
            worst = len(everybody) - int((everybody < own - EQUAL).sum())
            ranges.append(row.rank_low <= worst and best <= row.rank_high)
    copies = [programs[pair.better] == programs[pair.worse] for pair in pairs]
    wrong = [true[programs[pair.better]] < true[programs[pair.worse]] + EQUAL for pair in pairs]
    single = [pair.p < 0.05 for pair in pairs]
    together = [pair.holm < 0.05 for pair in pairs]
    alarms = [
        any(is_false and significant for is_false, significant in zip(kind, by, strict=True))
        for kind in (wrong, copies)
        for by in (single, together)
    ]
    return Trial(
        entrants,
        known,
        held,
        fmean(ranges) if ranges else 1.0,
        of,
        gains,
        halves,
        (*alarms,),  # type: ignore[arg-type]
    )
