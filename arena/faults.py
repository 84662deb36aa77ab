"""The faults of logged matches as people want them told: one by one, or those alike together. Also who took
CPU time that was the others', which is no fault, but should be known.

Knows logs; not where they are told.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from arena.matchlog import AnyEntry, Faulted, LogError, LoggedEntrant, Opened, Overspent, parse
from arena.sanitise import called
from protocol.faults import FaultKind

QUOTED: Final = 40
"""Characters of a malformed line that are told."""
PARTICULAR: Final = re.compile(r"""'[^']*'|"[^"]*"|\b[A-Z]?\d+\b""")
"""What differs from one time to the next: words in quotes, cards, numbers."""


class FaultRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One fault. `deal` 0 and `request` 0 are the time before the first; `sent` and `reply` are what the bot
    was told and what it wrote, `status` is its exit status, negative for a signal, None if it did not end by
    itself."""

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
    title: str = ""

    @property
    def called(self) -> str:
        """The bot, for people."""
        return called(self.bot, self.title)

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


class Alike(msgspec.Struct, frozen=True):
    """The faults of one bot of one kind for one reason, in the order in which they happened; `why` is that of
    the first."""

    why: str
    rows: tuple[FaultRow, ...]


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
