"""A person plays in a terminal: keys become intents, and the session is drawn.

`KeyInput` holds the page and the cursor, and knows no terminal; `play_in_terminal` draws it.
"""

import enum
import string
from collections.abc import Mapping, Sequence
from typing import Final

import trio
from rich.text import Text

from arena.games.game import Action
from arena.screens.person.driver import SessionDriver
from arena.screens.person.session import AskHint, Choose, Intent, Leave, NextDeal, PersonSession, TurnPhase
from arena.screens.show.position import title
from arena.screens.show.story import number_of
from arena.screens.terminal.drawing import draw
from arena.screens.terminal.keys import GONE, INTERRUPT, RESIZED
from arena.screens.terminal.terminal import Terminal
from protocol.cards import suit
from protocol.messages import Request
from protocol.outcome import seats_by_placing

LETTERS: Final = string.ascii_lowercase
STORY_LINES: Final = 200
HELP: Final = (
    ("a b c …", "select the card or word of this letter; press it again, or enter, to play"),
    ("← → ↑ ↓", "select the next one, or another suit"),
    ("enter", "play the selected one"),
    ("?", "ask a bot what it would do"),
    ("tab", "what has happened so far"),
    ("H", "this help"),
    ("ctrl-c", "leave: you forfeit, and the match is played to its end without you"),
)


class Page(enum.Enum):
    """What the screen shows."""

    TABLE = "table"
    DEAL_OVER = "deal over"
    STORY = "story"
    HELP = "help"
    LEAVING = "leaving"


class KeyInput:
    """Turns keys into intents; holds the page and the cursor, which only a screen with keys has. Knows no
    terminal."""

    def __init__(self, session: PersonSession) -> None:
        self.session = session
        self._page = Page.TABLE
        self._cursor: tuple[int, Action] | None = None
        """The id of a request, and an action of it."""

    @property
    def page(self) -> Page:
        """The selected page; the end of a deal or of the match takes precedence."""
        if self.session.phase is TurnPhase.OVER:
            return Page.TABLE
        return Page.DEAL_OVER if self.session.deal_over else self._page

    @property
    def request(self) -> Request | None:
        """The open request."""
        return self.session.request if self.session.phase is TurnPhase.ASKED else None

    @property
    def keys(self) -> Mapping[Action, str]:
        """The key for each legal action; empty while no request is open. Actions after the 26th have none."""
        return dict(zip(self.request.legal, LETTERS, strict=False)) if self.request else {}

    @property
    def chosen(self) -> Action | None:
        """The action under the cursor; at first the only legal one, if there is only one."""
        if (request := self.request) is None:
            return None
        if self._cursor is not None and self._cursor[0] == request.id:
            return self._cursor[1]
        return request.legal[0] if len(request.legal) == 1 else None

    def press(self, key: str) -> Intent | None:
        """Take a key, named as in arena/screens/terminal/keys.py. Returns the person's request; None if there
        is none."""
        page = self.page
        if key == GONE:
            return Leave()
        if key == RESIZED:
            return None
        if self.session.phase is TurnPhase.OVER:
            return Leave() if key in ("enter", "q", INTERRUPT) else None
        if page is Page.LEAVING and key == INTERRUPT:
            return Leave()
        if page is not Page.TABLE:
            self._page = Page.LEAVING if key == INTERRUPT else Page.TABLE
            return NextDeal() if page is Page.DEAL_OVER else None
        if key in PAGES:
            self._page = PAGES[key]
            return None
        return self._press_when_asked(key, self.request) if self.request else None

    def _press_when_asked(self, key: str, request: Request) -> Intent | None:
        by_key = {letter: action for action, letter in self.keys.items()}
        if key == "?":
            return AskHint()
        if key in MOVES:
            self._cursor = request.id, MOVES[key](request.legal, self.chosen)
        elif key in by_key and by_key[key] != self.chosen:
            self._cursor = request.id, by_key[key]
        elif (key == "enter" or key in by_key) and self.chosen is not None:
            return Choose(request.id, self.chosen)
        return None


def _beside(legal: Sequence[Action], chosen: Action | None, steps: int) -> Action:
    """The action `steps` further on in `legal`, around its ends; the first or last if none is chosen."""
    if chosen is None:
        return legal[0 if steps > 0 else -1]
    return legal[(legal.index(chosen) + steps) % len(legal)]


