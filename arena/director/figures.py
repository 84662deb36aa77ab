"""The figures behind the standings: which bot is better than which, who met whom, the gain of each seat, how
much duplicate deals reduced the luck of the cards, and how much a bot's gain varies."""

from math import isfinite
from typing import Final

import msgspec

from arena.director.cache import remembered
from arena.director.state import Record
from tournaments.duplication import duplication
from tournaments.meetings import Meeting, meetings
from tournaments.plan import measured_spread
from tournaments.results import in_match_order
from tournaments.seat_gains import SeatGain, seat_gains
from tournaments.superiority import Superiority, superiorities

SIGNIFICANT: Final = 0.05


class Figures(msgspec.Struct, frozen=True):
    """The figures behind the standings."""

    superiority: tuple[Superiority, ...]
    meetings: tuple[Meeting, ...]
    seats: tuple[SeatGain, ...]
    duplication: float | None
    """By what factor duplicate deals reduced the variance of gains; None without duplicates or intervals."""
    deviation: float | None
    """The standard deviation of a gain in a deal; None without intervals."""
    correlation: float | None
    """The share of its variance that the deals of a pod have in common; None without intervals."""


def figures(record: Record) -> Figures:
    """All figures from the results so far. Takes seconds unless cached, as `record.widening` does."""
    fielded = record.fielded
    results = in_match_order(fielded.results)
    follows_from = (
        (results, *fielded[1:], record.widening),
        (record.independent_deals, record.created.duplicates),
    )
    return remembered("figures", follows_from, Figures, lambda: _computed(record))


def _computed(record: Record) -> Figures:
    fielded = record.fielded
    spread = measured_spread(*fielded) if isfinite(record.widening) else None
    return Figures(
        superiority=superiorities(*fielded, widening=record.widening),
        meetings=meetings(fielded.results, fielded.entrants),
        seats=seat_gains(record.results, independent_deals=record.independent_deals),
        duplication=duplication(*fielded) if record.created.duplicates else None,
        deviation=spread and spread.deviation,
        correlation=spread and spread.correlation,
    )
