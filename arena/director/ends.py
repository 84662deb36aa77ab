"""Parses when a tournament has to end: `--until 11:30` and `--minutes 40`."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from arena.director.entries import Deadline
from arena.playing.arguments import Argument
from arena.system.errors import UserError
from arena.system.wording import duration, flag

_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_DATED: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_SOON: Final = timedelta(hours=12)
"""A time that has passed today means tomorrow if that is nearer than this, as 00:30 in the evening."""
MOST_MINUTES: Final = 7 * 24 * 60

Until: TypeAlias = Annotated[
    str | None,
    Argument("Play as many rounds as fit before this time: 11:30, or 2026-05-07T11:30.", metavar="TIME"),
]
ForMinutes: TypeAlias = Annotated[
    Annotated[float, msgspec.Meta(ge=0, le=MOST_MINUTES)] | None,
    Argument("Play as many rounds as fit in this many minutes."),
]


class EndTime(NamedTuple):
    """The moment in seconds since 1970. `by_clock`: it was given as a time of day, not as a duration."""

    at: int
    by_clock: bool

    def deadline(self, most_rounds: int) -> Deadline:
        """The entry for the journal."""
        return Deadline(self.at, most_rounds, self.by_clock)


def when(until: str | None, minutes: float | None, now: datetime | None = None) -> EndTime | None:
    """Parse --until and --minutes; None if neither is given. `now` defaults to the present. Times without a
    zone are local. Raises UserError."""
    if until is None and minutes is None:
        return None
    if until is not None and minutes is not None:
        raise UserError(f"{flag.until} and {flag.minutes}: give only one of them")
    now = now or datetime.now().astimezone()
    if minutes is not None:
        return EndTime(int(now.timestamp() + 60 * minutes), by_clock=False)
    assert until is not None
    return EndTime(int(_moment(until, now).timestamp()), by_clock=True)


def clock_text(deadline: Deadline) -> str:
    """The local time of a deadline, as text."""
    return f"{datetime.fromtimestamp(deadline.at).astimezone():%H:%M:%S}"


def _moment(text: str, now: datetime) -> datetime:
    if clock := _CLOCK.fullmatch(text):
        return _next(text, int(clock[1]), int(clock[2]), now)
    try:
        if not _DATED.fullmatch(text):
            raise ValueError
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError):
        raise UserError(f"{flag.until} {text!r} is not a time like 11:30 or 2026-05-07T11:30") from None
    if moment <= now:
        raise UserError(f"{flag.until} {text}: that was {_ago(now - moment)} ago; name a time in the future")
    if moment - now > timedelta(minutes=MOST_MINUTES):
        raise UserError(f"{flag.until} {text}: that is more than a week from now; name an earlier time")
    return moment


def _next(text: str, hour: int, minute: int, now: datetime) -> datetime:
    """The next moment at which a clock shows this time. Raises UserError if that is too far away."""
    coming = [moment for moment in _occurrences(hour, minute, now) if moment > now]
    if coming and (coming[0].date() == now.date() or coming[0] - now < _SOON):
        return coming[0]
    if not coming:
        raise UserError(
            f"{flag.until} {text}: no clock shows that time today, since clocks go forward; name a later time"
        )
    passed = _ago(now - (coming[0] - timedelta(days=1)))
    raise UserError(
        f"{flag.until} {text}: that was {passed} ago; name a time in the future, or for tomorrow "
        f"{flag.until} {coming[0]:%Y-%m-%dT%H:%M}"
    )


def _occurrences(hour: int, minute: int, now: datetime) -> Iterator[datetime]:
    """The moments today and tomorrow at which a clock shows this time. When clocks are changed, some times
    occur twice and others never."""
    for day in (0, 1):
        naive = (now + timedelta(days=day)).replace(
            hour=hour, minute=minute, second=0, microsecond=0, tzinfo=None
        )
        for fold in (0, 1):
            moment = naive.replace(fold=fold).astimezone()
            if moment.replace(tzinfo=None, fold=0) == naive:
                yield moment


def _ago(passed: timedelta) -> str:
    return duration(max(1.0, passed.total_seconds()))
