"""Stepping through a match by keys: forward and back, as one seat saw it or with all hands, also
automatically, and through a match that is still being played.

`Stepping` holds the current place and how it is shown, and knows no terminal; `step_through` draws it.
"""

import math
from collections.abc import Iterator
from typing import Final

import trio
from rich.text import Text

from arena.screens.show.position import Position, title
from arena.screens.show.steps import SeatStory, Steps, TrickPlace
from arena.screens.terminal.drawing import draw
from arena.screens.terminal.keys import GONE, INTERRUPT, RESIZED
from arena.screens.terminal.terminal import Terminal
from protocol.cards import Seat
from protocol.outcome import seats_by_placing, totals

PAUSE_SECONDS: Final = 0.6
FASTEST_SECONDS, SLOWEST_SECONDS = 0.05, 10.0
STORY_LINES: Final = 100

HELP: Final = (
    ("→ ←", "a step forward, back"),
    ("↓ ↑", "to the next trick (in Olé! the next turn), back"),
    ("page down, page up", "to the next deal, back"),
    ("home, end", "to the beginning, to the end"),
    ("g", "go to a deal, or a trick of it: 2 or 2.7, then enter"),
    ("space", "step automatically, stop"),
    ("+ -", "faster, slower"),
    ("0 1 2 …", "as this seat saw it"),
    ("a", "all hands open"),
    ("? ", "this help"),
    ("q", "leave"),
)


class Stepping:
    """The current place in a match, and how it is shown. `at`: the index of the step; `seat`: the seat for
    which it is shown (None: all hands); `running`: whether it steps automatically, every `pause` seconds."""

    def __init__(
        self,
        steps: Steps,
        *,
        seat: Seat | None = None,
        deal: int | None = None,
        pause: float = PAUSE_SECONDS,
        running: bool = False,
    ) -> None:
        self.steps = steps
        self.at = 0
        self.seat = seat
        self.running = running
        self.pause = pause
        self.helping = False
        self.typed: str | None = None
        """The place to go to, as typed so far; None if no place is being typed."""
        self._stories: dict[Seat | None, SeatStory] = {}
        if deal is not None:
            self._go_to(deal, 1)

    @property
    def live(self) -> bool:
        """Whether the match is still being played."""
        return self.steps.closed is None

    @property
    def position(self) -> Position:
        """The position after the current step, which must exist."""
        return self.steps.position(self.at, self.seat)

    @property
    def place(self) -> TrickPlace:
        """Deal and trick of the current step, which must exist."""
        return self.steps.places[self.at]

    def story(self, most: int) -> list[str]:
        """The last `most` lines of the story up to the current step."""
        story = self._stories.setdefault(self.seat, SeatStory(self.steps, self.seat))
        return list(story.until(self.at, most))

    def step_automatically(self) -> None:
        """Go a step on if it is running, and stop at the end. To be called after each pause."""
        if self.running and self.at < self._last:
            self.at += 1
        elif not self.live:
            self.running = False

    def press(self, key: str) -> bool:
        """Take a key, named as in arena/screens/terminal/keys.py. Returns False if it leaves."""
        if key in ("q", INTERRUPT, GONE):
            return False
        if key == RESIZED:
            return True
        if self.typed is not None:
            self._type(key)
        elif self.helping:
            self.helping = False
        elif key == "?":
            self.helping = True
        elif key == "g":
            self.typed = ""
        elif key == "space":
            self.running = not self.running
        elif key in "+-":
            factor = 0.5 if key == "+" else 2.0
            self.pause = min(SLOWEST_SECONDS, max(FASTEST_SECONDS, self.pause * factor))
        elif key == "a":
            self.seat = None
        elif key.isdecimal() and key.isascii() and int(key) < self.steps.log.seats:
            self.seat = int(key)
        elif key in MOVES:
            self.running = False
            self._move(key)
        return True

    @property
    def _last(self) -> int:
        return len(self.steps.turns) - 1

    def _move(self, key: str) -> None:
        if not self.steps.turns:
            return
        match key:
            case "right":
                self.at = min(self.at + 1, self._last)
            case "left":
                self.at = max(self.at - 1, 0)
            case "home":
                self.at = 0
            case "end":
                self.at = self._last
            case "down" | "page down":
                here = self._place(self.at, key)
                ahead = range(self.at + 1, self._last + 1)
                self.at = next((at for at in ahead if self._place(at, key) != here), self._last)
            case "up" | "page up":
                # To the beginning of this trick or deal, or of the one before it if this is the beginning.
                target = self._place(max(self.at - 1, 0), key)
                while self.at > 0 and self._place(self.at - 1, key) == target:
                    self.at -= 1

    def _place(self, at: int, key: str) -> TrickPlace:
        """Deal and trick of a step; trick 0 for the keys that go from deal to deal."""
        deal_no, trick_no = self.steps.places[at]
        return deal_no, 0 if key.startswith("page") else trick_no

    def _type(self, key: str) -> None:
        assert self.typed is not None
        if key == "backspace":
            self.typed = self.typed[:-1]
        elif key == "enter":
            deal, _, trick = self.typed.partition(".")
            self.typed = None
            if deal:
                self._go_to(int(deal), int(trick or 1))
        elif key in "0123456789." and len(self.typed) < len("1000.999") and (self.typed + key).count(".") < 2:
            self.typed += key
        else:
            self.typed = None

    def _go_to(self, deal_no: int, trick_no: int) -> None:
        self.running = False
        wanted = (deal_no, trick_no)
        found = (at for at, place in enumerate(self.steps.places) if place >= wanted)
        self.at = next(found, max(0, self._last))


