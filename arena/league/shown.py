"""What may be shown of a league: its whole journal or, while it is frozen, the journal up to the freeze, and
when versions are no longer accepted.

Knows the files of the journal and the state after them, neither commands nor copies.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from arena.journal.chained import DamageError
from arena.league.entries import Closed, Closes, Continued, Entry, Frozen, Unfrozen
from arena.league.journal import LeagueJournal, last_segment
from arena.league.state import LeagueState


class Segment(NamedTuple):
    """A segment of a journal."""

    number: int
    entries: list[Entry]
    digests: list[str]
    """The digest of each entry."""
    whole: bool = True
    """Whether none of its entries is held back, and no segment follows that is."""


def segment(folder: Path, number: int | None = None) -> Segment:
    """A whole segment, by default the last one. Raises UserError."""
    with LeagueJournal(folder, number=number) as journal:
        return Segment(journal.number, journal.entries, journal.digests)


def state_of(folder: Path, entries: Sequence[Entry]) -> LeagueState:
    """The state after the entries of a segment. Raises DamageError if their digests are right but no league
    can have written them."""
    try:
        state = LeagueState(entries)
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
        raise DamageError(
            f"{folder}: its journal contains an entry that cannot follow those before it ({error!r}); "
            "`arena league verify` shows which"
        ) from None
    if missing := [board for board in state.boards if board not in state.panels]:
        raise DamageError(f"{folder}: its journal has no entry that sets the panel of {', '.join(missing)}")
    return state


def shown_state(folder: Path, part: Segment) -> LeagueState:
    """The state after the part of the last segment that may be shown. A freeze hides no deadline, by which
    authors have to act. Raises UserError."""
    state = state_of(folder, part.entries)
    if not part.whole:
        for number in range(part.number, last_segment(folder) + 1):
            for entry in segment(folder, number).entries:
                for one in entry.holding if isinstance(entry, Continued) else (entry,):
                    if isinstance(one, Closes):
                        state.closes = one
                    elif isinstance(one, Closed):
                        state.closed, state.closes = one, None
    return state


def last_shown(folder: Path, *, hidden: bool = False) -> Segment:
    """The last segment that may be shown, cut off at the freeze; the very last one if `hidden`. Raises
    UserError."""
    found = segment(folder)
    frozen = None if hidden else _freeze(found.entries)
    if frozen is None:
        return found
    while frozen not in found.entries:
        if found.number == 1:
            raise DamageError(f"{folder}: it is frozen, but no entry says since when")
        found = segment(folder, found.number - 1)
    count = len(found.entries) - found.entries[::-1].index(frozen)
    return Segment(found.number, found.entries[:count], found.digests[:count], whole=False)


def segments(folder: Path, *, hidden: bool = False) -> list[Segment]:
    """All segments that may be shown; the last one may be cut off. Raises UserError."""
    last = last_shown(folder, hidden=hidden)
    return [*(segment(folder, number) for number in range(1, last.number)), last]


def _freeze(entries: Sequence[Entry]) -> Frozen | None:
    """The freeze in force after these entries, even if the journal is otherwise invalid."""
    for entry in reversed(entries):
        match entry:
            case Frozen():
                return entry
            case Unfrozen():
                return None
            case Continued(holding=holding):
                return next((one for one in holding if isinstance(one, Frozen)), None)
    return None
