"""A person's turn at a seat, as a machine without a screen: the referee's messages and keys go in, replies
come out, and what is to be seen can be asked for at any time.

Knows no terminal and no process; every kind of screen drives it, with the same keys or with actions.
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
from arena.show.story import Telling
from protocol.cards import suit
from protocol.messages import End, FromReferee, Hello, Reply, Request

LETTERS: Final = string.ascii_lowercase


class Mood(enum.Enum):
    STARTING = "starting"
    WAITING = "waiting"
    ASKED = "asked"
    OVER = "over"


class Page(enum.Enum):
    """What is to be seen."""

    TABLE = "table"
    DEAL_OVER = "deal over"
    STORY = "story"
    HELP = "help"
    LEAVING = "leaving"


class Wish(enum.Enum):
    LEAVE = "leave"
    HINT = "hint"


class Sitting:
    """One match of one person. `names` by seat."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.mood = Mood.STARTING
        self.page = Page.TABLE
        self.position: Position | None = None
        self.request: Request | None = None
        self.story: list[str] = []
        self.hint = ""
        self.chosen: Action | None = None
        self.end: End | None = None
        self._hello: Hello | None = None
        self._telling = Telling(self.names.__getitem__)

    @property
    def game(self) -> Game:
        """Known once the match has begun."""
        return GAMES[self._known.game]

    @property
    def keys(self) -> Mapping[Action, str]:
        """Each legal action with the key that chooses it; none while nothing is asked."""
        if self.mood is not Mood.ASKED or self.request is None:
            return {}
        return dict(zip(self.request.legal, LETTERS, strict=False))

    @property
    def told(self) -> list[str]:
        """The story, with the line that is not finished."""
        return [*self.story, *filter(None, [self._telling.unfinished])]

    @property
    def prompt(self) -> str:
        if self.request is None or self.position is None:
            return ""
        return prompt(self.position, self.request.decision)

    @property
    def legend(self) -> Sequence[str]:
        return () if self.position is None else picture(self.position).legend

    def hear(self, message: FromReferee) -> None:
        match message:
            case Hello():
                self._hello = message
                self.mood = Mood.WAITING
            case Request():
                self._happened(message.events)
                view = msgspec.convert(message.view, self.game.views)
                seat = self._known.seat
                self.position = Position(self.game, view, self.names, (seat,), seat)
                self.request, self.mood, self.hint = message, Mood.ASKED, ""
                self.chosen = message.legal[0] if len(message.legal) == 1 else None
            case End():
                self._happened(message.events)
                self.end = message
                self.over()

    def over(self) -> None:
        """Nothing more will come."""
        self.mood = Mood.OVER
        self.page = Page.TABLE

    def press(self, key: str) -> Reply | Wish | None:
        if key == GONE:
            return Wish.LEAVE
        if key == RESIZED:
            return None
        if self.mood is Mood.OVER:
            return Wish.LEAVE if key in ("enter", "q", INTERRUPT) else None
        if self.page is not Page.TABLE:
            leaving = self.page is Page.LEAVING and key == INTERRUPT
            self.page = Page.LEAVING if key == INTERRUPT else Page.TABLE
            return Wish.LEAVE if leaving else None
        if key in PAGES:
            self.page = PAGES[key]
            return None
        return self._asked(key, self.request) if self.mood is Mood.ASKED and self.request else None

    def choose(self, request_id: int, action: Action) -> Reply | None:
        """The action itself, where no key has to name it; None if that request does not wait for it."""
        request = self.request if self.mood is Mood.ASKED else None
        if request is None or request.id != request_id or action not in request.legal:
            return None
        return self._decide(request, action)

    @property
    def _known(self) -> Hello:
        assert self._hello is not None
        return self._hello

    def _asked(self, key: str, request: Request) -> Reply | Wish | None:
        by_key = {letter: action for action, letter in self.keys.items()}
        if key == "?":
            first, self.hint = not self.hint, self.hint or "…"
            return Wish.HINT if first else None
        if key in MOVES:
            self.chosen = MOVES[key](request.legal, self.chosen)
        elif key in by_key and by_key[key] != self.chosen:
            self.chosen = by_key[key]
        elif (key == "enter" or key in by_key) and self.chosen is not None:
            return self._decide(request, self.chosen)
        return None

    def _decide(self, request: Request, action: Action) -> Reply:
        self.mood, self.chosen = Mood.WAITING, action
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
                self.story += self._telling.tell(event)


def _beside(legal: Sequence[Action], chosen: Action | None, steps: int) -> Action:
    if chosen is None:
        return legal[0 if steps > 0 else -1]
    return legal[(legal.index(chosen) + steps) % len(legal)]


def _other_suit(legal: Sequence[Action], chosen: Action | None, steps: int) -> Action:
    """The first action of the suit before or behind."""
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
