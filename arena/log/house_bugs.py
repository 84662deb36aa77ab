"""Failures of the arena's own bots in logged matches, which are bugs of ours, with what is needed to
reproduce them.

Knows logs, not where the sentences are shown.
"""

from collections.abc import Iterable, Sequence

import msgspec

from arena.log.entries import BUG_LIMIT, Acted, AnyEntry, Faulted
from arena.system.text import caption


class HouseBug(msgspec.Struct, frozen=True):
    """A failure of one of the arena's own bots in a match."""

    seat: int
    line: int
    """The line of the log in which it first appears, from 1."""
    request: int
    """The number of the request there; 0 for the handshake."""
    what: str
    times: int = 1
    """How often it happened in the match."""

    @property
    def cleaned(self) -> "HouseBug":
        """The same with its text sanitised, since it may come from a stranger's journal."""
        return msgspec.structs.replace(self, what=caption(self.what, BUG_LIMIT))


class HouseBugRow(msgspec.Struct, frozen=True):
    """A failure of one of the arena's own bots. `match`, `seat`, `request` and `line` are those of the
    first time."""

    bot: str
    program: str
    """The bot as named on a command line."""
    what: str
    match: str
    seat: int
    request: int
    line: int
    log: str = ""
    """The path of the log of `match`; "" if it was not kept."""
    times: int = 1
    """How often it happened in all."""
    matches: int = 1
    """The number of matches in which it happened."""

    @property
    def sentence(self) -> str:
        """The failure as a sentence for people."""
        often = "once" if self.times == 1 else f"{self.times} times"
        matches = f", in {self.matches} matches" if self.matches > 1 else ""
        where = f"{self.log or self.match}, line {self.line}"
        return f"a bug in the arena: its own bot {self.bot} failed {often}{matches} ({where}): {self.what}"


def house_bugs(entries: Sequence[AnyEntry]) -> tuple[HouseBug, ...]:
    """The failures in a log, each once, in the order of the log."""
    bugs: dict[tuple[int, str], HouseBug] = {}
    for line, entry in enumerate(entries, 1):
        if isinstance(entry, Acted | Faulted) and entry.bug:
            known = bugs.get((entry.seat, entry.bug))
            bugs[entry.seat, entry.bug] = (
                msgspec.structs.replace(known, times=known.times + 1)
                if known
                else HouseBug(entry.seat, line, entry.id, entry.bug)
            )
    return tuple(bugs.values())


def bug_row(match: str, bot: str, program: str, bug: HouseBug, log: str = "") -> HouseBugRow:
    """A failure as a row. `bot` and `match` say where it happened."""
    return HouseBugRow(bot, program, bug.what, match, bug.seat, bug.request, bug.line, log, bug.times)


def together(rows: Iterable[HouseBugRow]) -> tuple[HouseBugRow, ...]:
    """Merge rows of the same failure of one bot into one, which describes the first."""
    merged: dict[tuple[str, str], HouseBugRow] = {}
    for row in rows:
        known = merged.get((row.bot, row.what))
        merged[row.bot, row.what] = (
            msgspec.structs.replace(known, times=known.times + row.times, matches=known.matches + row.matches)
            if known
            else row
        )
    return tuple(merged.values())
