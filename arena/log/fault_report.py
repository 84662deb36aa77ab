"""The faults of logged matches for people, one by one or grouped by reason. Also reports which bots used CPU
time while they were frozen; below a bound that is not a fault, but people should know it.

Knows logs, not where the rows are shown.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from arena.log.entries import (
    AnyEntry,
    Faulted,
    LogError,
    LoggedEntrant,
    MatchOpened,
    Measured,
    Overspent,
    parse,
)
from arena.log.last_error import last_error
from arena.system.text import called
from protocol.faults import FaultKind
from protocol.units import Us, us_to_seconds

QUOTED: Final = 40
"""Characters quoted from a malformed line."""
PARTICULAR: Final = re.compile(r"""'[^']*'|"[^"]*"|\b[A-Z]?\d+\b""")
"""The parts of a reason that differ from one fault to the next: words in quotes, cards, numbers."""


TO_BLAME: Final = 0.1
"""If a bot lost more than this fraction of its time to the machine, that may be why the time ran out."""
OWN_LAG_US: Final = Us(20_000)
"""The referee may cause this much lateness itself, since one wait in the kernel takes up to that long."""
BUSY: Final = 0.9
"""A bot that used at least this fraction of its time as CPU time was computing throughout."""
IDLE: Final = 0.1
"""A bot that computed or queued for at most this fraction of its time was waiting for something."""


class FaultRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One fault."""

    match: str
    bot: str
    seat: int
    kind: FaultKind
    deal: int
    """From 1; 0 before the first deal."""
    request: int
    """Its number in the match, from 1; 0 for the handshake."""
    detail: str
    sent: str
    """What the referee sent."""
    reply: str
    """What the bot wrote."""
    status: int | None
    """The exit status, negative for a signal; None if the process did not end by itself."""
    stderr: str
    us: Us
    """The microseconds that the bot took."""
    forfeits: bool
    """Whether it forfeited the match."""
    measured: Measured | None = None
    """How much of the machine the bot got; None unless its time ran out."""
    title: str = ""
    """What people read instead of the name; "" for the name itself."""

    @property
    def called(self) -> str:
        """The text shown to people: the title, or else the name."""
        return called(self.bot, self.title)

    @property
    def machine(self) -> str:
        """How much of the machine the bot got, as a sentence; "" if that was not measured."""
        if (seen := self.measured) is None:
            return ""
        used = f"its {_time(self.us)} had passed before its CPU time was measured"
        if seen.us:
            used = (
                f"used at least {_time(seen.cpu_us)} of CPU in the last {_time(seen.us)} of its "
                f"{_time(self.us)}, and waited at least {_time(seen.queued_us)} for a core"
            )
        core = "no other match had its core" if seen.own_core else "other matches may have had its core too"
        return f"{used}; the machine was at most {_time(seen.lag_us)} late; {core}"

    @property
    def machine_may_be_to_blame(self) -> bool:
        """Whether the bot may have lost much of its time to the machine."""
        if (seen := self.measured) is None:
            return False
        # Threads of one bot also queue for each other; while one of them computed, the bot did not wait.
        lost = min(seen.queued_us, seen.us - seen.cpu_us)
        late = max(OWN_LAG_US, TO_BLAME * self.us)
        return lost > TO_BLAME * seen.us or seen.lag_us > late

    @property
    def judgement(self) -> str:
        """The conclusion from the measurements; "" if there is none."""
        seen = self.measured
        if self.machine_may_be_to_blame:
            return "the machine may be to blame"
        if seen is None or not seen.us:
            return ""
        if seen.cpu_us >= BUSY * seen.us:
            return "it was computing all the time"
        if seen.cpu_us + seen.queued_us <= IDLE * seen.us:
            return "it used almost no CPU time: it was sleeping, or waiting for something"
        return ""

    @property
    def moment(self) -> str:
        """When it happened, as a phrase."""
        return f"deal {self.deal}, request {self.request}" if self.request else "at the start"

    @property
    def ended(self) -> str:
        """How the process ended, as a phrase; "" if it did not end by itself."""
        if self.status is None:
            return ""
        return f"exit status {self.status}" if self.status >= 0 else f"signal {-self.status}"

    @property
    def why(self) -> str:
        """The detail of the fault and how the process ended, without quoting the bot."""
        return "; ".join(filter(None, (self.detail, self.ended)))

    @property
    def beginning(self) -> str:
        """The beginning of the bot's line, quoted, if it was not a valid message; otherwise ""."""
        if self.kind not in (FaultKind.MALFORMED, FaultKind.HANDSHAKE) or not self.reply:
            return ""
        line = self.reply.strip()
        return f"“{line[:QUOTED]}…”" if len(line) > QUOTED else f"“{line}”"

    @property
    def last_error(self) -> str:
        """The line of standard error that says why the bot ended."""
        return last_error(self.stderr)[:120]


class ExcessRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A bot whose processes used CPU time in a match while it was frozen."""

    match: str
    bot: str
    seconds: float
    """Of CPU time."""
    title: str = ""

    @property
    def called(self) -> str:
        """The text shown to people: the title, or else the name."""
        return called(self.bot, self.title)


def _time(us: Us) -> str:
    """As text in hundredths of a second, or below 100 ms in milliseconds, rounded up."""
    return f"{us_to_seconds(us):.2f} s" if us >= 100_000 else f"{-(-us // 1000)} ms"


class SimilarFaults(msgspec.Struct, frozen=True):
    """The faults of one bot of the same kind and for the same reason, in the order of the rows. `why` is the
    reason in the words of the first one."""

    why: str
    rows: tuple[FaultRow, ...]


def names_in(entries: Sequence[AnyEntry]) -> set[str]:
    """The names of the entrants in a logged match."""
    opened = entries[0]
    assert isinstance(opened, MatchOpened)
    return {entrant.name for entrant in opened.entrants}


def fault_rows(log: str) -> list[FaultRow]:
    """The faults of a match log. Raises LogError."""
    return faults_in(parse(log.encode()))


def faults_in(entries: Sequence[AnyEntry]) -> list[FaultRow]:
    """The faults among the entries of a log. Raises LogError."""
    opened = entries[0]
    assert isinstance(opened, MatchOpened)
    return [
        FaultRow(
            match=opened.match_id,
            bot=_bot(opened, line_no, entry.seat).name,
            seat=entry.seat,
            kind=entry.kind,
            deal=entry.deal_no,
            request=entry.id,
            detail=entry.detail,
            sent=entry.request,
            reply=entry.reply,
            status=entry.status,
            stderr=entry.stderr,
            us=entry.us,
            forfeits=entry.forfeits,
            measured=entry.measured,
            title=opened.entrants[entry.seat].title,
        )
        for line_no, entry in enumerate(entries, 1)
        if isinstance(entry, Faulted)
    ]


def excess_in(entries: Sequence[AnyEntry]) -> list[ExcessRow]:
    """The bots that used CPU time while they were frozen, from the entries of a log. Raises LogError."""
    opened = entries[0]
    assert isinstance(opened, MatchOpened)
    return [
        ExcessRow(opened.match_id, bot.name, us_to_seconds(entry.us), bot.title)
        for line_no, entry in enumerate(entries, 1)
        if isinstance(entry, Overspent)
        for bot in [_bot(opened, line_no, entry.seat)]
    ]


def _bot(opened: MatchOpened, line_no: int, seat: int) -> LoggedEntrant:
    if not 0 <= seat < len(opened.entrants):
        raise LogError(f"line {line_no}: there is no seat {seat}")
    return opened.entrants[seat]


def alike(rows: Iterable[FaultRow], *, with_stderr: bool) -> list[SimilarFaults]:
    """Group faults by bot, kind and reason, so that a repeated mistake is shown once, whatever action, card
    or number it was about. With `with_stderr`, the error in standard error is part of the reason."""
    groups: dict[tuple[str, str, str], list[FaultRow]] = {}
    for row in rows:
        reason = PARTICULAR.sub("", "; ".join(_reasons(row, with_stderr)))
        groups.setdefault((row.bot, row.kind, reason), []).append(row)
    return [
        SimilarFaults(
            "; ".join(filter(None, (*_reasons(group[0], with_stderr), group[0].beginning))), tuple(group)
        )
        for group in groups.values()
    ]


def _reasons(row: FaultRow, with_stderr: bool) -> list[str]:
    words = f"stderr: {row.last_error}" if with_stderr and row.last_error else ""
    return [reason for reason in (row.why, words) if reason]
