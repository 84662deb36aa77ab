"""The figures behind a table of standings: who is surely better than whom, what the seats were worth, what
duplicate deals saved, and how much a bot's gain varies.
"""

from typing import Final

import msgspec

from arena.record import Record
from tournaments.duplication import duplication
from tournaments.plan import measured_deviation
from tournaments.seat_gains import SeatGain, seat_gains
from tournaments.superiority import Superiority, superiorities

SIGNIFICANT: Final = 0.05


class Figures(msgspec.Struct, frozen=True):
    """`duplication` is None without duplicate deals, `deviation` (of a gain in a deal) without intervals."""

    superiority: tuple[Superiority, ...]
    seats: tuple[SeatGain, ...]
    duplication: float | None
    deviation: float | None


def figures(record: Record) -> Figures:
    who = (record.results, record.names, record.withdrawn)
    return Figures(
        superiority=superiorities(*who, unit=record.unit, widening=record.widening),
        seats=seat_gains(record.results, unit=record.unit),
        duplication=duplication(*who, unit=record.unit) if record.created.duplicates else None,
        deviation=measured_deviation(*who, unit=record.unit),
    )
