"""A person's session at a seat, as a state machine without a screen: the referee's messages and the person's
keys go in, replies come out, and its attributes hold what a screen shows.

Knows no terminal and no process. Every kind of screen uses it, by keys or by actions.
"""

import enum
import string
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from arena.games import GAMES
from arena.games.events import Dealt
from arena.games.game import Action, Game
from arena.log.entries import events_of
from arena.show.keys import GONE, INTERRUPT, RESIZED
from arena.show.position import Position, picture, prompt
from arena.show.story import StoryWriter
from protocol.cards import suit
from protocol.messages import End, FromReferee, Hello, Reply, Request

LETTERS: Final = string.ascii_lowercase


class TurnPhase(enum.Enum):
    """STARTING before `hello`, ASKED while a request is open, OVER when nothing more will come."""

    STARTING = "starting"
    WAITING = "waiting"
    ASKED = "asked"
    OVER = "over"


class Page(enum.Enum):
    """The page that a screen shows."""

    TABLE = "table"
    DEAL_OVER = "deal over"
    STORY = "story"
    HELP = "help"
    LEAVING = "leaving"


class Intent(enum.Enum):
    """What a key asks for besides a reply."""

    LEAVE = "leave"
    HINT = "hint"


class PersonSession:
    """One match of one person. `names` are by seat. `chosen` is the action under the cursor, or the last one
    sent; `end` is None until the match has ended."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.phase = TurnPhase.STARTING
        self.page = Page.TABLE
        self.position: Position | None = None
        self.request: Request | None = None
        self.story: list[str] = []
        self.hint = ""
        self.chosen: Action | None = None
        self.end: End | None = None
        self._hello: Hello | None = None
        self._writer = StoryWriter(self.names.__getitem__)

    @property
    def game(self) -> Game:
        """Only after `hello`."""
        return GAMES[self._known.game]

    @property
    def keys(self) -> Mapping[Action, str]:
        """The key for each legal action; empty while no request is open. Actions after the 26th have none."""
        if self.phase is not TurnPhase.ASKED or self.request is None:
            return {}
        return dict(zip(self.request.legal, LETTERS, strict=False))

    @property
    def story_so_far(self) -> list[str]:
        """The story's lines, with the unfinished line at the end."""
        return [*self.story, *filter(None, [self._writer.unfinished])]

    @property
    def prompt(self) -> str:
        """What to decide, in a sentence; "" before the first request."""
        if self.request is None or self.position is None:
            return ""
        return prompt(self.position, self.request.decision)

    @property
    def legend(self) -> Sequence[str]:
        """What the columns of the game's table mean; empty before the first request."""
        return () if self.position is None else picture(self.position).legend

    def receive(self, message: FromReferee) -> None:
        """Take the referee's next message."""
        match message:
            case Hello():
                self._hello = message
                self.phase = TurnPhase.WAITING
            case Request():
                self._happened(message.events)
                view = msgspec.convert(message.view, self.game.views)
                seat = self._known.seat
                self.position = Position(self.game, view, self.names, (seat,), seat)
                self.request, self.phase, self.hint = message, TurnPhase.ASKED, ""
                self.chosen = message.legal[0] if len(message.legal) == 1 else None
            case End():
                self._happened(message.events)
                self.end = message
                self.finish()

    def finish(self) -> None:
        """To be called when no more messages will come."""
        self.phase = TurnPhase.OVER
        self.page = Page.TABLE

    def press(self, key: str) -> Reply | Intent | None:
        """Take a key, named as in arena/show/keys.py. Returns what the driver has to do; None for nothing."""
        if key == GONE:
            return Intent.LEAVE
        if key == RESIZED:
            return None
        if self.phase is TurnPhase.OVER:
            return Intent.LEAVE if key in ("enter", "q", INTERRUPT) else None
        if self.page is not Page.TABLE:
            leaving = self.page is Page.LEAVING and key == INTERRUPT
            self.page = Page.LEAVING if key == INTERRUPT else Page.TABLE
            return Intent.LEAVE if leaving else None
        if key in PAGES:
            self.page = PAGES[key]
            return None
        return (
            self._press_when_asked(key, self.request)
            if self.phase is TurnPhase.ASKED and self.request
            else None
        )

    def choose(self, request_id: int, action: Action) -> Reply | None:
        """Decide by the action itself. None if that request is not open, or the action not legal."""
        request = self.request if self.phase is TurnPhase.ASKED else None
        if request is None or request.id != request_id or action not in request.legal:
            return None
        return self._decide(request, action)

    @property
    def _known(self) -> Hello:
        assert self._hello is not None
        return self._hello

    def _press_when_asked(self, key: str, request: Request) -> Reply | Intent | None:
        by_key = {letter: action for action, letter in self.keys.items()}
        if key == "?":
            first, self.hint = not self.hint, self.hint or "…"
            return Intent.HINT if first else None
        if key in MOVES:
            self.chosen = MOVES[key](request.legal, self.chosen)
        elif key in by_key and by_key[key] != self.chosen:
            self.chosen = by_key[key]
        elif (key == "enter" or key in by_key) and self.chosen is not None:
            return self._decide(request, self.chosen)
        return None

    def _decide(self, request: Request, action: Action) -> Reply:
        self.phase, self.chosen = TurnPhase.WAITING, action
        if self.position is not None:
            self.position = msgspec.structs.replace(self.position, acting=())
        return Reply(request.id, action)

    def _happened(self, raws: Sequence[msgspec.Raw]) -> None:
        for event in events_of(self.game, raws):
            if isinstance(event, Dealt):
                if event.deal_no > 1:
                    self.page = Page.DEAL_OVER
                self.story.append(f"deal {event.deal_no} — {self.names[event.leader]} begins")
            else:
                self.story += self._writer.event_lines(event)


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
"""Key to the page that it opens, from the table."""
