"""Shows the progress of a call: by the caller's own function, in a notebook, or in a terminal.

Remarks are shown with the progress; if nothing is shown they go to the logger `arena`.
"""

import logging
import shutil
import sys
from collections.abc import Callable
from html import escape
from typing import Any, Final, Protocol, TypeVar

from arena.library.caller import asked
from arena.library.functions import FunctionSeats
from arena.playing.arguments import Command
from arena.playing.spellings import Progress, Progressing
from arena.system.errors import UserError
from arena.system.text import escaped

T = TypeVar("T")

LOGGER: Final = logging.getLogger("arena")


class Screen(Protocol):
    """Where progress is shown."""

    def say(self, text: str) -> None:
        """Show a remark."""

    def show(self, progress: Progress) -> None:
        """Replace the progress that is shown."""

    def close(self) -> None:
        """Remove the progress; remarks stay."""


class LoggingDisplay:
    """Displays nothing: remarks are logged, and progress is passed to the caller's function."""

    def __init__(self, on_progress: Callable[[Progress], None] = lambda _: None) -> None:
        self.show = on_progress

    def say(self, text: str) -> None:
        LOGGER.info("%s", text)

    def close(self) -> None:
        pass


class TerminalDisplay:
    """A line on standard error, which the next replaces."""

    def say(self, text: str) -> None:
        print(f"\r\x1b[K{escaped(text)}", file=sys.stderr)

    def show(self, progress: Progress) -> None:
        width = shutil.get_terminal_size().columns - 1
        print(f"\r\x1b[K{escaped(progress.text)[:width]}\r", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Notebook:
    """A line below the cell, which changes in place."""

    def __init__(self, ipython_display: Any) -> None:
        self._remarks: list[str] = []
        self._now = ""
        self._handle = ipython_display.display(self._shown(), display_id=True, raw=True)

    def say(self, text: str) -> None:
        self._remarks.append(text)
        self._update()

    def show(self, progress: Progress) -> None:
        self._now = progress.text
        self._update()

    def close(self) -> None:
        self._now = ""
        self._update()

    def _update(self) -> None:
        self._handle.update(self._shown(), raw=True)

    def _shown(self) -> dict[str, str]:
        lines = [*self._remarks, *([self._now] if self._now else [])]
        html = "".join(f"<div>{escape(line)}</div>" for line in lines)
        return {"text/plain": "\n".join(lines), "text/html": html}


def carried_out(call: Command, result: type[T]) -> T:
    """Carry out a call and show its progress; its result. Raises the same as `arena.library.caller.asked`."""
    functions = FunctionSeats()
    plain = functions.plain(call)
    screen = _screen(call.on_progress)
    try:
        return asked(plain, result, functions, screen.say, screen.show)
    finally:
        screen.close()


def _screen(on_progress: Progressing) -> Screen:
    if on_progress is False:
        return LoggingDisplay()
    if callable(on_progress):
        return LoggingDisplay(on_progress)
    if on_progress is not None:
        raise UserError(f"on_progress {on_progress!r}: expected a function, None or False")
    if (kernel := _notebook()) is not None:
        return Notebook(kernel)
    return TerminalDisplay() if sys.stderr is not None and sys.stderr.isatty() else LoggingDisplay()


def _notebook() -> Any:
    """IPython's display module if we run in a notebook, otherwise None. Imports nothing itself."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return sys.modules.get("IPython.display") if hasattr(shell, "kernel") else None
