"""A person plays in a terminal: keys in, the screen of a Sitting out."""

from typing import Final

import trio
from rich.text import Text

from arena.person.driver import Attendant
from arena.person.session import Mood, Page, Wish
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


async def play(terminal: Terminal, attendant: Attendant) -> None:
    """Until the person leaves, during the match or after it."""
    screen = _Screen(terminal, attendant)
    async with attendant.at_work(screen.show) as nursery:
        nursery.start_soon(_tick, screen)
        wish: Reply | Wish | None = None
        while wish is not Wish.LEAVE:
            screen.show()
            wish = attendant.sitting.press(await terminal.next())
            await attendant.fulfil(wish)


async def _tick(screen: "_Screen") -> None:
    """For those who have a clock."""
    while True:
        await trio.sleep(1)
        screen.tick()


class _Screen:
    """Everything that there is to be seen."""

    def __init__(self, terminal: Terminal, attendant: Attendant) -> None:
        self._terminal = terminal
        self._attendant = attendant
        self._sitting = attendant.sitting

    def tick(self) -> None:
        if self._attendant.seconds_left is not None:
            self.show()

    def show(self) -> None:
        sitting, show = self._sitting, self._terminal.show
        story = [Text(told) for told in sitting.told[-STORY_LINES:]]
        back = Text("any key goes back", "dim")
        match sitting.page:
            case Page.HELP:
                rows = [Text(f"  {keys:10}{meaning}") for keys, meaning in HELP]
                show(Text("keys", "bold"), rows, [Text(line) for line in sitting.legend], [back])
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
        sitting, position = self._sitting, self._sitting.position
        if position is None:
            top, parts = Text("the bots are started …" if sitting.mood is Mood.STARTING else ""), []
        else:
            top, parts = title(position), draw(position, sitting.keys, sitting.chosen)
        if sitting.mood is Mood.OVER:
            # The last deal is over, and with it what the last request showed.
            top, parts = Text("the match is over", "bold"), []
            story = [*story, *self._placings()]
        self._terminal.show(top, parts, story, self._bottom())

    def _placings(self) -> list[Text]:
        end, names = self._sitting.end, self._sitting.names
        if end is None:
            return [Text("it was broken off")]
        order = seats_by_placing(end.placings)
        counts = self._sitting.game.counts
        rows = (f"{end.placings[seat]}. {names[seat]}  {end.points[seat]} {counts}" for seat in order)
        return [Text(""), *(Text(row, "bold") for row in rows)]

    def _bottom(self) -> list[Text]:
        sitting = self._sitting
        match sitting.mood:
            case Mood.OVER:
                return [Text("enter: leave", "reverse")]
            case Mood.ASKED:
                chosen = sitting.chosen
                keys = list(sitting.keys.values())
                does = f"enter: {chosen} · " if chosen else ""
                left = self._attendant.seconds_left
                clock = "" if left is None else f"{left} s left · "
                letters = f"{keys[0]}–{keys[-1]} choose · " if len(keys) > 1 else ""
                line = f"{clock}{does}{letters}? hint · tab story · H help · ctrl-c leave"
                hint = [Text(f"hint: {sitting.hint}", "italic")] if sitting.hint else []
                return [*hint, Text(sitting.prompt, "bold"), Text(line, "dim")]
            case Mood.STARTING | Mood.WAITING:
                return [Text("the others play …"), Text("tab story · H help · ctrl-c leave", "dim")]
