"""A person plays in a browser: serves the page, the updates that the page waits for, and the person's
intents.

All state is kept here and none in the page, so a tab may be closed and opened again at any time.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

import msgspec
import trio

from arena.person.driver import SessionDriver
from arena.person.session import AskHint, Choose, NextDeal, TurnPhase
from arena.report.pages import page
from arena.web.server import Answer, Asked, serve
from arena.web.shown import shown

STYLES: Final = ("base.css", "cards.css", "replay.css", "playing.css")
SCRIPTS: Final = ("drawing.js", "playing.js")
NEWS_SECONDS: Final = 20
"""A request for news is answered after this time at the latest; so lost connections end."""


async def play_in_browser(driver: SessionDriver, on_address: Callable[[str], None]) -> None:
    """Play until the end of the match has been shown. `on_address` is called with the address of the page."""
    seat = _Seat(driver)
    async with driver.running(seat.changed):
        await serve(seat.answer, on_address)


class _Seat:
    """Answers a browser's requests about one seat."""

    def __init__(self, driver: SessionDriver) -> None:
        self._driver = driver
        self._page = page("playing.html", styles=STYLES, scripts=SCRIPTS, served=True).encode()
        self._version = 1
        self._news = trio.Event()

    def changed(self) -> None:
        """Answer the requests that wait for news."""
        self._version += 1
        self._news.set()
        self._news = trio.Event()

    async def answer(self, asked: Asked) -> Answer:
        """The answer to a request for any of our addresses."""
        match asked.method, asked.path.split("/"):
            case "GET", [""]:
                return Answer(HTTPStatus.OK, self._page, "text/html")
            case "GET", ["news", known]:
                return await self._news_since(known)
            case "POST", ["intent"]:
                return await self._carry_out(asked.body)
        return Answer(HTTPStatus.NOT_FOUND)

    async def _news_since(self, known: str) -> Answer:
        """What the page shows, once its version differs from `known`, or after NEWS_SECONDS."""
        if known == str(self._version):
            with trio.move_on_after(NEWS_SECONDS):
                await self._news.wait()
        now = shown(self._driver, self._version)
        over = self._driver.session.phase is TurnPhase.OVER
        return Answer(HTTPStatus.OK, msgspec.json.encode(now), "application/json", last=over)

    async def _carry_out(self, body: bytes) -> Answer:
        """CONFLICT if the intent does not fit what is shown now. Leaving is up to the terminal."""
        try:
            intent = msgspec.json.decode(body, type=Choose | AskHint | NextDeal)
        except msgspec.DecodeError:
            return Answer(HTTPStatus.BAD_REQUEST)
        if not await self._driver.carry_out(intent):
            return Answer(HTTPStatus.CONFLICT)
        self.changed()
        return Answer(HTTPStatus.NO_CONTENT)
