"""What a person at a seat is shown in a browser: made of what their Sitting knows, which is what the seat was
told, and never of the state of a match.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from arena.games.game import Action
from arena.log.scenes import Due
from arena.person.driver import Attendant
from arena.person.session import Mood, Page
from arena.show.position import WORDS, Position, picture, title
from protocol.cards import Card, Seat
from protocol.messages import Request
from protocol.streams import Stream


class Drawn(msgspec.Struct, frozen=True):
    """A position as the drawing script takes it; see static/drawing.js."""

    names: Sequence[str]
    suits: Mapping[str, str]
    counts: str
    near: Seat
    table: Mapping[str, Any]
    hands: Sequence[Sequence[Card] | None]
    due: Sequence[Due]


class Placing(msgspec.Struct, frozen=True):
    """`points` as they are read: `12 minus points`."""

    placing: int
    name: str
    points: str


class Shown(msgspec.Struct, frozen=True):
    """`request` is the one that waits for an answer, `legal` its actions with their names; both empty while
    nothing is asked. `chosen` was answered last. `says` are lines about the table; `played` the cards of this
    deal that are known to be gone, in deck order. `told` is all that has happened."""

    version: int
    mood: str
    deal_over: bool
    title: str
    drawn: Drawn | None = None
    says: Sequence[str] = ()
    played: Sequence[Card] = ()
    request: int | None = None
    prompt: str = ""
    legal: Mapping[Action, str] = {}
    chosen: Action | None = None
    seconds_left: int | None = None
    hint: str = ""
    told: Sequence[str] = ()
    placings: Sequence[Placing] = ()


def shown(attendant: Attendant, version: int) -> Shown:
    """All there is to be seen now; `version` counts what changes."""
    sitting = attendant.sitting
    now = Shown(
        version,
        sitting.mood.value,
        deal_over=sitting.page is Page.DEAL_OVER,
        title="" if sitting.position is None else sitting.position.game.title,
        hint=sitting.hint,
        told=sitting.told,
        placings=_placings(attendant),
    )
    position, request = sitting.position, sitting.request
    # The last deal is over, and with it what the last request showed.
    if position is None or request is None or sitting.mood is Mood.OVER:
        return now
    asked = sitting.mood is Mood.ASKED
    about = picture(position)
    return msgspec.structs.replace(
        now,
        title=now.title if now.deal_over else title(position).plain,
        drawn=_drawn(position, request if asked else None),
        says=[line.plain for line in about.middle if line.plain],
        played=[card for card in position.game.deck(position.view.seats) if card in about.played],
        request=request.id if asked else None,
        prompt=sitting.prompt if asked else "",
        legal={action: WORDS.get(action, action) for action in request.legal} if asked else {},
        chosen=None if asked else sitting.chosen,
        seconds_left=attendant.seconds_left,
    )


def _drawn(position: Position, request: Request | None) -> Drawn:
    view, game = position.view, position.game
    # How many cards a seat holds and who else is to decide follows from every view: any state will tell.
    state = game.imagine(view, Stream("shown"))
    table = {name: getattr(view, name) for name in view.__struct_fields__ if name not in ("seat", "hand")}
    return Drawn(
        names=position.names,
        suits=position.suits,
        counts=game.counts,
        near=view.seat,
        table=table | {"sizes": tuple(map(len, state.hands)), "ranked": game.ranked(view)},
        hands=[view.hand if seat == view.seat else None for seat in range(view.seats)],
        due=[
            Due(seat, decision, request.legal if seat == view.seat else None)
            for seat, decision in state.pending.items()
        ]
        if request
        else [],
    )


def _placings(attendant: Attendant) -> list[Placing]:
    end, names = attendant.sitting.end, attendant.sitting.names
    if end is None:
        return []
    counts = attendant.sitting.game.counts
    rows = map(Placing, end.placings, names, [f"{points} {counts}" for points in end.points])
    return sorted(rows, key=lambda row: row.placing)
