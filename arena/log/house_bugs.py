"""What failed in bots of the arena's own, in a logged match: our bugs, with what repeats them.

Knows logs; not where the sentences are shown.
"""

from collections.abc import Iterable, Sequence

import msgspec

from arena.log.entries import BUG_LIMIT, Acted, AnyEntry, Faulted
from arena.system.text import caption


class HouseBug(msgspec.Struct, frozen=True):
    """The same failure of the bot in one seat, so many `times` in a match. `line`: that of the log in which
    it first stands, from 1; `request` is the request's number there, 0 for the handshake."""

    seat: int
    line: int
    request: int
    what: str
    times: int = 1

    @property
    def cleaned(self) -> "HouseBug":
        """With a text that is harmless, since it may come from a stranger's journal."""
        return msgspec.structs.replace(self, what=caption(self.what, BUG_LIMIT))


class HouseBugRow(msgspec.Struct, frozen=True):
    """The same failure of one bot in so many `matches`, `times` in all; match, seat, request and line are
    those of the first. `program`: the bot as a command line names it. `log`: where that match is logged."""

    bot: str
    program: str
    what: str
    match: str
    seat: int
    request: int
    line: int
    log: str = ""
    times: int = 1
    matches: int = 1

    @property
    def sentence(self) -> str:
        """For people."""
        often = "once" if self.times == 1 else f"{self.times} times"
        matches = f", in {self.matches} matches" if self.matches > 1 else ""
        where = f"{self.log or self.match}, line {self.line}"
        return f"a bug of the arena: its own bot {self.bot} failed {often}{matches} ({where}): {self.what}"


def house_bugs(entries: Sequence[AnyEntry]) -> tuple[HouseBug, ...]:
    """Those of a log, each once, in the order of the log."""
    found: dict[tuple[int, str], HouseBug] = {}
    for line, entry in enumerate(entries, 1):
        if isinstance(entry, Acted | Faulted) and entry.bug:
            known = found.get((entry.seat, entry.bug))
            found[entry.seat, entry.bug] = (
                msgspec.structs.replace(known, times=known.times + 1)
                if known
                else HouseBug(entry.seat, line, entry.id, entry.bug)
            )
    return tuple(found.values())


def bug_row(match: str, bot: str, program: str, bug: HouseBug, log: str = "") -> HouseBugRow:
    """A bug of this bot in a match."""
    return HouseBugRow(bot, program, bug.what, match, bug.seat, bug.request, bug.line, log, bug.times)


def together(rows: Iterable[HouseBugRow]) -> tuple[HouseBugRow, ...]:
    """The same failures of one bot as one row, which tells of the first."""
    found: dict[tuple[str, str], HouseBugRow] = {}
    for row in rows:
        known = found.get((row.bot, row.what))
        found[row.bot, row.what] = (
            msgspec.structs.replace(known, times=known.times + row.times, matches=known.matches + row.matches)
            if known
            else row
        )
    return tuple(found.values())
