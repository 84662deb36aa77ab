"""A match as a list of steps, made from the entries of its log, all at once or while the match is played.

Knows no screen. Every entry is checked against the rules, as always when a log is read.
"""

from collections.abc import Sequence
from typing import NamedTuple

from arena.games.events import Dealt, Event
from arena.games.game import State
from arena.log.entries import Acted, AnyEntry, Closed, Faulted, Opened
from arena.log.retrace import Log, Walk, of_entries
from arena.show.position import Position
from arena.show.story import StoryWriter
from arena.system.text import columns
from protocol.cards import Seat


class ShownStep(NamedTuple):
    """The decisions of one step, the events that followed, and the state after them."""

    decided: tuple[Acted | Faulted, ...]
    events: tuple[Event, ...]
    state: State
    trick_no: int
    """Number of the next trick in the deal; of the turn in a game without tricks."""


class Steps:
    """The steps so far. `names` are by seat. `closed` is the last entry of the log, None until it comes."""

    def __init__(self, opened: Opened) -> None:
        self.log: Log = of_entries([opened])
        self.names = tuple(entrant.called for entrant in opened.entrants)
        self.steps: list[ShownStep] = []
        self.closed: Closed | None = None
        self._walk = Walk(self.log)
        self._decided: list[Acted | Faulted] = []
        self.take(opened)

    def take(self, entry: AnyEntry) -> None:
        """Add the next entry of the log. Raises Mismatch if it breaks the rules."""
        step = self._walk.take(entry).step
        if isinstance(entry, Acted | Faulted):
            self._decided.append(entry)
        if step is not None:
            state, events = step
            self.steps.append(ShownStep(tuple(self._decided), events, state, self._trick_no(events, state)))
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
        """The position after step `at`, as `seat` saw it; None shows all hands."""
        state = self.steps[at].state
        acting = tuple(state.pending)
        view = state.view((acting or (0,))[0] if seat is None else seat)
        hands = state.hands if seat is None else None
        return Position(self.log.game, view, self.names, acting, hands=hands)


class SeatStory:
    """The story of the steps as one seat knew it; None for everything. It is made step by step as needed."""

    def __init__(self, steps: Steps, seat: Seat | None) -> None:
        self._steps = steps
        self._seat = seat
        self._writer = StoryWriter(steps.names.__getitem__, max(map(columns, steps.names)))
        self._lines: list[str] = []
        self._ends: list[tuple[int, str]] = []
        """For each step told: how many lines the story then has, and its unfinished line."""

    def until(self, at: int, most: int) -> Sequence[str]:
        """The last lines up to step `at`: at most `most`, and the unfinished line if there is one."""
        for step in self._steps.steps[len(self._ends) : at + 1]:
            self._add(step)
        end, unfinished = self._ends[at]
        return [*self._lines[max(0, end - most) : end], *([unfinished] if unfinished else [])]

    def _add(self, step: ShownStep) -> None:
        for entry in step.decided:
            if self._seat in (None, entry.seat):
                self._lines += self._writer.decision_lines(entry)
        for event in step.events:
            if isinstance(event, Dealt):
                if event.seat == 0:
                    self._lines.append(f"deal {event.deal_no} — {self._steps.names[event.leader]} begins")
            elif event.known_to(self._seat):
                self._lines += self._writer.event_lines(event)
        self._ends.append((len(self._lines), self._writer.unfinished))
