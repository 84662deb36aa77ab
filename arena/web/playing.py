"""A person plays in a browser: its page, the news the page waits for, and what the person wishes.

All is kept here and nothing in the page, so that a tab may be closed and opened again at any time.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

import msgspec
import trio

from arena.person.driver import Attendant
from arena.person.session import Mood, Page
from arena.report.pages import page
from arena.web.server import Answer, Asked, serve
from arena.web.shown import shown

STYLES: Final = ("base.css", "cards.css", "replay.css", "playing.css")
SCRIPTS: Final = ("drawing.js", "playing.js")
NEWS_SECONDS: Final = 20
"""So long the page waits for news before it asks anew: connections that are lost end."""


class Choose(msgspec.Struct, frozen=True, tag="choose", forbid_unknown_fields=True):
    """An action, as the answer to that request."""

    request: int
    action: str


class Hint(msgspec.Struct, frozen=True, tag="hint", forbid_unknown_fields=True):
    """What would a bot do?"""


class NextDeal(msgspec.Struct, frozen=True, tag="next deal", forbid_unknown_fields=True):
    """The end of a deal was seen."""


async def play(attendant: Attendant, told: Callable[[str], None]) -> None:
    """Until the end of the match has been shown. `told` gets the address of the page."""
    seat = _Seat(attendant)
    async with attendant.at_work(seat.changed):
        await serve(seat.answer, told)


class _Seat:
    """One seat as a browser asks for it."""

    def __init__(self, attendant: Attendant) -> None:
        self._attendant = attendant
        self._page = page("playing.html", styles=STYLES, scripts=SCRIPTS, served=True).encode()
        self._version = 1
        self._news = trio.Event()

    def changed(self) -> None:
        self._version += 1
        self._news.set()
        self._news = trio.Event()

    async def answer(self, asked: Asked) -> Answer:
        match asked.method, asked.path.split("/"):
            case "GET", [""]:
                return Answer(HTTPStatus.OK, self._page, "text/html")
            case "GET", ["news", known]:
                return await self._news_since(known)
            case "POST", ["wish"]:
                return await self._wished(asked.body)
        return Answer(HTTPStatus.NOT_FOUND)

    async def _news_since(self, known: str) -> Answer:
        """All there is to be seen, once it is something else than at that version."""
        if known == str(self._version):
            with trio.move_on_after(NEWS_SECONDS):
                await self._news.wait()
        now = shown(self._attendant, self._version)
        over = self._attendant.sitting.mood is Mood.OVER
        return Answer(HTTPStatus.OK, msgspec.json.encode(now), "application/json", last=over)

    async def _wished(self, body: bytes) -> Answer:
        try:
            wish = msgspec.json.decode(body, type=Choose | Hint | NextDeal)
        except msgspec.DecodeError:
            return Answer(HTTPStatus.BAD_REQUEST)
        sitting = self._attendant.sitting
        match wish, sitting.page:
            case Choose(request, action), Page.TABLE if reply := sitting.choose(request, action):
                await self._attendant.fulfil(reply)
            case Hint(), Page.TABLE:
                await self._attendant.fulfil(sitting.press("?"))
            case NextDeal(), Page.DEAL_OVER:
                sitting.press("enter")
            case _:
                return Answer(HTTPStatus.CONFLICT)
        self.changed()
        return Answer(HTTPStatus.NO_CONTENT)
