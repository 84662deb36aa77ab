"""The terminal that we were started from: keys in, whole screens out.

Plain rich and the terminal's own alternative screen; a framework with widgets and an event loop of its own
would be more than all there is to show. Knows no game. A terminal that is closed is a key like any other,
`GONE`, and whatever is shown after it goes nowhere.
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

from arena.show.keys import GONE, RESIZED, keys

READ_SIZE: Final = 1024
ESCAPE_SECONDS: Final = 0.1
"""After so long a pause what could have begun a longer key, such as an arrow, was the escape key."""
FEW_NEWS: Final = 4
"""Lines of news for which blank lines give way."""
_INPUT, _LOCAL, _CHARACTERS = 0, 3, 6
"""Where they stand in what termios gives."""


def usable() -> bool:
    """Whether we are in a terminal that can be drawn on and gives us keys."""
    return (
        sys.stdin.isatty()
        and sys.stdout.isatty()
        and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    )


class Terminal:
    """Made by `terminal`. `next` gives one key after the other."""

    def __init__(self, console: Console, pressed: trio.MemoryReceiveChannel[str]) -> None:
        self._console = console
        self._pressed = pressed

    async def next(self) -> str:
        return await self._pressed.receive()

    def show(
        self,
        top: RenderableType,
        middle: Sequence[RenderableType] = (),
        news: Sequence[RenderableType] = (),
        bottom: Sequence[RenderableType] = (),
    ) -> None:
        """The whole screen anew: `top` and `bottom` at its edges, between them the `middle`, spread out where
        there is room, and of the `news` the last that fit."""
        width, height = self._console.size
        head, foot = self._lines([top]), self._lines(bottom)
        parts = [self._lines([part]) for part in middle]
        room = height - len(head) - len(foot)
        spread = room > sum(map(len, parts)) + len(parts) + FEW_NEWS
        blank = [[Segment(" " * width)]]
        body = [line for part in parts for line in (*(blank if spread else ()), *part)]
        free = room - len(body) - 1
        told = self._lines(news[-free:])[-free:] if free > 0 and news else []
        body += [*blank, *told] if told else []
        body += blank * (room - len(body))
        segments = Segments([*_joined([*head, *body[: max(0, room)], *foot][:height])])
        with self._perhaps_gone():
            self._console.print(Control.home(), segments, end="", crop=False, no_wrap=True)

    def _lines(self, parts: Iterable[RenderableType]) -> list[list[Segment]]:
        options = self._console.options.update(height=None)
        return [line for part in parts for line in self._console.render_lines(part, options)]

    @contextlib.contextmanager
    def _perhaps_gone(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            let_go()


def _joined(lines: Iterable[list[Segment]]) -> Iterator[Segment]:
    """The last line has no end, which would move the screen up."""
    for at, line in enumerate(lines):
        yield from ([Segment.line()] if at else [])
        yield from line


@asynccontextmanager
async def terminal() -> AsyncIterator[Terminal]:
    """Take the terminal, and give it back as it was."""
    console = Console(highlight=False, markup=False, emoji=False)
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    send, receive = trio.open_memory_channel[str](100)
    shown = Terminal(console, receive)
    async with trio.open_nursery() as nursery:
        with shown._perhaps_gone():
            termios.tcsetattr(keyboard, termios.TCSANOW, _one_key_at_a_time(before))
            console.set_alt_screen(True)
            console.show_cursor(False)
        try:
            nursery.start_soon(_read, keyboard, send)
            await nursery.start(_notice_sizes, send)
            yield shown
        finally:
            nursery.cancel_scope.cancel()
            with shown._perhaps_gone():
                console.show_cursor(True)
                console.set_alt_screen(False)
            with contextlib.suppress(termios.error):
                termios.tcsetattr(keyboard, termios.TCSAFLUSH, before)


def _one_key_at_a_time(attributes: list[Any]) -> list[Any]:
    """Neither lines nor echo, and no key that sends a signal: Ctrl-C is read, Ctrl-Z does nothing."""
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
            let_go()
            await pressed.send(GONE)
            return
        found, rest = keys(rest + data, whole=pause.cancelled_caught)
        for key in found:
            await pressed.send(key)


def _more(keyboard: int) -> bytes:
    """What was typed; nothing from a terminal that is closed."""
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


def let_go() -> None:
    """The terminal is closed: from now on nothing is read from it, and what is written goes nowhere, also
    what the interpreter flushes at its end."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        if stat.S_ISCHR(os.fstat(descriptor).st_mode):  # one that is closed is no terminal any more
            os.dup2(nowhere, descriptor)
    os.close(nowhere)
