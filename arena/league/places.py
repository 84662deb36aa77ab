"""Workers' places that checks share. A check mostly waits, so several need one place; on top of all workers
they would make bots exceed their time.

Knows neither checks nor matches.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio


class SharedPlaces:
    """Takes from `places` what it needs for tasks of which `sharers` share a place, and no more."""

    def __init__(self, places: trio.CapacityLimiter, sharers: int) -> None:
        self._places = places
        self._sharers = sharers
        self._held: list[object] = []
        self._tasks = 0
        self._turn = trio.Lock()

    @asynccontextmanager
    async def share(self) -> AsyncIterator[None]:
        """Wait for a share of a place; give it back at the end."""
        async with self._turn:
            if self._tasks == len(self._held) * self._sharers:
                # Others may end while this waits: the place is held only once it is there.
                await self._places.acquire_on_behalf_of(place := object())
                self._held.append(place)
            self._tasks += 1
        self._give_back()
        try:
            yield
        finally:
            self._tasks -= 1
            self._give_back()

    def _give_back(self) -> None:
        while (len(self._held) - 1) * self._sharers >= self._tasks:
            self._places.release_on_behalf_of(self._held.pop())
