"""The terminal from which the arena was started: keys in, whole screens out.

It uses rich and the terminal's alternative screen; a framework with widgets and its own event loop would be
too much for this. Knows no game. When the terminal is closed, the key `GONE` comes, and further output is
discarded.
"""

import contextlib
import math
import os
import signal
import stat
import sys
import termios
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import trio
from rich.console import Console, RenderableType
from rich.control import Control
from rich.segment import Segment, Segments
from rich.style import Style

from arena.screens.terminal.keys import GONE, RESIZED, keys

READ_SIZE: Final = 1024
ESCAPE_SECONDS: Final = 0.1
"""After this pause, an incomplete key, such as the beginning of an arrow, counts as the escape key."""
LEAST_STORY: Final = 4
"""Lines reserved for the story; to make room, blank lines in the middle are left out."""
WIDE: Final = 120
"""With at least this many columns, the story stands beside the middle."""
MIDDLE_WIDTH: Final = 80
"""Minimum number of columns for the middle."""
STORY_WIDTH: Final = 60
"""Maximum number of columns for a story beside it."""
BAR: Final = " │ "
DIM: Final = Style(dim=True)
_INPUT, _LOCAL, _CHARACTERS = 0, 3, 6
"""Indices in the attributes of termios."""


def usable() -> bool:
    """Whether standard input and output are a terminal that can show screens."""
    return (
        sys.stdin.isatty()
        and sys.stdout.isatty()
        and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    )


class Terminal:
    """Shows screens and reads keys. Made by the context manager `terminal`."""

    def __init__(self, console: Console, pressed: trio.MemoryReceiveChannel[str]) -> None:
        self._console = console
        self._pressed = pressed

    async def next(self) -> str:
        """The next key, named as in arena/screens/terminal/keys.py."""
        return await self._pressed.receive()

    def show(
        self,
        top: RenderableType,
        middle: Sequence[RenderableType] = (),
        story: Sequence[RenderableType] = (),
        bottom: Sequence[RenderableType] = (),
    ) -> None:
        """Draw the whole screen: `top` and `bottom` at its edges; between them the `middle`, with blank lines
        if there is room, and the last lines of `story` that fit: below the middle, or beside it on a wide
        screen."""
        width, height = self._console.size
        head, foot = self._lines([top], width), self._lines(bottom, width)
        room = max(0, height - len(head) - len(foot))
        if width >= WIDE and middle and story:
            aside = min(STORY_WIDTH, width - MIDDLE_WIDTH - len(BAR))
            main = width - aside - len(BAR)
            left = self._body(middle, main, room)
            right = self._lines(story[-room:], aside)[-room:] if room else []
            right += _blank(aside) * (room - len(right))
            body = [[*line, Segment(BAR, DIM), *beside] for line, beside in zip(left, right, strict=True)]
        else:
            body = self._body(middle, width, room, story)
        segments = Segments([*_joined([*head, *body, *foot][:height])])
        with self._detach_if_closed():
            self._console.print(Control.home(), segments, end="", crop=False, no_wrap=True)

    def _body(
        self, middle: Sequence[RenderableType], width: int, room: int, story: Sequence[RenderableType] = ()
    ) -> list[list[Segment]]:
        """Exactly `room` lines: the middle, and below it the last lines of the story that fit."""
        parts = [self._lines([part], width) for part in middle]
        spread = room > sum(map(len, parts)) + len(parts) + (LEAST_STORY if story else 0)
        blank = _blank(width)
        body = [line for part in parts for line in (*(blank if spread else ()), *part)]
        free = room - len(body) - 1
        last = self._lines(story[-free:], width)[-free:] if free > 0 and story else []
        body += [*blank, *last] if last else []
        return [*body, *blank * (room - len(body))][:room]

    def _lines(self, parts: Iterable[RenderableType], width: int) -> list[list[Segment]]:
        options = self._console.options.update(height=None, width=width)
        return [line for part in parts for line in self._console.render_lines(part, options)]

    @contextlib.contextmanager
    def _detach_if_closed(self) -> Iterator[None]:
        """Detach from the terminal if writing to it shows that it is closed."""
        try:
            yield
        except OSError:
            detach()


def _blank(width: int) -> list[list[Segment]]:
    return [[Segment(" " * width)]]


def _joined(lines: Iterable[list[Segment]]) -> Iterator[Segment]:
    """The lines with newlines between them. The last has none, since that would scroll the screen."""
    for at, line in enumerate(lines):
        yield from ([Segment.line()] if at else [])
        yield from line


@asynccontextmanager
async def terminal() -> AsyncIterator[Terminal]:
    """Take over the terminal, and restore it at the end."""
    console = Console(highlight=False, markup=False, emoji=False)
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    send, receive = trio.open_memory_channel[str](100)
    shown = Terminal(console, receive)
    async with trio.open_nursery() as nursery:
        with shown._detach_if_closed():
            termios.tcsetattr(keyboard, termios.TCSANOW, _one_key_at_a_time(before))
            console.set_alt_screen(True)
            console.show_cursor(False)
        try:
            nursery.start_soon(_read, keyboard, send)
            await nursery.start(_notice_sizes, send)
            yield shown
        finally:
            nursery.cancel_scope.cancel()
            with shown._detach_if_closed():
                console.show_cursor(True)
                console.set_alt_screen(False)
            with contextlib.suppress(termios.error):
                termios.tcsetattr(keyboard, termios.TCSAFLUSH, before)


def _one_key_at_a_time(attributes: list[Any]) -> list[Any]:
    """The attributes without line input, echo and keys that send signals: Ctrl-C is read as a key, Ctrl-Z
    does nothing."""
    changed = [*attributes[:_CHARACTERS], [*attributes[_CHARACTERS]]]
    changed[_INPUT] &= ~termios.IXON
    changed[_LOCAL] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
    changed[_CHARACTERS][termios.VMIN], changed[_CHARACTERS][termios.VTIME] = 1, 0
    return changed


async def _read(keyboard: int, pressed: trio.MemorySendChannel[str]) -> None:
    rest = b""
    while True:
        with trio.move_on_after(ESCAPE_SECONDS if rest else math.inf) as pause:
            await trio.lowlevel.wait_readable(keyboard)
        data = b"" if pause.cancelled_caught else _more(keyboard)
        if not data and not pause.cancelled_caught:
            detach()
            await pressed.send(GONE)
            return
        found, rest = keys(rest + data, whole=pause.cancelled_caught)
        for key in found:
            await pressed.send(key)


def _more(keyboard: int) -> bytes:
    """The bytes typed; none if the terminal is closed."""
    try:
        return os.read(keyboard, READ_SIZE)
    except OSError:
        return b""


async def _notice_sizes(
    pressed: trio.MemorySendChannel[str], task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    with trio.open_signal_receiver(signal.SIGWINCH) as resized:
        task_status.started()
        async for _ in resized:
            await pressed.send(RESIZED)


def detach() -> None:
    """Replace standard input, output and error by /dev/null if they are a terminal. To be called when the
    terminal is closed; otherwise the interpreter's last flush would fail."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        if stat.S_ISCHR(os.fstat(descriptor).st_mode):  # os.isatty is false for a closed terminal.
            os.dup2(nowhere, descriptor)
    os.close(nowhere)
