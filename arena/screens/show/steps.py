"""A match as a list of steps, made from the entries of its log, all at once or while the match is played.

Knows no screen. Every entry is checked against the rules, as always when a log is read.
"""

from collections.abc import Sequence
from typing import TypeAlias

from arena.games.events import Dealt
from arena.log.entries import AnyEntry, MatchClosed, MatchOpened
from arena.log.retrace import Log, Walk, of_entries
from arena.log.turns import Turn
from arena.screens.show.position import Position
from arena.screens.show.story import StoryWriter
from arena.system.text import columns
from protocol.cards import Seat

TrickPlace: TypeAlias = tuple[int, int]
"""Numbers of a deal and of the next trick in it; in a game without tricks, of the next series of plays."""


class Steps:
    """The turns so far. A step is the index of a turn, and `places` gives its trick. `names` are by seat.
    `closed` is the last entry of the log, None until it comes."""

    def __init__(self, opened: MatchOpened) -> None:
        self.log: Log = of_entries([opened])
        self.names = tuple(entrant.called for entrant in opened.entrants)
        self.turns: list[Turn] = []
        self.places: list[TrickPlace] = []
        self.closed: MatchClosed | None = None
        self._walk = Walk(self.log)
        self.take(opened)

    def take(self, entry: AnyEntry) -> None:
        """Add the next entry of the log. Raises Mismatch if it breaks the rules."""
        turn = self._walk.take(entry)
        if turn is not None:
            self.turns.append(turn)
            self.places.append(self._place(turn))
        if isinstance(entry, MatchClosed):
            self.closed = entry

    def _place(self, turn: Turn) -> TrickPlace:
        deal_no, finished = turn.after.deal_no, turn.after.view(0).finished_tricks
        if finished is not None:
            return deal_no, finished + 1
        before = self.places[-1] if self.places else (0, 0)
        if before[0] != deal_no:
            return deal_no, 1
        return deal_no, before[1] + any(not event.continues for event in turn.events)

    def position(self, at: int, seat: Seat | None) -> Position:
        """The position after step `at`, as `seat` saw it; None shows all hands."""
        state = self.turns[at].after
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
        """For each step so far: how many lines the story then has, and its unfinished line."""

    def until(self, at: int, most: int) -> Sequence[str]:
        """The last lines up to step `at`: at most `most`, and the unfinished line if there is one."""
        for turn in self._steps.turns[len(self._ends) : at + 1]:
            self._add(turn)
        end, unfinished = self._ends[at]
        return [*self._lines[max(0, end - most) : end], *([unfinished] if unfinished else [])]

    def _add(self, turn: Turn) -> None:
        for entry in turn.entries:
            if self._seat in (None, entry.seat):
                self._lines += self._writer.entry_lines(entry)
        for event in turn.events:
            if isinstance(event, Dealt):
                if event.seat == 0:
                    self._lines.append(event.headline(self._steps.names.__getitem__))
            elif event.known_to(self._seat):
                self._lines += self._writer.event_lines(event)
        self._ends.append((len(self._lines), self._writer.unfinished))
