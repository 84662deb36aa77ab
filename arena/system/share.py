"""The share of a core that something may take beside what matters more. Knows not what it is."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class CpuShare:
    """What it takes is paid back by waiting: in the long run it takes at most `share` of one core, apart from
    the last time. `share` is above 0."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._free_at = time.monotonic()

    @property
    def wait(self) -> float:
        """The seconds until all is paid back; 0 if it is."""
        return max(0.0, self._free_at - time.monotonic())

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Around work in one thread, of which the seconds of processor are counted."""
        begun = time.thread_time()
        try:
            yield
        finally:
            self.spend(time.thread_time() - begun)

    def spend(self, seconds: float) -> None:
        """So much of a core was taken."""
        self._free_at = max(self._free_at, time.monotonic()) + seconds / self._share
