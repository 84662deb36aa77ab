"""A person's session at a seat, as a state machine without a screen: the referee's messages and the person's
intents go in, replies come out, and its attributes hold what a screen shows.

Knows no screen, no key and no process. A terminal and a browser have the same intents.
"""

import enum
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from arena import registry
from arena.games.events import Dealt
from arena.games.game import Action, Game
from arena.log.entries import events_of
from arena.show.position import Position, picture, prompt
from arena.show.story import StoryWriter
from protocol.messages import End, FromReferee, Hello, Reply, Request


class TurnPhase(enum.Enum):
    """STARTING before `hello`, ASKED while a request is open, OVER when nothing more will come."""

    STARTING = "starting"
    WAITING = "waiting"
    ASKED = "asked"
    OVER = "over"


class Choose(msgspec.Struct, frozen=True, tag="choose", forbid_unknown_fields=True):
    """Answer the request of this id with an action."""

    request: int
    action: Action


class AskHint(msgspec.Struct, frozen=True, tag="hint", forbid_unknown_fields=True):
    """Ask a bot what it would do."""


class NextDeal(msgspec.Struct, frozen=True, tag="next deal", forbid_unknown_fields=True):
    """Go on from the end of a deal."""


class Leave(msgspec.Struct, frozen=True, tag="leave", forbid_unknown_fields=True):
    """Leave the match, or the screen if it is over."""


Intent: TypeAlias = Choose | AskHint | NextDeal | Leave
"""What a person can ask for, on any screen."""


class PersonSession:
    """One match of one person. `names` are by seat. While `deal_over`, the end of a deal is shown and nothing
    can be chosen. `sent` is the last action sent; `end` is None until the match has ended."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.phase = TurnPhase.STARTING
        self.deal_over = False
        self.position: Position | None = None
        self.request: Request | None = None
        self.story: list[str] = []
        self.hint = ""
        self.sent: Action | None = None
        self.end: End | None = None
        self._hello: Hello | None = None
        self._writer = StoryWriter(self.names.__getitem__)

    @property
    def game(self) -> Game:
        """Only after `hello`."""
        return registry.game(self._known.game)

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
            case End():
                self._happened(message.events)
                self.end = message
                self.finish()

    def finish(self) -> None:
        """To be called when no more messages will come."""
        self.phase, self.deal_over = TurnPhase.OVER, False

    def choose(self, request_id: int, action: Action) -> Reply | None:
        """The reply to send. None if that request is not open, or the action not legal."""
        request = self._open
        if request is None or request.id != request_id or action not in request.legal:
            return None
        self.phase, self.sent = TurnPhase.WAITING, action
        if self.position is not None:
            self.position = msgspec.structs.replace(self.position, acting=())
        return Reply(request.id, action)

    def ask_hint(self) -> Request | None:
        """The request that the hint is for. None if none is open, or a hint to it was asked for already."""
        if self._open is None or self.hint:
            return None
        self.hint = "…"
        return self._open

    def next_deal(self) -> bool:
        """Go on from the end of a deal. False if it is not shown."""
        shown, self.deal_over = self.deal_over, False
        return shown

    @property
    def _open(self) -> Request | None:
        """The request that can be answered now."""
        return self.request if self.phase is TurnPhase.ASKED and not self.deal_over else None

    @property
    def _known(self) -> Hello:
        assert self._hello is not None
        return self._hello

    def _happened(self, raws: Sequence[msgspec.Raw]) -> None:
        for event in events_of(self.game, raws):
            if isinstance(event, Dealt):
                self.deal_over = event.deal_no > 1
                self.story.append(event.headline(self.names.__getitem__))
            else:
                self.story += self._writer.event_lines(event)
