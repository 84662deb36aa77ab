"""Units of time as types, so that one is never taken for another, and their conversions.

Settings and messages are in milliseconds, logged times in microseconds, and clocks give seconds as floats.
"""

from typing import NewType

Ms = NewType("Ms", int)
"""Milliseconds."""
Us = NewType("Us", int)
"""Microseconds."""


def ms_to_seconds(ms: Ms) -> float:
    return ms / 1000


def seconds_to_ms(seconds: float) -> Ms:
    """Rounded down, so that nobody is granted more time than there is."""
    return Ms(int(seconds * 1000))


def us_to_seconds(us: Us) -> float:
    return us / 1e6


def seconds_to_us(seconds: float) -> Us:
    """Rounded to the nearest."""
    return Us(round(seconds * 1e6))


def us_to_ms(us: Us) -> float:
    """With its fraction."""
    return us / 1000
