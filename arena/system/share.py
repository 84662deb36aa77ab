"""Limits background work, whatever it is, to a share of a core, next to work that matters more."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class CpuShare:
    """A budget of CPU time that is paid back by waiting, so that in the long run the work takes at most
    `share` (above 0) of one core, apart from the last piece."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._free_at = time.monotonic()

    @property
    def wait(self) -> float:
        """The seconds until everything is paid back."""
        return max(0.0, self._free_at - time.monotonic())

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Charge the CPU time that this thread uses while the context is open."""
        begun = time.thread_time()
        try:
            yield
        finally:
            self.spend(time.thread_time() - begun)

    def spend(self, seconds: float) -> None:
        """Charge seconds of CPU time."""
        self._free_at = max(self._free_at, time.monotonic()) + seconds / self._share
