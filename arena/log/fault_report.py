"""The faults of logged matches as people want them told: one by one, or those alike together. Also who took
CPU time that was the others', which is a fault only beyond a bound, but should be known.

Knows logs; not where they are told.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from arena.log.entries import AnyEntry, Faulted, LogError, LoggedEntrant, Measured, Opened, Overspent, parse
from arena.system.text import called
from protocol.faults import FaultKind

QUOTED: Final = 40
"""Characters of a malformed line that are told."""
PARTICULAR: Final = re.compile(r"""'[^']*'|"[^"]*"|\b[A-Z]?\d+\b""")
"""What differs from one time to the next: words in quotes, cards, numbers."""


TO_BLAME: Final = 0.1
"""Of its time: so much, lost to the machine, may be why a bot ran out of it."""
OWN_LAG_US: Final = 20_000
"""So late the referee may be by its own doing, since it waits in the kernel for as long as that."""
BUSY: Final = 0.9
IDLE: Final = 0.1
"""Of its time, in which a bot computed or waited for a core."""


class FaultRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One fault. `deal` 0 and `request` 0 are the time before the first; `sent` and `reply` are what the bot
    was told and what it wrote, `status` is its exit status, negative for a signal, None if it did not end by
    itself; `measured` what it got of the machine, where its time ran out."""

    match: str
    bot: str
    seat: int
    kind: FaultKind
    deal: int
    request: int
    detail: str
    sent: str
    reply: str
    status: int | None
    stderr: str
    us: int
    forfeits: bool
    measured: Measured | None = None
    title: str = ""

    @property
    def called(self) -> str:
        """The bot, for people."""
        return called(self.bot, self.title)

    @property
    def machine(self) -> str:
        """What the bot got of the machine, as a sentence; empty where that was not measured."""
        if (seen := self.measured) is None:
            return ""
        used = f"its {_time(self.us)} were over before anybody looked at its CPU time"
        if seen.us:
            used = (
                f"used at least {_time(seen.cpu_us)} of CPU in the last {_time(seen.us)} of its "
                f"{_time(self.us)}, and waited at least {_time(seen.queued_us)} for a core"
            )
        core = "no other match had its core" if seen.own_core else "other matches may have had its core too"
        return f"{used}; the machine was at most {_time(seen.lag_us)} late; {core}"

    @property
    def machine_may_be_to_blame(self) -> bool:
        """Whether the bot could have lost much of its time to the machine. It cannot have waited while it
        computed, however long its threads stood in each other's way."""
        if (seen := self.measured) is None:
            return False
        lost = min(seen.queued_us, seen.us - seen.cpu_us)
        late = max(OWN_LAG_US, TO_BLAME * self.us)
        return lost > TO_BLAME * seen.us or seen.lag_us > late

    @property
    def judgement(self) -> str:
        """What follows from what was measured; empty where nothing does."""
        seen = self.measured
        if self.machine_may_be_to_blame:
            return "the machine may be to blame"
        if seen is None or not seen.us:
            return ""
        if seen.cpu_us >= BUSY * seen.us:
            return "it was computing all the time"
        if seen.cpu_us + seen.queued_us <= IDLE * seen.us:
            return "it computed next to nothing: it slept, or waited for something"
        return ""

    @property
    def moment(self) -> str:
        return f"deal {self.deal}, request {self.request}" if self.request else "at the start"

    @property
    def ended(self) -> str:
        if self.status is None:
            return ""
        return f"exit status {self.status}" if self.status >= 0 else f"signal {-self.status}"

    @property
    def why(self) -> str:
        return "; ".join(filter(None, (self.detail, self.ended)))

    @property
    def beginning(self) -> str:
        """Of the line that it wrote, where that was no message."""
        if self.kind not in (FaultKind.MALFORMED, FaultKind.HANDSHAKE) or not self.reply:
            return ""
        line = self.reply.strip()
        return f"“{line[:QUOTED]}…”" if len(line) > QUOTED else f"“{line}”"

    @property
    def last_words(self) -> str:
        """The last line that the bot wrote to its standard error."""
        return self.stderr.strip().rpartition("\n")[2][:120]


class ExcessRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Seconds of CPU time that a bot's processes took in one match while it was frozen."""

    match: str
    bot: str
    seconds: float
    title: str = ""

    @property
    def called(self) -> str:
        """The bot, for people."""
        return called(self.bot, self.title)


def _time(us: int) -> str:
    """To the hundredth of a second, or up to the next millisecond."""
    return f"{us / 1e6:.2f} s" if us >= 100_000 else f"{-(-us // 1000)} ms"


class Alike(msgspec.Struct, frozen=True):
    """The faults of one bot of one kind for one reason, in the order in which they happened; `why` is that of
    the first."""

    why: str
    rows: tuple[FaultRow, ...]


def names_in(entries: Sequence[AnyEntry]) -> set[str]:
    """Who sat in the match that a log tells of."""
    opened = entries[0]
    assert isinstance(opened, Opened)
    return {entrant.name for entrant in opened.entrants}


def fault_rows(log: str) -> list[FaultRow]:
    """The faults of a match log. Raises LogError."""
    return faults_in(parse(log.encode()))


def faults_in(entries: Sequence[AnyEntry]) -> list[FaultRow]:
    """The faults among the entries of a log. Raises LogError."""
    opened = entries[0]
    assert isinstance(opened, Opened)
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
    """Who took the others' time, among the entries of a log. Raises LogError."""
    opened = entries[0]
    assert isinstance(opened, Opened)
    return [
        ExcessRow(opened.match_id, bot.name, entry.us / 1e6, bot.title)
        for line_no, entry in enumerate(entries, 1)
        if isinstance(entry, Overspent)
        for bot in [_bot(opened, line_no, entry.seat)]
    ]


def _bot(opened: Opened, line_no: int, seat: int) -> LoggedEntrant:
    if not 0 <= seat < len(opened.entrants):
        raise LogError(f"line {line_no}: there is no seat {seat}")
    return opened.entrants[seat]


def alike(rows: Iterable[FaultRow], *, with_stderr: bool) -> list[Alike]:
    """What a bot did again and again stands there once, whatever action, card or number it was about. What it
    wrote to its standard error is part of the reason only if it may be told."""
    groups: dict[tuple[str, str, str], list[FaultRow]] = {}
    for row in rows:
        reason = PARTICULAR.sub("", "; ".join(_reasons(row, with_stderr)))
        groups.setdefault((row.bot, row.kind, reason), []).append(row)
    return [
        Alike("; ".join(filter(None, (*_reasons(some[0], with_stderr), some[0].beginning))), tuple(some))
        for some in groups.values()
    ]


def _reasons(row: FaultRow, with_stderr: bool) -> list[str]:
    words = f"stderr: {row.last_words}" if with_stderr and row.last_words else ""
    return [reason for reason in (row.why, words) if reason]
