"""What every entry of a league can do beyond arena/journal/entry.py: state until when it is allowed, and
object to a request of the organiser.

Knows the operations of the state, neither files nor logs.
"""

from typing import TYPE_CHECKING, Final

from arena.journal.entry import AnyEntry, Problem
from arena.system.wording import flag

if TYPE_CHECKING:
    from arena.league.state import LeagueState

IS_SO: Final = Problem("that is already the case", is_so=True)


class LeagueEntry(AnyEntry["LeagueState"], frozen=True):
    """An entry of a league. The constants say whether it may follow the close and the seal, and whether every
    board must have its panel before."""

    AFTER_CLOSE = True
    AFTER_SEAL = False
    NEEDS_PANELS = False

    def problem(self, state: "LeagueState") -> Problem | None:
        return self.barred(state) or self.misfit(state)

    @classmethod
    def barred(cls, state: "LeagueState") -> Problem | None:
        """Why no entry of this kind is allowed in this state."""
        closed = None if cls.AFTER_CLOSE else state.closed
        refusal = f"the league is closed: {closed.reason}" if closed else ""
        if state.sealed and not cls.AFTER_SEAL:
            return Problem("the league was sealed", refusal or "the league is sealed: what was played stands")
        if closed:
            return Problem("the league was closed", refusal)
        if cls.NEEDS_PANELS and state.panels.keys() != state.boards.keys():
            return Problem("a board has no panel yet")
        return None

    def misfit(self, state: "LeagueState") -> Problem | None:
        """Why this entry is invalid in this state although its kind is allowed."""
        return None


class OrganiserEntry(LeagueEntry, frozen=True):
    """An entry that the organiser may request."""

    def declined(self, state: "LeagueState") -> Problem | None:
        """Why a request for it is refused; None if it is accepted."""
        empty = not getattr(self, "reason", "none is due").strip()
        unreasoned = Problem(f"{flag.reason} is empty: give a reason, for everybody") if empty else None
        return self.barred(state) or unreasoned or self.misfit(state) or self.objection(state)

    def objection(self, state: "LeagueState") -> Problem | None:
        """Why a request is refused although the entry would be valid."""
        return None
