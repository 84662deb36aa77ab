"""A person plays in a terminal: passes keys to a session, and draws it."""

from typing import Final

import trio
from rich.text import Text

from arena.person.driver import SessionDriver
from arena.person.session import Intent, Page, TurnPhase
from arena.show.position import title
from arena.terminal.drawing import draw
from arena.terminal.terminal import Terminal
from protocol.messages import Reply
from protocol.outcome import seats_by_placing

STORY_LINES: Final = 200
HELP: Final = (
    ("a b c …", "choose what stands behind the letter; once more, or enter, does it"),
    ("← → ↑ ↓", "choose the one beside it, or another suit"),
    ("enter", "do what is chosen"),
    ("?", "ask a bot what it would do"),
    ("tab", "what has happened so far"),
    ("H", "this help"),
    ("ctrl-c", "leave; the match is forfeited and played to its end without you"),
)


async def play_in_terminal(terminal: Terminal, driver: SessionDriver) -> None:
    """Play until the person leaves, during the match or after it."""
    screen = _Screen(terminal, driver)
    async with driver.running(screen.show) as nursery:
        nursery.start_soon(_tick, screen)
        intent: Reply | Intent | None = None
        while intent is not Intent.LEAVE:
            screen.show()
            intent = driver.session.press(await terminal.next())
            await driver.carry_out(intent)


async def _tick(screen: "_Screen") -> None:
    """Redraw the clock each second."""
    while True:
        await trio.sleep(1)
        screen.tick()


class _Screen:
    """Draws the session's current page."""

    def __init__(self, terminal: Terminal, driver: SessionDriver) -> None:
        self._terminal = terminal
        self._driver = driver
        self._session = driver.session

    def tick(self) -> None:
        if self._driver.seconds_left is not None:
            self.show()

    def show(self) -> None:
        session, show = self._session, self._terminal.show
        story = [Text(line) for line in session.story_so_far[-STORY_LINES:]]
        back = Text("any key goes back", "dim")
        match session.page:
            case Page.HELP:
                rows = [Text(f"  {keys:10}{meaning}") for keys, meaning in HELP]
                show(Text("keys", "bold"), rows, [Text(line) for line in session.legend], [back])
            case Page.STORY:
                show(Text("so far", "bold"), (), story, [back])
            case Page.DEAL_OVER:
                show(Text("the deal is over", "bold"), (), story, [Text("any key: the next deal", "reverse")])
            case Page.LEAVING:
                question = "Leave? You forfeit the match, and it is played to its end without you."
                show(Text(question, "bold"), bottom=[Text("ctrl-c: leave · any other key: stay", "reverse")])
            case Page.TABLE:
                self._table(story)

    def _table(self, story: list[Text]) -> None:
        session, position = self._session, self._session.position
        if position is None:
            top, parts = Text("the bots are started …" if session.phase is TurnPhase.STARTING else ""), []
        else:
            top, parts = title(position), draw(position, session.keys, session.chosen)
        if session.phase is TurnPhase.OVER:
            # The position of the last request is out of date.
            top, parts = Text("the match is over", "bold"), []
            story = [*story, *self._placings()]
        self._terminal.show(top, parts, story, self._bottom())

    def _placings(self) -> list[Text]:
        end, names = self._session.end, self._session.names
        if end is None:
            return [Text("it was broken off")]
        order = seats_by_placing(end.placings)
        counts = self._session.game.counts
        rows = (f"{end.placings[seat]}. {names[seat]}  {end.points[seat]} {counts}" for seat in order)
        return [Text(""), *(Text(row, "bold") for row in rows)]

    def _bottom(self) -> list[Text]:
        session = self._session
        match session.phase:
            case TurnPhase.OVER:
                return [Text("enter: leave", "reverse")]
            case TurnPhase.ASKED:
                chosen = session.chosen
                keys = list(session.keys.values())
                does = f"enter: {chosen} · " if chosen else ""
                left = self._driver.seconds_left
                clock = "" if left is None else f"{left} s left · "
                letters = f"{keys[0]}–{keys[-1]} choose · " if len(keys) > 1 else ""
                line = f"{clock}{does}{letters}? hint · tab story · H help · ctrl-c leave"
                hint = [Text(f"hint: {session.hint}", "italic")] if session.hint else []
                return [*hint, Text(session.prompt, "bold"), Text(line, "dim")]
            case TurnPhase.STARTING | TurnPhase.WAITING:
                return [Text("the others play …"), Text("tab story · H help · ctrl-c leave", "dim")]
