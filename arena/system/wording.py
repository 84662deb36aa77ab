"""Numbers and times for people, in sentences, tables and pages."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final

DAY_SECONDS: Final = 24 * 60 * 60
REPEATED: Final = frozenset({"anchors", "authors", "boards", "challengers", "groups", "options", "titles"})
"""Arguments whose flag is the singular."""
SWITCHES: Final = frozenset({"bounded", "final", "kit", "may_win", "trust"})
"""Arguments whose flag takes no value."""
_in_python: ContextVar[bool] = ContextVar("arena.in_python", default=False)


@contextlib.contextmanager
def for_python() -> Iterator[None]:
    """Sentences made in this context are for a Python program: they name arguments, not flags."""
    before = _in_python.set(True)
    try:
        yield
    finally:
        _in_python.reset(before)


class _Flag:
    """The arguments of commands as the reader of a sentence writes them. `flag.keep_bots` is `--keep-bots`,
    or `keep_bots` in Python; `flag.no_duplicates` is `--no-duplicates`, or `duplicates=False`."""

    def __getattr__(self, name: str) -> str:
        if not _in_python.get():
            return f"--{(name[:-1] if name in REPEATED else name).replace('_', '-')}"
        if name.startswith("no_"):
            return f"{name[3:]}=False"
        return f"{name}=True" if name in SWITCHES else name

    def __call__(self, shell: str, python: str) -> str:
        """An argument that has different names in the shell and in Python."""
        return python if _in_python.get() else shell


flag: Final = _Flag()


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 round`, `3 rounds`, `2 matches`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('ch') else 's'}"


def moment(at: float) -> str:
    """A clock reading, in seconds since 1970, for people."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"


def date(day: int) -> str:
    """A day, counted from 1970-01-01, for people."""
    return f"{datetime.fromtimestamp(day * DAY_SECONDS, UTC):%Y-%m-%d}"


def duration(seconds: float) -> str:
    """A duration for people: `9 s`, `12 min`, `1 h 05 min`, `3 days`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds >= 2 * DAY_SECONDS:
        return f"{seconds / DAY_SECONDS:.0f} days"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


def gain_text(gain: float | None, digits: int = 2) -> str:
    """A gain per deal, or the difference of two, as in every table; a dash for None."""
    return "–" if gain is None else f"{gain:+z.{digits}f}"


def interval(low: float | None, high: float | None) -> str:
    """The ends of an interval; a dash for None."""
    return "–" if low is None or high is None else f"{gain_text(low)} … {gain_text(high)}"


def probability(p: float | None) -> str:
    """A p-value; a dash for None."""
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def minus(text: str) -> str:
    """Numbers for pages and pictures, with the minus sign that is as wide as a plus."""
    return text.replace("-", "−")
