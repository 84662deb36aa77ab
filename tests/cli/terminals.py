"""The `arena` command in a terminal of its own, of which every screen can be read and keys be pressed."""

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.cli.calls import ROOT

WAIT = 60.0
REST = 0.5
"""Seconds in which the rest of a screen comes."""
SCREEN = b"\x1b[H"
"""Where the cursor goes before anything is drawn."""
CONTROL = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]")


class Terminal:
    """Used as a context manager, behind which it is closed and the command is gone."""

    def __init__(
        self,
        *words: object,
        folder: Path,
        lines: int = 24,
        width: int = 80,
        env: Mapping[str, str] | None = None,
        command: Sequence[object] = (sys.executable, "-m", "arena"),
    ) -> None:
        self.received = b""
        self._lines, self._width = lines, width
        self._keys, theirs = os.openpty()
        self.resize(lines, width)
        # A command that was installed elsewhere must not take its code from here.
        place = {"PYTHONPATH": str(ROOT)} if command[0] == sys.executable else {}
        # pytest-xdist says how wide its own terminal is; ours is as wide as it says itself.
        around = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [*map(str, (*command, *words))],
            cwd=folder,
            env={**around, **place, "TERM": "xterm-256color", **(env or {})},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            # A session's first terminal is the one whose end it is told of.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    @property
    def screens(self) -> int:
        return self.received.count(SCREEN)

    @property
    def screen(self) -> str:
        """What was drawn last, or printed behind it."""
        last = self.received.rpartition(SCREEN)[2]
        return CONTROL.sub(b"", last).decode("utf-8", "replace").replace("\r\n", "\n")

    def press(self, keys: str) -> None:
        os.write(self._keys, keys.encode())

    def until(self, text: str) -> str:
        """Wait for a screen with this in it, a regular expression, and for the rest of that screen; what is
        printed behind the screens has no such end."""
        self.wait_for(text)
        while not self._whole() and self._more(time.monotonic() + REST):
            pass
        return self.screen

    def wait_for(self, text: str) -> None:
        """The same, where what follows does not end: a line that changes all the time."""
        deadline = time.monotonic() + WAIT
        while not re.search(text, self.screen):
            assert self._more(deadline), f"no {text!r} on the screen:\n{self.screen}"

    def next(self) -> str:
        """Wait for another screen, a whole one."""
        before, deadline = self.screens, time.monotonic() + WAIT
        while self.screens == before or not self._whole():
            assert self._more(deadline), f"nothing came after\n{self.screen}"
        return self.screen

    def resize(self, lines: int, width: int) -> None:
        self._lines, self._width = lines, width
        fcntl.ioctl(self._keys, termios.TIOCSWINSZ, struct.pack("HHHH", lines, width, 0, 0))

    def end(self) -> int:
        """Read to the end; the exit status."""
        deadline = time.monotonic() + WAIT
        while self._more(deadline):
            pass
        return self.process.wait(WAIT)

    def close(self) -> None:
        if self._keys >= 0:
            os.close(self._keys)
            self._keys = -1

    def _whole(self) -> bool:
        """Every line of a screen is filled up, the last one too."""
        lines = self.screen.split("\n")
        return len(lines) == self._lines and len(lines[-1]) == self._width

    def _more(self, deadline: float) -> bool:
        """Whether anything came before it was over."""
        ready, _, _ = select.select([self._keys], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._keys, 1 << 16)
        except OSError:
            return False
        self.received += data
        return bool(data)
