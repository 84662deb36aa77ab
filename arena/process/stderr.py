"""What a bot writes to its standard error: a pipe that we empty, and the last 64 KiB of what was in it.

A pipe and no file of ours, so that nobody else pays for what a bot does to it: to its mode, its locks and its
size, or by reading it too. It is emptied and never read to its end, which a helper of the bot can put off for
ever; and one visit is bounded, since a bot can write as fast as we read.

Knows one descriptor; neither processes nor files.
"""

import os
from typing import IO, Final

STDERR_KEPT: Final = 64 * 1024
READ_SIZE: Final = 64 * 1024
MOST_READS: Final = 16
"""In one visit. That is what a pipe holds at most, 1 MiB, as far as a bot may enlarge it."""


class Stderr:
    """Our end of the pipe, which becomes ours. Must be closed."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._tail = bytearray()
        self.descriptor = pipe.fileno()
        """-1 when it is closed."""
        os.set_blocking(self.descriptor, False)

    def drain(self) -> bool:
        """Take what is there. False when nothing more can come."""
        if self.descriptor < 0:
            return False
        for _ in range(MOST_READS):
            try:
                data = os.read(self.descriptor, READ_SIZE)
            except BlockingIOError:
                return True
            except OSError:
                return False  # What a bot puts into its pipe is all that can make this fail.
            if not data:
                return False
            self._tail += data
            del self._tail[:-STDERR_KEPT]
        return True

    def tail(self, size: int) -> bytes:
        """The last bytes since `forget`, 64 KiB at most."""
        return bytes(self._tail[-size:])

    def forget(self) -> None:
        """What comes from now on stands alone."""
        self._tail.clear()

    def close(self) -> None:
        """What was kept can still be had."""
        self.descriptor = -1
        self._pipe.close()
