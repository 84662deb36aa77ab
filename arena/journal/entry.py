"""What every entry of a journal can do, a tournament's and a league's: judge whether it may stand at its
place, lead from one state to the next, and tell itself. A new kind is one class, named in the union of its
room.

Knows neither kinds nor states; `S` is the state.
"""

from typing import Final, Generic, NamedTuple, Self, TypeVar

import msgspec

from arena.system.text import caption

S = TypeVar("S")

REASON_LIMIT: Final = 2000
"""Characters of a reason that are read."""


class Problem(NamedTuple):
    """Why an entry cannot stand at its place: the `finding` in a journal, and the `refusal` to whoever asks
    for such an entry, where that is told otherwise. `is_so`: nothing needs to be written."""

    finding: str
    refusal: str | None = None
    is_so: bool = False

    @property
    def refused(self) -> str:
        """As whoever asks for the entry is told."""
        return self.refusal or self.finding


class AnyEntry(msgspec.Struct, Generic[S], frozen=True, tag_field="type"):
    """An entry. `SENTENCE` is what it says to people, where that has one form."""

    SENTENCE = ""

    def problem(self, state: S) -> Problem | None:
        """Why it cannot follow the entries that led to this state; None if it can."""
        return None

    def apply(self, state: S) -> None:
        """Makes the next state. The entry is one that can follow: nothing is checked."""
        raise NotImplementedError

    def sentence(self) -> str:
        """What it says, as a line for people; "" where there is nothing to say."""
        return self.SENTENCE.format(self)

    @property
    def cleaned(self) -> Self:
        """With all text for people sanitised. Raises ValueError for a name that cannot be one."""
        reason: str | None = getattr(self, "reason", None)
        return self if reason is None else msgspec.structs.replace(self, reason=caption(reason, REASON_LIMIT))
