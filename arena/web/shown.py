"""What a browser shows to a person at a seat. It is made from the person's session, so from what was sent to
that seat, and never from the state of a match.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from arena import registry
from arena.games.game import Action
from arena.log.scenes import Due
from arena.person.driver import SessionDriver
from arena.person.session import TurnPhase
from arena.report.replay import drawn
from arena.show.position import Position, picture, title, word_for
from protocol.cards import Card, Seat
from protocol.messages import Request
from protocol.streams import Stream


class Drawn(msgspec.Struct, frozen=True):
    """A position as the drawing script expects it; see static/drawing.js."""

    names: Sequence[str]
    suits: Mapping[str, str]
    counts: str
    near: Seat
    table: Mapping[str, Any]
    hands: Sequence[Sequence[Card] | None]
    due: Sequence[Due]


class Placing(msgspec.Struct, frozen=True):
    """A line of the result. `points` with their unit: `12 minus points`."""

    placing: int
    name: str
    points: str


class Shown(msgspec.Struct, frozen=True):
    """What the page shows. `request` is the id of the open request, `legal` its actions with their names;
    None and empty while no request is open. `sent` is the last action sent. `says` are lines about the
    table, `played` the cards that were face up in this deal, in deck order; `story` is all lines so far."""

    version: int
    phase: str
    deal_over: bool
    title: str
    drawn: Drawn | None = None
    says: Sequence[str] = ()
    played: Sequence[Card] = ()
    request: int | None = None
    prompt: str = ""
    legal: Mapping[Action, str] = {}
    sent: Action | None = None
    seconds_left: int | None = None
    hint: str = ""
    story: Sequence[str] = ()
    placings: Sequence[Placing] = ()


def shown(driver: SessionDriver, version: int) -> Shown:
    """What the page shows now; `version` counts the changes."""
    session = driver.session
    now = Shown(
        version,
        session.phase.value,
        deal_over=session.deal_over,
        title="" if session.position is None else session.position.game.title,
        hint=session.hint,
        story=session.story_so_far,
        placings=_placings(driver),
    )
    position, request = session.position, session.request
    # After the end, the position of the last request is out of date.
    if position is None or request is None or session.phase is TurnPhase.OVER:
        return now
    asked = session.phase is TurnPhase.ASKED
    about, game = picture(position), position.game
    return msgspec.structs.replace(
        now,
        title=now.title if now.deal_over else title(position).plain,
        drawn=_drawn(position, request if asked else None),
        says=[line.plain for line in about.middle if line.plain],
        played=[card for card in position.game.deck(position.view.seats) if card in about.played],
        request=request.id if asked else None,
        prompt=session.prompt if asked else "",
        legal={action: word_for(action, game) for action in request.legal} if asked else {},
        sent=None if asked else session.sent,
        seconds_left=driver.seconds_left,
    )


def _drawn(position: Position, request: Request | None) -> Drawn:
    view, game = position.view, position.game
    # The sizes of hands and the seats that have to decide are the same in every state that fits the view.
    state = game.imagine(view, Stream("shown"))
    table = {name: getattr(view, name) for name in view.__struct_fields__ if name not in ("seat", "hand")}
    return Drawn(
        names=position.names,
        suits=position.suits,
        counts=game.counts,
        near=view.seat,
        table=table
        | {"sizes": tuple(map(len, state.hands)), "ranked": game.ranked(view)}
        | drawn(registry.picture_of(game, view, position.names)),
        hands=[view.hand if seat == view.seat else None for seat in range(view.seats)],
        due=[
            Due(seat, decision, request.legal if seat == view.seat else None)
            for seat, decision in state.pending.items()
        ]
        if request
        else [],
    )


def _placings(driver: SessionDriver) -> list[Placing]:
    end, names = driver.session.end, driver.session.names
    if end is None:
        return []
    counts = driver.session.game.counts
    rows = map(Placing, end.placings, names, [f"{points} {counts}" for points in end.points])
    return sorted(rows, key=lambda row: row.placing)
