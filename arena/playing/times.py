"""Parses times as people write them (`250ms`, `1.5s`, `2m`), and clocks (`DECISION+BANK`). Knows no match."""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from arena.system.errors import UserError
from protocol.messages import Limits
from protocol.units import Ms

T = TypeVar("T")
_UNITS: Final[Mapping[str, float]] = {"ms": 1, "s": 1000, "m": 60_000}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)")
DAY_MS: Final = Ms(86_400_000)


def milliseconds(text: str) -> Ms:
    """Parse a time such as `250ms`, `1.5s` or `2m`. Raises ValueError outside 1 ms to a day."""
    match = _DURATION.fullmatch(text)
    ms = Ms(round(float(match[1]) * _UNITS[match[2]]) if match else 0)
    if not 1 <= ms <= DAY_MS:
        raise ValueError(f"{text!r} is not a time like 250ms, 1s or 2m")
    return ms


def read(argument: str, text: str, by: Callable[[str], T]) -> T:
    """Parse an argument by `milliseconds` or `clock`. Raises UserError, which names the argument."""
    try:
        return by(text)
    except ValueError as error:
        raise UserError(f"{argument}: {error}") from None


def clock(text: str) -> Limits:
    """Parse a clock, `DECISION` or `DECISION+BANK`, such as `1s+10s`. Raises ValueError."""
    decision, plus, bank = text.partition("+")
    try:
        bank_ms = milliseconds(bank) if plus and bank != "0s" else Ms(0)
        return Limits(decision_ms=milliseconds(decision), bank_ms=bank_ms)
    except ValueError as error:
        raise ValueError(f"{error}; write DECISION+BANK, for example 1s+10s") from None
