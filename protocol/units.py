"""Units of time as types, so that a number of one is never taken for another, and their conversions.

People set times in milliseconds, and bots are told them so; what is measured is logged in microseconds.
Seconds are floats, as clocks give them.
"""

from typing import NewType

Ms = NewType("Ms", int)
"""Milliseconds."""
Us = NewType("Us", int)
"""Microseconds."""


def ms_to_seconds(ms: Ms) -> float:
    return ms / 1000


def seconds_to_ms(seconds: float) -> Ms:
    """Rounded down: what is granted is not more than there is."""
    return Ms(int(seconds * 1000))


def us_to_seconds(us: Us) -> float:
    return us / 1e6


def seconds_to_us(seconds: float) -> Us:
    """Rounded to the nearest."""
    return Us(round(seconds * 1e6))


def us_to_ms(us: Us) -> float:
    """With its fraction."""
    return us / 1000
