"""A match as steps that can be walked along, made from the lines of its log, all at once or as they come.

Knows no screen. Every line is checked against the rules on its way, as always when a log is read.
"""

from collections.abc import Sequence
from typing import NamedTuple

from arena.games.events import Dealt, Event
from arena.games.game import State
from arena.log.entries import Acted, AnyEntry, Closed, Faulted, Opened
from arena.log.retrace import Log, Walk, of_entries
from arena.show.position import Position
from arena.show.story import Telling
from arena.system.text import columns
from protocol.cards import Seat


class Step(NamedTuple):
    """What was decided, what came of it, and how the match stands then."""

    decided: tuple[Acted | Faulted, ...]
    events: tuple[Event, ...]
    state: State
    trick_no: int
    """Of the trick that is due then; where there are no tricks, of the turn."""


class Steps:
    """The steps so far. `closed` is the last line of the log, None before it has come."""

    def __init__(self, opened: Opened) -> None:
        self.log: Log = of_entries([opened])
        self.names = tuple(entrant.called for entrant in opened.entrants)
        self.steps: list[Step] = []
        self.closed: Closed | None = None
        self._walk = Walk(self.log)
        self._decided: list[Acted | Faulted] = []
        self.take(opened)

    def take(self, entry: AnyEntry) -> None:
        """The next line of the log. Raises Mismatch."""
        step = self._walk.take(entry).step
        if isinstance(entry, Acted | Faulted):
            self._decided.append(entry)
        if step is not None:
            state, events = step
            self.steps.append(Step(tuple(self._decided), events, state, self._trick_no(events, state)))
            self._decided = []
        if isinstance(entry, Closed):
            self.closed = entry

    def _trick_no(self, events: Sequence[Event], state: State) -> int:
        finished = state.view(0).finished_tricks
        if finished is not None:
            return finished + 1
        if not self.steps or self.steps[-1].state.deal_no != state.deal_no:
            return 1
        return self.steps[-1].trick_no + any(not event.continues for event in events)

    def position(self, at: int, seat: Seat | None) -> Position:
        """After step `at`, as `seat` saw it, or with every hand open."""
        state = self.steps[at].state
        acting = tuple(state.pending)
        view = state.view((acting or (0,))[0] if seat is None else seat)
        hands = state.hands if seat is None else None
        return Position(self.log.game, view, self.names, acting, hands=hands)


class Tale:
    """The story of the steps for one seat, None for everybody's, as far as it has been asked for."""

    def __init__(self, steps: Steps, seat: Seat | None) -> None:
        self._steps = steps
        self._seat = seat
        self._telling = Telling(steps.names.__getitem__, max(map(columns, steps.names)))
        self._lines: list[str] = []
        self._ends: list[tuple[int, str]] = []

    def until(self, at: int, most: int) -> Sequence[str]:
        """The last lines, `most` of them, after step `at`."""
        for step in self._steps.steps[len(self._ends) : at + 1]:
            self._tell(step)
        end, unfinished = self._ends[at]
        return [*self._lines[max(0, end - most) : end], *([unfinished] if unfinished else [])]

    def _tell(self, step: Step) -> None:
        for entry in step.decided:
            if self._seat in (None, entry.seat):
                self._lines += self._telling.decided(entry)
        for event in step.events:
            if isinstance(event, Dealt):
                if event.seat == 0:
                    self._lines.append(f"deal {event.deal_no} — {self._steps.names[event.leader]} begins")
            elif event.known_to(self._seat):
                self._lines += self._telling.tell(event)
        self._ends.append((len(self._lines), self._telling.unfinished))
