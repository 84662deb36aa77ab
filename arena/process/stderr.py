"""Reads the standard error of a bot from a pipe and stores the last 64 KiB.

It is a pipe, since a bot could harm others through a file: change its mode, lock it, let it grow, or read it.
We never wait for the end of the pipe, since a helper of the bot can keep it open forever. One call of `drain`
is bounded, since a bot can write as fast as we read.

Knows one descriptor; neither processes nor files.
"""

import os
from typing import IO, Final

STDERR_KEPT: Final = 64 * 1024
READ_SIZE: Final = 64 * 1024
MOST_READS: Final = 16
"""The maximum number of reads in one `drain`: 1 MiB in total, to which a bot can enlarge its pipe."""


class Stderr:
    """Owns our end of the pipe. Must be closed."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._tail = bytearray()
        self.descriptor = pipe.fileno()
        """-1 once it is closed."""
        os.set_blocking(self.descriptor, False)

    def drain(self) -> bool:
        """Read what is available, without blocking. False at the end of the pipe."""
        if self.descriptor < 0:
            return False
        for _ in range(MOST_READS):
            try:
                data = os.read(self.descriptor, READ_SIZE)
            except BlockingIOError:
                return True
            except OSError:
                return False  # Only the bot can make its pipe fail.
            if not data:
                return False
            self._tail += data
            del self._tail[:-STDERR_KEPT]
        return True

    def tail(self, size: int) -> bytes:
        """The last `size` bytes since `forget`, 64 KiB at most."""
        return bytes(self._tail[-size:])

    def forget(self) -> None:
        """Drop what was stored, since a process may be reused for another match."""
        self._tail.clear()

    def close(self) -> None:
        """Close the pipe; `tail` still returns what was stored."""
        self.descriptor = -1
        self._pipe.close()
