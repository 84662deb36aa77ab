"""A match as lines of text.

Knows events only by their own text and flags. Lines have no colour: `arena replay` prints them, and screens
show them.
"""

from collections.abc import Iterator

from arena.games.events import Dealt, Event, Naming
from arena.log.entries import SINGLE_MATCH, Acted, Faulted, Greeted, SeatEntry
from arena.log.retrace import Log, retrace
from arena.system.text import SENTENCE_LIMIT, caption, columns, padded
from protocol.cards import Seat
from protocol.outcome import seats_by_placing, totals


class StoryWriter:
    """Turns the events of one match into lines, in order. Events that continue share a line with the event
    that ends them, such as the cards of a trick with its taker."""

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
            self._laid.append(self._sentence(event))
        elif self._laid:
            yield f"{self.unfinished} → {self._sentence(event)}"
            self._laid.clear()
        else:
            yield self._sentence(event)

    def _sentence(self, event: Event) -> str:
        """The event as text, made harmless, since a packaged game may say anything."""
        return caption(event.sentence(self._name), SENTENCE_LIMIT)

    def entry_lines(self, entry: SeatEntry) -> Iterator[str]:
        """The note of a decision, or the fault; nothing for any other entry."""
        name = self._name(entry.seat)
        if isinstance(entry, Faulted):
            consequence = (
                "forfeits; a substitute plays on"
                if entry.forfeits
                else "forgiven; a substitute chose this once"
            )
            yield f"!! {name}: {entry.kind} ({entry.detail}); {consequence}"
        elif isinstance(entry, Acted) and entry.note:
            yield f"    {name} thinks: {entry.note}"


def story(log: Log, deal: int | None, seat: Seat | None, *, notes: bool) -> Iterator[str]:
    """A match as lines: one deal or all (None), and what one seat knew or everything (None). Raises
    Mismatch."""
    opened, closed, counts = log.opened, log.closed, log.game.counts
    names = [entrant.called for entrant in opened.entrants]
    name, width = names.__getitem__, max(map(columns, names))
    writer = StoryWriter(name, width)

    parts = [log.game.title, f"{log.seats} seats", f"{opened.deals} deals"]
    if opened.match_id != SINGLE_MATCH:
        parts.append(f"match {opened.match_id}")
    yield " · ".join(parts)
    for turn in retrace(log):
        shown = deal is None or (turn.before is not None and turn.before.deal_no == deal)
        for entry in turn.entries:
            if isinstance(entry, Greeted):
                said = " ".join(filter(None, (entry.name, entry.version)))
                yield f"  seat {entry.seat}  {padded(name(entry.seat), width)}  {said}"
            elif seat in (None, entry.seat) and (isinstance(entry, Faulted) or (notes and shown)):
                yield from _indented(writer.entry_lines(entry))
        for state, events in turn.by_deal:
            if deal not in (None, state.deal_no):
                continue
            if isinstance(events[0], Dealt):
                yield ""
                yield events[0].headline(name, opened.deals)
            for event in events:
                if event.known_to(seat):
                    yield from _indented(writer.event_lines(event))
    yield ""
    sums, forfeited = totals(closed.points, log.seats), {forfeit.seat for forfeit in closed.forfeits}
    for at in seats_by_placing(closed.placings):
        gone = "  forfeited" if at in forfeited else ""
        yield f"  {closed.placings[at]}. {padded(name(at), width)}  {number_of(sums[at], counts)}{gone}"


def number_of(points: int, counts: str) -> str:
    """`12 points`, `-1 point`; `counts` is the game's word for points."""
    return f"{points} {counts[:-1] if abs(points) == 1 and counts.endswith('points') else counts}"


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)
