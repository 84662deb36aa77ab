"""One `arena.worker`, or its like, as a child: started, the ends of its dialogue, its last words, its end.

It is in a session of its own, so that a Ctrl-C reaches us alone, and it ends when its input ends, so that
nothing is left if we are killed. Knows no jobs, and not how somebody waits for what it says.
"""

import os
import signal
import subprocess
import sys
import tempfile
from typing import IO, Final

FAREWELL_SECONDS: Final = 2.0
"""How long a worker whose input has ended may take to end its bots and itself."""
LAST_WORDS: Final = 4096


class WorkerProcess:
    """Must be ended by `kill`."""

    def __init__(self, module: str = "arena.worker") -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._stdin, self._stdout = self._child.stdin, self._child.stdout

    @property
    def pid(self) -> int:
        return self._child.pid

    def last_words(self) -> str:
        """The end of what it wrote to its standard error, for our bug reports."""
        self._errors.seek(0)
        return self._errors.read()[-LAST_WORDS:].decode("utf-8", "replace")

    def kill(self) -> None:
        """End it, if it has not gone by itself, and reap it."""
        if self._child.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
            self._child.wait()
        self._stdout.close()
        self._errors.close()
