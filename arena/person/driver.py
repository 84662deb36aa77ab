"""Whoever waits on a person at a seat: carries what the referee says to their Sitting, and what they wish for
to the referee or to the adviser. The same for every screen; knows neither keys nor pictures.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import trio

from arena import __version__
from arena.person.hints import Adviser
from arena.person.line import PersonLine
from arena.person.session import Mood, Sitting, Wish
from protocol.messages import Hello, Ready, Reply, Request

HURRIED_MS: Final = 3_600_000
"""Whoever has longer than this for a decision is shown no clock."""


class Attendant:
    """Waits on one person, for as long as it is `at_work`."""

    def __init__(self, line: PersonLine, sitting: Sitting, adviser: Adviser) -> None:
        self.sitting = sitting
        self._line = line
        self._adviser = adviser
        self._asked_at = 0.0
        self._changed: Callable[[], None] = lambda: None
        self._nursery: trio.Nursery | None = None

    @property
    def seconds_left(self) -> int | None:
        """For what is asked; None where nothing is, or where there is no hurry."""
        asked = self.sitting.request if self.sitting.mood is Mood.ASKED else None
        if asked is None or asked.ms > HURRIED_MS:
            return None
        return max(0, round(asked.ms / 1000 - (trio.current_time() - self._asked_at)))

    @asynccontextmanager
    async def at_work(self, changed: Callable[[], None]) -> AsyncIterator[trio.Nursery]:
        """`changed` is called whenever there is something else to be seen. The nursery is for what else is
        done meanwhile, and ends with the work."""
        self._changed = changed
        async with trio.open_nursery() as self._nursery:
            self._nursery.start_soon(self._adviser.watch)
            self._nursery.start_soon(self._listen)
            yield self._nursery
            self._nursery.cancel_scope.cancel()

    async def fulfil(self, wish: Reply | Wish | None) -> None:
        """What pressing a key of the Sitting, or choosing there, has come to. Whoever wishes to leave stops
        the work; a hint comes when it comes."""
        if isinstance(wish, Reply):
            await self._line.say(wish)
        elif wish is Wish.HINT and self.sitting.request is not None and self._nursery is not None:
            self._nursery.start_soon(self._advise, self.sitting.request)

    async def _advise(self, request: Request) -> None:
        """The person may have decided by the time that the adviser has."""
        adviser = self._adviser
        advice = await adviser.advise(request)
        if self.sitting.request is request:
            why = f" ({advice.words})" if advice.words else ""
            would = f"{adviser.name} would choose {advice.action}{why}"
            failed = f"no hint, {adviser.name} failed: {advice.words}"
            self.sitting.hint = would if advice.action else failed
            self._changed()

    async def _listen(self) -> None:
        await self._line.arrive()
        while (message := await self._line.hear()) is not None:
            self.sitting.hear(message)
            self._asked_at = trio.current_time()
            if isinstance(message, Hello):
                await self._line.say(Ready("person", __version__))
            if isinstance(message, Hello | Request):
                self._adviser.told(message)
            self._changed()
        self.sitting.over()
        self._changed()
