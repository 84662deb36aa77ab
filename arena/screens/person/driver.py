"""Runs a person's session: passes the referee's messages to it, and the person's intents on to the referee or
to the adviser. The same for every screen; knows neither keys nor pictures.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import trio

from arena import __version__
from arena.screens.person.hints import Adviser
from arena.screens.person.line import PersonLine
from arena.screens.person.session import AskHint, Choose, Intent, Leave, NextDeal, PersonSession, TurnPhase
from protocol.messages import Hello, Ready, Request
from protocol.units import Ms, ms_to_seconds

HURRIED_MS: Final = Ms(3_600_000)
"""A person with more time than this for a decision sees no clock."""


class SessionDriver:
    """Runs one person's session, for as long as `running` is entered."""

    def __init__(self, line: PersonLine, session: PersonSession, adviser: Adviser) -> None:
        self.session = session
        self._line = line
        self._adviser = adviser
        self._asked_at = 0.0
        self._on_change: Callable[[], None] = lambda: None
        self._nursery: trio.Nursery | None = None

    @property
    def seconds_left(self) -> int | None:
        """Seconds left for the open request; None if there is none, or if its time is beyond HURRIED_MS."""
        asked = self.session.request if self.session.phase is TurnPhase.ASKED else None
        if asked is None or asked.ms > HURRIED_MS:
            return None
        return max(0, round(ms_to_seconds(asked.ms) - (trio.current_time() - self._asked_at)))

    @asynccontextmanager
    async def running(self, on_change: Callable[[], None]) -> AsyncIterator[trio.Nursery]:
        """Listen to the referee. `on_change` is called when a message or a hint has changed the session. The
        tasks in the nursery are cancelled at the end."""
        self._on_change = on_change
        async with trio.open_nursery() as self._nursery:
            self._nursery.start_soon(self._adviser.watch)
            self._nursery.start_soon(self._listen)
            yield self._nursery
            self._nursery.cancel_scope.cancel()

    async def carry_out(self, intent: Intent) -> bool:
        """Do what the person asks for; False if the session does not allow it now. To be called inside
        `running`, which is cancelled when the person leaves. A hint arrives later, by `on_change`."""
        session, nursery = self.session, self._nursery
        assert nursery is not None
        match intent:
            case Choose(request_id, action) if reply := session.choose(request_id, action):
                await self._line.send(reply)
            case AskHint() if request := session.ask_hint():
                nursery.start_soon(self._advise, request)
            case NextDeal() if session.next_deal():
                pass
            case Leave():
                nursery.cancel_scope.cancel()
            case _:
                return False
        return True

    async def close(self) -> None:
        """End the adviser, and disconnect from the referee, which sees a bot that exited."""
        self._adviser.shut_down()
        await self._line.close()

    async def _advise(self, request: Request) -> None:
        """Ask the adviser. Its advice is dropped if the person has decided in the meantime."""
        adviser = self._adviser
        advice = await adviser.advise(request)
        if self.session.request is request:
            why = f" ({advice.words})" if advice.words else ""
            would = f"{adviser.name} would choose {advice.action}{why}"
            failed = f"no hint: {adviser.name} failed ({advice.words})"
            self.session.hint = would if advice.action else failed
            self.session.hinted = advice.action or None
            self._on_change()

    async def _listen(self) -> None:
        await self._line.accept()
        while (message := await self._line.receive()) is not None:
            self.session.receive(message)
            self._asked_at = trio.current_time()
            if isinstance(message, Hello):
                await self._line.send(Ready("person", __version__))
            if isinstance(message, Hello | Request):
                self._adviser.receive(message)
            self._on_change()
        self.session.finish()
        self._on_change()
