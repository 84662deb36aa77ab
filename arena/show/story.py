"""What happened, as lines of text: the events of a match told one after the other.

Knows events only through what each says of itself. Nothing is coloured here: the same lines are printed by
`arena replay` and stand on the screens.
"""

from collections.abc import Iterator

from arena.games.events import Dealt, Event, Naming
from arena.log.entries import Acted, Faulted
from arena.system.text import padded


class Telling:
    """One story in the making: what continues shares a line, which the event that ends it closes."""

    def __init__(self, name: Naming, width: int = 0) -> None:
        """`width`: columns of the longest name, where hands are to stand below each other."""
        self._name = name
        self._width = width
        self._laid: list[str] = []

    @property
    def unfinished(self) -> str:
        """The line that waits for its end; "" if none does."""
        return " · ".join(self._laid)

    def tell(self, event: Event) -> Iterator[str]:
        """The lines that are complete with this event."""
        if isinstance(event, Dealt):
            yield f"{padded(self._name(event.seat), self._width)}  {' '.join(event.hand)}"
        elif event.continues:
            self._laid.append(event.sentence(self._name))
        elif self._laid:
            yield f"{self.unfinished} → {event.sentence(self._name)}"
            self._laid.clear()
        else:
            yield event.sentence(self._name)

    def decided(self, entry: Acted | Faulted) -> Iterator[str]:
        """What a bot said it thought, and what it did wrong."""
        name = self._name(entry.seat)
        if isinstance(entry, Faulted):
            consequence = "forfeits, a substitute plays on" if entry.forfeits else "is substituted once"
            yield f"!! {name}: {entry.kind} ({entry.detail}); {consequence}"
        elif entry.note:
            yield f"    {name} thinks: {entry.note}"
