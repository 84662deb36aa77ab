"""A person's session at a seat, as a state machine without a screen: the referee's messages and the person's
intents go in, replies come out, and its attributes hold what a screen shows.

Knows no screen, no key and no process. A terminal and a browser have the same intents.
"""

import enum
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import msgspec

from arena.games import registry
from arena.games.events import Dealt, Event, Played, Scored
from arena.games.game import Action, Game, clockwise
from arena.log.entries import events_of
from arena.screens.show.position import Position, picture, prompt
from arena.screens.show.story import StoryWriter
from arena.screens.show.you import to_you, with_you
from arena.system.text import SENTENCE_LIMIT, caption
from protocol.cards import Card, Seat
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
    """Continue after the end of a deal."""


class Leave(msgspec.Struct, frozen=True, tag="leave", forbid_unknown_fields=True):
    """Leave the match, or the screen if it is over."""


Intent: TypeAlias = Choose | AskHint | NextDeal | Leave
"""What a person can ask for, on any screen."""


class FinishedTrick(msgspec.Struct, frozen=True):
    """A trick that has been completed since the request of id `since`, whose `position` was this. `cards` are
    in order of play. `event` says who gets them."""

    since: int
    position: Position
    leader: Seat
    cards: tuple[Card, ...]
    event: Event


class PersonSession:
    """One match of one person. `names` are by seat; from `hello` on, that of the person is YOU. While
    `deal_over`, the end of a deal is shown and nothing can be chosen. `sent` is the last action sent,
    `hinted` the action that the hint names. `end` is None until the match has ended. `trick` was completed
    since the last action; None if none was. `deals` are the ends of the deals so far."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.phase = TurnPhase.STARTING
        self.deal_over = False
        self.position: Position | None = None
        self.request: Request | None = None
        self.story: list[str] = []
        self.hint = ""
        self.hinted: Action | None = None
        self.sent: Action | None = None
        self.end: End | None = None
        self.trick: FinishedTrick | None = None
        self.deals: list[Scored] = []
        self._hello: Hello | None = None
        self._writer = StoryWriter(lambda seat: self.names[seat])

    @property
    def game(self) -> Game:
        """Only after `hello`."""
        return registry.game(self._known.game)

    @property
    def seat(self) -> Seat:
        """The person's seat; only after `hello`."""
        return self._known.seat

    @property
    def story_so_far(self) -> list[str]:
        """The story's lines, with the unfinished line at the end."""
        return [*self.story, *filter(None, [to_you(self._writer.unfinished)])]

    @property
    def prompt(self) -> str:
        """A sentence that says what to decide; "" before the first request."""
        if self.request is None or self.position is None:
            return ""
        return prompt(self.position, self.request.decision)

    @property
    def legend(self) -> Sequence[str]:
        """The legend of the game's table; empty before the first request."""
        return () if self.position is None else picture(self.position).legend

    def receive(self, message: FromReferee) -> None:
        """Take the referee's next message."""
        match message:
            case Hello():
                self._hello = message
                self.names = with_you(self.names, message.seat)
                self.phase = TurnPhase.WAITING
            case Request():
                self._happened(message.events)
                view = msgspec.convert(message.view, self.game.views)
                seat = self._known.seat
                self.position = Position(self.game, view, self.names, (seat,), seat)
                self.request, self.phase = message, TurnPhase.ASKED
                self.hint, self.hinted = "", None
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
        self.phase, self.sent, self.trick = TurnPhase.WAITING, action, None
        if self.position is not None:
            self.position = msgspec.structs.replace(self.position, acting=())
        return Reply(request.id, action)

    def ask_hint(self) -> Request | None:
        """The request that the hint is for. None if no request is open or a hint to it was already
        requested."""
        if self._open is None or self.hint:
            return None
        self.hint = "…"
        return self._open

    def next_deal(self) -> bool:
        """Continue after the end of a deal. False if it is not shown."""
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

    def sentence(self, event: Event) -> str:
        """The event as a sentence for the person."""
        return to_you(caption(event.sentence(self.names.__getitem__), SENTENCE_LIMIT))

    def _happened(self, raws: Sequence[msgspec.Raw]) -> None:
        events = events_of(self.game, raws)
        self.trick = self._finished_trick(events)
        for event in events:
            if isinstance(event, Scored):
                self.deals.append(event)
            if isinstance(event, Dealt):
                self.deal_over = event.deal_no > 1
                self.story.append(to_you(event.headline(self.names.__getitem__)))
            else:
                self.story += map(to_you, self._writer.event_lines(event))

    def _finished_trick(self, events: Sequence[Event]) -> FinishedTrick | None:
        """The trick to which the person has played, if these events complete it."""
        position, request = self.position, self.request
        if position is None or request is None or position.view.finished_tricks is None:
            return None
        view = position.view
        laid = [(clockwise(view.leader, at, view.seats), card) for at, card in enumerate(view.open_trick)]
        for event, after in pairwise(events):
            if isinstance(event, Played):
                laid.append((event.seat, event.card))
            if len(laid) == view.seats:
                leader, cards = laid[0][0], tuple(card for _, card in laid)
                ours = (view.seat, self.sent) in laid
                return FinishedTrick(request.id, position, leader, cards, after) if ours else None
        return None
