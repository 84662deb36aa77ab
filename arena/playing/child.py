"""Runs `arena.playing.worker`, or a module like it, as a child process: starts it, explains its death, ends
it.

The child has a session of its own, so that a Ctrl-C reaches only us, and it ends when its input ends, so that
nothing is left if we are killed. Knows no jobs, and not how callers wait for the child's output.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from typing import IO, Final, NamedTuple

from arena.process.cgroup import end_groups_of
from arena.process.tree import end_children, mark_of
from arena.system.errors import MachineError, is_starved

FAREWELL_SECONDS: Final = 2.0
"""How long a worker whose input has ended may take to end its bots and itself."""
LAST_WORDS: Final = 4096
"""Bytes at the end of its standard error by which a death is explained."""
DEATH_SECONDS: Final = 1.0
"""How long a worker that has closed its output may take to exit."""
FROM_OUTSIDE: Final = frozenset(
    {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU}
)
"""Signals that a program does not send itself: a user of the machine sends them, or a kernel short of
memory."""


class Death(NamedTuple):
    """Why a worker died. `bug`: the arena is to blame, and not this machine."""

    reason: str
    bug: bool


class WorkerProcess:
    """The child, with pipes as its standard input and output. Must be ended by `kill`."""

    def __init__(self, module: str = "arena.playing.worker") -> None:
        """Starts `module`. Raises MachineError where this machine has no room for a process."""
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
        """Why a worker that has closed its output died, by its exit status or the end of its standard
        error."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(DEATH_SECONDS)
        status = self._child.poll()
        if status is not None and -status in FROM_OUTSIDE:
            name = signal.Signals(-status).name
            return Death(f"a process of the arena was ended from outside, by {name}", bug=False)
        self._errors.seek(0)
        words = self._errors.read()[-LAST_WORDS:].decode("utf-8", "replace")
        if is_starved(words):
            return Death("this machine had no memory or process left for the arena", bug=False)
        return Death(f"the worker died: {words}", bug=True)

    def kill(self) -> None:
        """Kills the child if it has not ended, and reaps it; also the processes that it leaves behind, where
        this process adopts orphans."""
        if self._child.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
            self._child.wait()
        end_children(lambda pid: mark_of(pid).startswith(f"{self.pid}-"))
        end_groups_of(self.pid)
        self._stdout.close()
        self._errors.close()
