"""A person plays in a browser. Serves the page and its updates, receives the person's intents, and after the
match serves its replay until the person asks for another match or for the end.

All state is kept here and none in the page, so a tab may be closed and opened again at any time.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

import msgspec
import trio

from arena.log.entries import parse
from arena.log.retrace import of_entries
from arena.report.pages import page
from arena.report.replay import replay_page
from arena.report.rules import rules_html
from arena.screens.person.driver import SessionDriver
from arena.screens.person.session import AskHint, Choose, NextDeal, TurnPhase
from arena.screens.web.server import Address, HttpRequest, HttpResponse, serve
from arena.screens.web.shown import shown

STYLES: Final = ("base.css", "cards.css", "replay.css", "playing.css")
SCRIPTS: Final = ("elements.js", "numbers.js", "drawing.js", "playing.js")
NEWS_SECONDS: Final = 20
"""A request for news is answered after this time at the latest, so that lost connections end."""
ALONE_SECONDS: Final = 60
"""After the match, the page is closed if it has sent no request for this time."""


class Again(msgspec.Struct, frozen=True, tag="again", forbid_unknown_fields=True):
    """After the match: play another, with the same opponents and terms."""


class Finish(msgspec.Struct, frozen=True, tag="finish", forbid_unknown_fields=True):
    """After the match: end the arena."""


class Browser:
    """The page of one person, at the same address from match to match. `again`: whether the person has asked
    for another match. Must be closed."""

    def __init__(self, game: str, say: Callable[[str], None], port: int = 0) -> None:
        """`game`: the id of the game; `say` prints the address in the person's terminal; `port`: 0 for a free
        one. Raises OSError if the port is not available."""
        self.again = False
        self._address = Address(port)
        self._say = say
        rules = rules_html(game)
        self._page = page("playing.html", styles=STYLES, scripts=SCRIPTS, served=True, rules=rules).encode()
        self._version = 1
        self._asked = 0
        self._driver: SessionDriver
        self._news: trio.Event
        self._log: str
        self._logged: trio.Event

    async def play(self, driver: SessionDriver) -> None:
        """Play a match, and show its end until the person goes on or is gone."""
        self.again, self._driver, self._log = False, driver, ""
        self._news, self._logged = trio.Event(), trio.Event()
        self._say(f"play at {self._address}")
        async with driver.running(self._changed) as nursery:
            nursery.start_soon(self._leave_if_alone, nursery.cancel_scope)
            await serve(self._answer, self._address)

    def logged(self, log: str) -> None:
        """Take the log of the match, of which the replay is made."""
        self._say(
            "the match is over; the page shows its result and replay, and offers another match (Ctrl-C ends)"
        )
        self._log = log
        self._logged.set()

    def close(self) -> None:
        """Close the address."""
        self._address.close()

    async def _leave_if_alone(self, scope: trio.CancelScope) -> None:
        """Cancel the scope when the match is over and nobody is looking any more."""
        before = -1
        while not self._over or self._asked != before:
            before = self._asked
            await trio.sleep(ALONE_SECONDS)
        scope.cancel()

    @property
    def _over(self) -> bool:
        return self._driver.session.phase is TurnPhase.OVER

    def _changed(self) -> None:
        """Answer the requests that wait for news."""
        self._version += 1
        self._news.set()
        self._news = trio.Event()

    async def _answer(self, asked: HttpRequest) -> HttpResponse:
        """The answer to a request for any of our addresses."""
        self._asked += 1
        match asked.method, asked.path.split("/"):
            case "GET", [""]:
                return HttpResponse(HTTPStatus.OK, self._page, "text/html")
            case "GET", ["news", known]:
                return await self._news_since(known)
            case "GET", ["replay"] if self._over:
                return await self._replay()
            case "POST", ["intent"]:
                return await self._carry_out(asked.body)
        return HttpResponse(HTTPStatus.NOT_FOUND)

    async def _news_since(self, known: str) -> HttpResponse:
        """What the page shows, once its version differs from `known`, or after NEWS_SECONDS."""
        if known == str(self._version):
            with trio.move_on_after(NEWS_SECONDS):
                await self._news.wait()
        now = shown(self._driver, self._version)
        return HttpResponse(HTTPStatus.OK, msgspec.json.encode(now), "application/json")

    async def _replay(self) -> HttpResponse:
        """The replay with all hands; the log comes soon after the end of the match, unless that was void."""
        with trio.move_on_after(NEWS_SECONDS):
            await self._logged.wait()
        if not self._log:
            return HttpResponse(HTTPStatus.NOT_FOUND)
        made = replay_page(of_entries(parse(self._log.encode())))
        return HttpResponse(HTTPStatus.OK, made.encode(), "text/html")

    async def _carry_out(self, body: bytes) -> HttpResponse:
        """CONFLICT if the intent does not fit what is shown now. Leaving a match is up to the terminal."""
        try:
            intent = msgspec.json.decode(body, type=Choose | AskHint | NextDeal | Again | Finish)
        except msgspec.DecodeError:
            return HttpResponse(HTTPStatus.BAD_REQUEST)
        if isinstance(intent, Again | Finish):
            if not self._over:
                return HttpResponse(HTTPStatus.CONFLICT)
            self.again = isinstance(intent, Again)
            self._changed()
            return HttpResponse(HTTPStatus.NO_CONTENT, last=True)
        if not await self._driver.carry_out(intent):
            return HttpResponse(HTTPStatus.CONFLICT)
        self._changed()
        return HttpResponse(HTTPStatus.NO_CONTENT)
