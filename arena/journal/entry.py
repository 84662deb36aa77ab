"""What every entry of a tournament's or league's journal can do: judge whether it is valid at its place, lead
from one state to the next, and describe itself. A new kind is one class, added to the union of its room.

Knows neither kinds nor states; `S` is the type of the state.
"""

from typing import Final, Generic, NamedTuple, Self, TypeVar

import msgspec

from arena.system.text import caption

S = TypeVar("S")

REASON_LIMIT: Final = 2000
"""Characters of a reason; the rest is cut off."""


class Problem(NamedTuple):
    """Why an entry is not valid at its place."""

    finding: str
    """The sentence about an entry in a journal."""
    refusal: str | None = None
    """The sentence to a person who requests such an entry; None if it is the same."""
    is_so: bool = False
    """Whether there is nothing to do."""

    @property
    def refused(self) -> str:
        """The sentence to a person who requests the entry."""
        return self.refusal or self.finding


class AnyEntry(msgspec.Struct, Generic[S], frozen=True, tag_field="type"):
    """An entry. `SENTENCE` is the format of its sentence for people, if one format suffices."""

    SENTENCE = ""

    def problem(self, state: S) -> Problem | None:
        """Why it is not valid in this state; None if it is."""
        return None

    def apply(self, state: S) -> None:
        """Change `state` to the next one, without checking whether the entry is valid."""
        raise NotImplementedError

    def sentence(self) -> str:
        """The entry as a line for people; "" if people need not know it."""
        return self.SENTENCE.format(self)

    @property
    def cleaned(self) -> Self:
        """The entry with all text for people sanitised. Raises ValueError for an invalid name."""
        reason: str | None = getattr(self, "reason", None)
        return self if reason is None else msgspec.structs.replace(self, reason=caption(reason, REASON_LIMIT))
