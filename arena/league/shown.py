"""What may be shown of a league: all of its journal or, while it is frozen, as much as there was at the
freeze.

Knows the files of the journal, and the state that they lead to; neither commands nor copies.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from arena.journal.chained import DamageError
from arena.league.entries import Continued, Entry, Frozen, Unfrozen
from arena.league.journal import LeagueJournal
from arena.league.state import LeagueState


class Segment(NamedTuple):
    """A segment of a journal, with the digest of each entry. `whole`: none of its entries is held back, and
    no segment follows that is."""

    number: int
    entries: list[Entry]
    digests: list[str]
    whole: bool = True


def segment(folder: Path, number: int | None = None) -> Segment:
    """A whole segment, the last one if no other is named. Raises UserError."""
    with LeagueJournal(folder, number=number) as journal:
        return Segment(journal.number, journal.entries, journal.digests)


def state_of(folder: Path, entries: Sequence[Entry]) -> LeagueState:
    """The state after the entries of a segment. Raises DamageError where no league can have written them,
    though their digests are right."""
    try:
        state = LeagueState(entries)
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
        raise DamageError(
            f"{folder}: its journal holds an entry that cannot follow those before it ({error!r}); "
            "`arena league verify` says which"
        ) from None
    if without := [board for board in state.boards if board not in state.panels]:
        raise DamageError(f"{folder}: its journal has no entry that makes the panel of {', '.join(without)}")
    return state


def last_shown(folder: Path, *, hidden: bool = False) -> Segment:
    """The last segment of which something may be shown, with as much of it as may be; the very last one with
    `hidden`. Raises UserError."""
    found = segment(folder)
    frozen = None if hidden else _freeze(found.entries)
    if frozen is None:
        return found
    while frozen not in found.entries:
        if found.number == 1:
            raise DamageError(f"{folder}: it is frozen, and no entry says since when")
        found = segment(folder, found.number - 1)
    count = len(found.entries) - found.entries[::-1].index(frozen)
    return Segment(found.number, found.entries[:count], found.digests[:count], whole=False)


def segments(folder: Path, *, hidden: bool = False) -> list[Segment]:
    """All segments of which something may be shown. Raises UserError."""
    last = last_shown(folder, hidden=hidden)
    return [*(segment(folder, number) for number in range(1, last.number)), last]


def _freeze(entries: Sequence[Entry]) -> Frozen | None:
    """The freeze that holds after these entries, whatever else is wrong with them."""
    for entry in reversed(entries):
        match entry:
            case Frozen():
                return entry
            case Unfrozen():
                return None
            case Continued(holding=holding):
                return next((one for one in holding if isinstance(one, Frozen)), None)
    return None
