"""The events of a match as lines of text.

Knows events only by the text and the flags that each has itself. Lines have no colour: `arena replay` prints
them, and screens show them.
"""

from collections.abc import Iterator

from arena.games.events import Dealt, Event, Naming
from arena.log.entries import Acted, Faulted
from arena.system.text import padded


class StoryWriter:
    """Turns the events of one match into lines, in their order. Events that continue share a line with the
    event that ends them, such as the cards of a trick with its taker."""

    def __init__(self, name: Naming, width: int = 0) -> None:
        """`width`: columns of the longest name, which aligns dealt hands; 0 to not align them."""
        self._name = name
        self._width = width
        self._laid: list[str] = []

    @property
    def unfinished(self) -> str:
        """The line whose last event has not come yet; "" if there is none."""
        return " · ".join(self._laid)

    def event_lines(self, event: Event) -> Iterator[str]:
        """The lines that this event completes."""
        if isinstance(event, Dealt):
            yield f"{padded(self._name(event.seat), self._width)}  {' '.join(event.hand)}"
        elif event.continues:
            self._laid.append(event.sentence(self._name))
        elif self._laid:
            yield f"{self.unfinished} → {event.sentence(self._name)}"
            self._laid.clear()
        else:
            yield event.sentence(self._name)

    def decision_lines(self, entry: Acted | Faulted) -> Iterator[str]:
        """The note with a decision, or the fault; nothing for a decision without a note."""
        name = self._name(entry.seat)
        if isinstance(entry, Faulted):
            consequence = "forfeits, a substitute plays on" if entry.forfeits else "is substituted once"
            yield f"!! {name}: {entry.kind} ({entry.detail}); {consequence}"
        elif entry.note:
            yield f"    {name} thinks: {entry.note}"
