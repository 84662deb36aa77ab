"""What every entry of a league can do beyond arena/journal/entry.py: say until when there may be one, and
what stands against it where the organiser asks for it.

Knows the state by its operations; neither files nor logs.
"""

from typing import TYPE_CHECKING, Final

from arena.journal.entry import AnyEntry, Problem
from arena.system.wording import flag

if TYPE_CHECKING:
    from arena.league.state import LeagueState

IS_SO: Final = Problem("it is so already", is_so=True)


class LeagueEntry(AnyEntry["LeagueState"], frozen=True):
    """An entry. The constants say until when there may be one, and whether each board needs its panel."""

    AFTER_CLOSE = True
    AFTER_SEAL = False
    NEEDS_PANELS = False

    def problem(self, state: "LeagueState") -> Problem | None:
        return self.barred(state) or self.misfit(state)

    @classmethod
    def barred(cls, state: "LeagueState") -> Problem | None:
        """Why no entry of this kind can stand there."""
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
        """Why this very entry cannot stand there, though one of its kind might."""
        return None


class OrganiserEntry(LeagueEntry, frozen=True):
    """An entry that the organiser may ask for."""

    def declined(self, state: "LeagueState") -> Problem | None:
        """Why it is not written when it is asked for; None if it is."""
        empty = not getattr(self, "reason", "none is due").strip()
        unreasoned = Problem(f"{flag.reason} is empty: say why, for everybody") if empty else None
        return self.barred(state) or unreasoned or self.misfit(state) or self.objection(state)

    def objection(self, state: "LeagueState") -> Problem | None:
        """Why it is not written though it could stand there."""
        return None


def without_checkpoint(state: "LeagueState") -> Problem | None:
    """Why nothing can be drawn and nothing ends: a board is due a checkpoint before."""
    for board, _ in state.checkpoints_due():
        return Problem(f"the checkpoint of {board} that was due before is missing")
    return None