MOVES: Final = ("right", "left", "down", "up", "page down", "page up", "home", "end")


async def step_through(terminal: Terminal, stepping: Stepping) -> str:
    """Show the match until a key leaves it; returns that key."""
    while True:
        _show(terminal, stepping)
        begun = bool(stepping.steps.turns)
        waits = stepping.pause if stepping.running or stepping.live else math.inf
        with trio.move_on_after(waits if begun else FASTEST_SECONDS) as pause:
            key = await terminal.next()
        if pause.cancelled_caught:
            if begun:
                stepping.step_automatically()
        elif not stepping.press(key):
            return key


def _show(terminal: Terminal, stepping: Stepping) -> None:
    if stepping.helping:
        rows = [Text(f"  {keys:20}{meaning}") for keys, meaning in HELP]
        terminal.show(Text("keys", "bold"), rows, bottom=[Text("press any key to go back", "dim")])
    elif not stepping.steps.turns:
        terminal.show(Text("starting the bots …"), bottom=[Text("q leaves", "dim")])
    else:
        position = stepping.position
        story = [Text(line) for line in stepping.story(STORY_LINES)]
        terminal.show(_title(stepping), draw(position), [*story, *_end(stepping)], [_status(stepping)])


def _title(stepping: Stepping) -> Text:
    seen = "all hands" if stepping.seat is None else f"as seat {stepping.seat} saw it"
    return Text.assemble(title(stepping.position), (f" · {seen}", "bold"))


def _end(stepping: Stepping) -> Iterator[Text]:
    closed = stepping.steps.closed
    if closed is not None and stepping.at == len(stepping.steps.turns) - 1:
        sums, names = totals(closed.points, stepping.steps.log.seats), stepping.steps.names
        order = seats_by_placing(closed.placings)
        placed = " · ".join(f"{closed.placings[seat]}. {names[seat]} ({sums[seat]})" for seat in order)
        yield Text(f"the end: {placed}", "bold")


def _status(stepping: Stepping) -> Text:
    if stepping.typed is not None:
        return Text(f"go to deal, or deal.trick: {stepping.typed}_")
    state = "running" if stepping.running else "stopped"
    if stepping.live:
        state = f"still being played, {state}"
    where = f"step {stepping.at + 1} of {len(stepping.steps.turns)}, {state}"
    return Text.assemble(
        (where, "reverse"),
        ("  ←→ step ↑↓ trick 0–9 seat a all ? help q", "dim"),
        no_wrap=True,
    )
