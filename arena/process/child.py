"""A child process of the arena's own: starts it, exchanges lines with it, explains its death, ends it.

The child has a session of its own, so that a Ctrl-C reaches only us. It exits at the end of its input, so
that nothing is left if we are killed. Does not know what the lines mean.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections import deque
from typing import IO, Final, NamedTuple

import trio

from arena.process.cgroup import end_groups_of
from arena.process.tree import end_children, mark_of
from arena.system.errors import MachineError, is_starved
from arena.system.lines import Splitter, last_words

FAREWELL_SECONDS: Final = 2.0
"""The time that a worker gets, after the end of its input, to end its bots and itself."""
DEATH_SECONDS: Final = 1.0
"""The time that a worker gets to exit after the end of its output."""
FROM_OUTSIDE: Final = frozenset(
    {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU}
)
"""Signals that a program does not send to itself: a user sends them, or a kernel that is short of memory."""


class Death(NamedTuple):
    """Why a worker died. `bug`: the cause is the arena, not this machine."""

    reason: str
    bug: bool

    @property
    def last_line(self) -> str:
        """The last line of `reason`: for a bug, the exception."""
        return self.reason.strip().rpartition("\n")[2]


class ChildProcess:
    """The child, connected by pipes to its standard input and output. Must be ended by `kill`."""

    def __init__(self, module: str) -> None:
        """Start `python -m module`. Raises MachineError if this machine cannot start another process."""
        try:
            self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as error:
            raise MachineError(f"no process of the arena could be started: {error}") from None
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._stdin, self._stdout = self._child.stdin, self._child.stdout

    @property
    def pid(self) -> int:
        """The child's process id, which is also its process group and session."""
        return self._child.pid

    def death(self) -> Death:
        """Why a worker died that has closed its output, judged by its exit status and the end of its standard
        error."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(DEATH_SECONDS)
        status = self._child.poll()
        if status is not None and -status in FROM_OUTSIDE:
            name = signal.Signals(-status).name
            return Death(f"a process of the arena was killed from outside, by {name}", bug=False)
        words = last_words(self._errors)
        if is_starved(words):
            return Death("this machine had no memory or process left for the arena", bug=False)
        if not words:  # Python reports a bug, unless it lacks the memory to do so.
            return Death(f"a process of the arena exited with status {status} and gave no reason", bug=False)
        return Death(f"the worker died: {words}", bug=True)

    def kill(self) -> None:
        """Kill the child if it has not ended, and reap it; also the processes that it has left, if this
        process adopts orphans."""
        if self._child.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
            self._child.wait()
        end_children(lambda pid: mark_of(pid).startswith(f"{self.pid}-"))
        end_groups_of(self.pid)
        self._stdout.close()
        self._errors.close()


class AskedProcess(ChildProcess):
    """A child that is asked by a caller who waits for its answer. Must be ended by `stop`."""

    def tell(self, line: bytes) -> None:
        """Send a line, given without its newline. If the child has died, `answer` returns None."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.write(line + b"\n")
            self._stdin.flush()

    def answer(self) -> bytes | None:
        """The child's next line without its newline; None at the end of its output."""
        line = self._stdout.readline()
        return line[:-1] if line.endswith(b"\n") else None

    def hang_up(self) -> None:
        """Close the child's input, at which it exits."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    def stop(self) -> None:
        """Hang up, and kill the child if it does not exit within FAREWELL_SECONDS."""
        self.hang_up()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(FAREWELL_SECONDS)
        self.kill()


class Lines:
    """Reads lines from a file descriptor, which it owns."""

    def __init__(self, descriptor: int) -> None:
        self._stream = trio.lowlevel.FdStream(descriptor)
        self._splitter = Splitter()
        self._came: deque[bytes] = deque()

    async def next(self) -> bytes | None:
        """The next line without its newline; None at the end. An unterminated last line is dropped."""
        while not self._came:
            if not (data := await self._stream.receive_some()):
                return None
            self._came += self._splitter.lines(bytes(data))
        return self._came.popleft()

    async def aclose(self) -> None:
        await self._stream.aclose()


class AwaitedProcess(ChildProcess):
    """A child that is awaited with trio, bound to one core or none. Must be ended by `stop`."""

    def __init__(self, module: str, core: int | None = None) -> None:
        """Start `python -m module`. Raises MachineError if this machine cannot start another process."""
        super().__init__(module)
        self.core = core
        if core is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(self.pid, {core})
        self._input = trio.lowlevel.FdStream(os.dup(self._stdin.fileno()))
        self._output = Lines(os.dup(self._stdout.fileno()))
        self._stdin.close()

    async def tell(self, line: bytes) -> None:
        """Send a line, given without its newline. If the child has died, `next_line` returns None."""
        with contextlib.suppress(trio.BrokenResourceError):
            await self._input.send_all(line + b"\n")

    async def next_line(self) -> bytes | None:
        """The child's next line without its newline; None at the end of its output."""
        return await self._output.next()

    async def stop(self) -> None:
        """Close the child's input, at which it exits; kill it after FAREWELL_SECONDS. Idempotent."""
        with trio.CancelScope(shield=True):
            await self._input.aclose()
            deadline = trio.current_time() + FAREWELL_SECONDS
            while self._child.poll() is None and trio.current_time() < deadline:
                await trio.sleep(0.005)
            self.kill()
            await self._output.aclose()
