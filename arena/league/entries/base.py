"""What every entry of a league can do: judge whether it may stand at its place, lead from one state to the
next, and tell itself. A new kind is one class; it has its place in the union of `entries/__init__.py`.

Knows the state by its operations; neither files nor logs.
"""

from typing import TYPE_CHECKING, Final, NamedTuple, Self

import msgspec

from arena.system.text import caption

if TYPE_CHECKING:
    from arena.league.state import State

REASON_LIMIT: Final = 2000
"""Characters of a reason that are read."""


class Problem(NamedTuple):
    """Why an entry cannot stand at its place: the `finding` in a journal, and the `refusal` to whoever asks
    for such an entry, where that is told otherwise. `is_so`: nothing needs to be written."""

    finding: str
    refusal: str = ""
    is_so: bool = False


IS_SO: Final = Problem("it is so already", is_so=True)


class LeagueEntry(msgspec.Struct, frozen=True, tag_field="type"):
    """An entry. The constants say what a line for people says, where that is one form; until when there may
    be one; and whether each board needs its panel."""

    AFTER_CLOSE = True
    AFTER_SEAL = False
    NEEDS_PANELS = False
    SENTENCE = ""

    def problem(self, state: "State") -> Problem | None:
        """Why it cannot follow the entries that led to this state; None if it can."""
        return self.barred(state) or self.misfit(state)

    @classmethod
    def barred(cls, state: "State") -> Problem | None:
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

    def misfit(self, state: "State") -> Problem | None:
        """Why this very entry cannot stand there, though one of its kind might."""
        return None

    def apply(self, state: "State") -> None:
        """Makes the next state. The entry is one that can follow: nothing is checked."""
        raise NotImplementedError

    def sentence(self) -> str:
        """What it says, as a line for people; "" where there is nothing to say."""
        return self.SENTENCE.format(self)

    @property
    def cleaned(self) -> Self:
        """With all text for people sanitised. Raises ValueError for what cannot be a file's name."""
        reason: str | None = getattr(self, "reason", None)
        return self if reason is None else msgspec.structs.replace(self, reason=caption(reason, REASON_LIMIT))


class Asked(LeagueEntry, frozen=True):
    """An entry that the organiser may ask for."""

    def declined(self, state: "State") -> Problem | None:
        """Why it is not written when it is asked for; None if it is."""
        empty = not getattr(self, "reason", "none is due").strip()
        unreasoned = Problem("--reason is empty: say why, for everybody") if empty else None
        return self.barred(state) or unreasoned or self.misfit(state) or self.objection(state)

    def objection(self, state: "State") -> Problem | None:
        """Why it is not written though it could stand there."""
        return None


def without_checkpoint(state: "State") -> Problem | None:
    """Why nothing can be drawn and nothing ends: a board is due a checkpoint before."""
    for board, _ in state.checkpoints_due():
        return Problem(f"the checkpoint of {board} that was due before is missing")
    return None