def _other_suit(legal: Sequence[Action], chosen: Action | None, steps: int) -> Action:
    """The first action of the suit that is `steps` further on, around the ends."""
    firsts = {suit(action): action for action in reversed(legal)}
    letters = list(dict.fromkeys(map(suit, legal)))
    at = -1 if chosen is None and steps > 0 else 0 if chosen is None else letters.index(suit(chosen))
    return firsts[letters[(at + steps) % len(letters)]]


MOVES: Final = {
    "right": lambda legal, chosen: _beside(legal, chosen, 1),
    "left": lambda legal, chosen: _beside(legal, chosen, -1),
    "down": lambda legal, chosen: _other_suit(legal, chosen, 1),
    "up": lambda legal, chosen: _other_suit(legal, chosen, -1),
}
PAGES: Final[Mapping[str, Page]] = {"tab": Page.STORY, "H": Page.HELP, INTERRUPT: Page.LEAVING}
"""By key, the page that it opens from the table."""


async def play_in_terminal(terminal: Terminal, driver: SessionDriver) -> None:
    """Play until the person leaves, during the match or after it."""
    playing = KeyInput(driver.session)
    screen = _Screen(terminal, driver, playing)
    async with driver.running(screen.show) as nursery:
        nursery.start_soon(_tick, screen)
        while True:  # Until Leave cancels the nursery.
            screen.show()
            if intent := playing.press(await terminal.next()):
                await driver.carry_out(intent)


async def _tick(screen: "_Screen") -> None:
    """Redraw the clock each second."""
    while True:
        await trio.sleep(1)
        screen.tick()


class _Screen:
    """Draws the current page."""

    def __init__(self, terminal: Terminal, driver: SessionDriver, playing: KeyInput) -> None:
        self._terminal = terminal
        self._driver = driver
        self._session = driver.session
        self._playing = playing

    def tick(self) -> None:
        if self._driver.seconds_left is not None:
            self.show()

    def show(self) -> None:
        session, show = self._session, self._terminal.show
        story = [Text(line) for line in session.story_so_far[-STORY_LINES:]]
        back = Text("press any key to go back", "dim")
        match self._playing.page:
            case Page.HELP:
                rows = [Text(f"  {keys:10}{meaning}") for keys, meaning in HELP]
                show(Text("keys", "bold"), [*rows, Text("\n".join(session.legend))], bottom=[back])
            case Page.STORY:
                show(Text("so far", "bold"), (), story, [back])
            case Page.DEAL_OVER:
                show(
                    Text("the deal is over", "bold"),
                    (),
                    story,
                    [Text("press any key for the next deal", "reverse")],
                )
            case Page.LEAVING:
                question = "Leave? You will forfeit, and the match is played to its end without you."
                show(Text(question, "bold"), bottom=[Text("ctrl-c: leave · any other key: stay", "reverse")])
            case Page.TABLE:
                self._table(story)

    def _table(self, story: list[Text]) -> None:
        session, position = self._session, self._session.position
        if position is None:
            top, parts = Text("starting the bots …" if session.phase is TurnPhase.STARTING else ""), []
        else:
            top, parts = title(position), draw(position, self._playing.keys, self._playing.chosen)
        if session.phase is TurnPhase.OVER:
            # The position of the last request is out of date.
            top, parts = Text("the match is over", "bold"), []
            story = [*story, *self._placings()]
        self._terminal.show(top, parts, story, self._bottom())

    def _placings(self) -> list[Text]:
        end, names = self._session.end, self._session.names
        if end is None:
            return [Text("the match was stopped")]
        order = seats_by_placing(end.placings)
        counts = self._session.game.counts
        rows = (
            f"{end.placings[seat]}. {names[seat]}  {number_of(end.points[seat], counts)}" for seat in order
        )
        return [Text(""), *(Text(row, "bold") for row in rows)]

    def _bottom(self) -> list[Text]:
        session = self._session
        match session.phase:
            case TurnPhase.OVER:
                return [Text("enter: leave", "reverse")]
            case TurnPhase.ASKED:
                chosen = self._playing.chosen
                keys = list(self._playing.keys.values())
                does = f"enter: {chosen} · " if chosen else ""
                left = self._driver.seconds_left
                clock = "" if left is None else f"{left} s left · "
                letters = f"{keys[0]}–{keys[-1]} choose · " if len(keys) > 1 else ""
                line = f"{clock}{does}{letters}? hint · tab story · H help · ctrl-c leave"
                hint = [Text(f"hint: {session.hint}", "italic")] if session.hint else []
                return [*hint, Text(session.prompt, "bold"), Text(line, "dim")]
            case TurnPhase.STARTING | TurnPhase.WAITING:
                return [Text("the others are playing …"), Text("tab story · H help · ctrl-c leave", "dim")]
