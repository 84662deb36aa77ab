"""What a browser shows to a person at a seat. It is made from the person's session, that is, from what was
sent to that seat, and never from the state of the match.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from arena.games import registry
from arena.games.extras import Picture
from arena.games.game import Action, clockwise
from arena.games.ole.rules import OleScored
from arena.log.scenes import DueDecision
from arena.report.replay import drawn
from arena.screens.person.driver import SessionDriver
from arena.screens.person.session import PersonSession, TurnPhase
from arena.screens.show.position import Position, picture, title, word_for
from arena.screens.show.story import number_of
from arena.screens.show.you import to_you
from protocol.cards import Card, Seat
from protocol.messages import Request
from protocol.streams import Stream


class RenderedPosition(msgspec.Struct, frozen=True):
    """A position as the drawing script expects it; see static/drawing.js."""

    names: Sequence[str]
    suits: Mapping[str, str]
    counts: str
    near: Seat
    you: Seat
    table: Mapping[str, Any]
    hands: Sequence[Sequence[Card] | None]
    due: Sequence[DueDecision]


class CompletedTrick(msgspec.Struct, frozen=True):
    """The trick that has been completed since the request of id `since`: the table as it was then, and a
    sentence that says who gets the cards."""

    since: int
    drawn: RenderedPosition
    says: str


class ScoreSheet(msgspec.Struct, frozen=True):
    """The points of the finished deals: `deals` has a row for each, by seat. `left` are the cards that were
    left in the hands of the last one, by seat; None if they are not shown, or none can be left. `chips` are
    those taken in it, in a game with chips."""

    names: Sequence[str]
    you: Seat
    counts: str
    suits: Mapping[str, str]
    deals: Sequence[Sequence[int]]
    totals: Sequence[int]
    left: Sequence[Sequence[Card]] | None
    chips: Sequence[int] | None


class Placing(msgspec.Struct, frozen=True):
    """A line of the result. `points` with their unit: `12 penalty points`."""

    placing: int
    name: str
    points: str


class PageState(msgspec.Struct, frozen=True):
    """What the page shows. `request` is the id of the open request, `legal` its actions with their names;
    None and empty while no request is open. `sent` is the last action sent. `says` are lines about the
    table, `played` the cards that were face up in this deal, in deck order; `story` is all lines so far.
    `taken` is shown before all else; `sheet` at the end of a deal, and with `result` and `placings` at that
    of the match."""

    version: int
    phase: str
    deal_over: bool
    title: str
    drawn: RenderedPosition | None = None
    says: Sequence[str] = ()
    played: Sequence[Card] = ()
    request: int | None = None
    prompt: str = ""
    legal: Mapping[Action, str] = {}
    sent: Action | None = None
    seconds_left: int | None = None
    hint: str = ""
    hinted: Action | None = None
    story: Sequence[str] = ()
    taken: CompletedTrick | None = None
    sheet: ScoreSheet | None = None
    result: str = ""
    placings: Sequence[Placing] = ()


def shown(driver: SessionDriver, version: int) -> PageState:
    """What the page shows now; `version` counts the changes."""
    session = driver.session
    now = PageState(
        version,
        session.phase.value,
        deal_over=session.deal_over,
        title="" if session.position is None else session.position.game.title,
        hint=session.hint,
        hinted=session.hinted,
        story=session.story_so_far,
        taken=_taken(session),
        sheet=_sheet(session) if session.deal_over or session.phase is TurnPhase.OVER else None,
        result=_result(session),
        placings=_placings(session),
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


def _drawn(position: Position, request: Request | None) -> RenderedPosition:
    view, game = position.view, position.game
    # The sizes of hands and the seats that have to decide are the same in every state that fits the view.
    state = game.imagine(view, Stream("shown"))
    table = {name: getattr(view, name) for name in view.__struct_fields__ if name not in ("seat", "hand")}
    return RenderedPosition(
        names=position.names,
        suits=position.suits,
        counts=game.counts,
        near=view.seat,
        you=view.seat,
        table=table
        | {"sizes": tuple(map(len, state.hands)), "ranked": game.ranked(view)}
        | {"deal_points": view.deal_points}
        | drawn(_for_you(registry.picture_of(game, view, position.names))),
        hands=[view.hand if seat == view.seat else None for seat in range(view.seats)],
        due=[
            DueDecision(seat, decision, request.legal if seat == view.seat else None)
            for seat, decision in state.pending.items()
        ]
        if request
        else [],
    )


def _taken(session: PersonSession) -> CompletedTrick | None:
    """The last finished trick on the table of its request, as if all had been drawn once it was complete."""
    if (trick := session.trick) is None:
        return None
    position = trick.position
    before, view = _drawn(position, None), position.view
    sizes = list(before.table["sizes"])
    for at in range(len(view.open_trick), len(trick.cards)):
        sizes[clockwise(trick.leader, at, view.seats)] -= 1
    table = {**before.table, "sizes": sizes, "leader": trick.leader, "trick": trick.cards}
    who = msgspec.to_builtins(trick.event)
    if "tricks" in table and not who.keys().isdisjoint(("seat", "rest_to")):
        finished = {"leader": trick.leader, "cards": trick.cards, "taker": who.get("seat")}
        table |= {"trick": (), "tricks": (*table["tricks"], who | finished)}
    hands = [hand and [card for card in hand if card not in trick.cards] for hand in before.hands]
    drawn_then = msgspec.structs.replace(before, table=table, hands=hands)
    return CompletedTrick(trick.since, drawn_then, session.sentence(trick.event))


def _sheet(session: PersonSession) -> ScoreSheet | None:
    if not session.deals:
        return None
    game, last = session.game, session.deals[-1]
    return ScoreSheet(
        names=session.names,
        you=session.seat,
        counts=game.counts,
        suits=game.suits(len(session.names)),
        deals=[deal.points for deal in session.deals],
        totals=last.totals,
        left=last.revealed_hands,
        chips=last.chips if isinstance(last, OleScored) else None,
    )


def _result(session: PersonSession) -> str:
    """How the match ended for the person, in a sentence; "" before its end."""
    if session.end is None:
        return ""
    placings = session.end.placings
    own = placings[session.seat]
    if placings.count(own) == 1:
        return "You won." if own == 1 else f"You came {ORDINALS[own]} of {len(placings)}."
    return f"You share the {ORDINALS[own]} place."


ORDINALS: Final = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def _for_you(made: Picture | None) -> Picture | None:
    """The picture of a packaged game, with its sentences in the second person."""
    if made is None:
        return None
    on_table, lines = ([*map(to_you, told)] for told in (made.on_table, made.lines))
    return msgspec.structs.replace(made, on_table=on_table, lines=lines)


def _placings(session: PersonSession) -> list[Placing]:
    end, names = session.end, session.names
    if end is None:
        return []
    counts = session.game.counts
    rows = map(Placing, end.placings, names, [number_of(points, counts) for points in end.points])
    return sorted(rows, key=lambda row: row.placing)
