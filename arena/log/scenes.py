"""A match as scenes, one after every decision: the cards, what each seat knows, what happened, and which
decisions are due. Pages and screens show a match scene by scene.

A seat's knowledge is made of its view and the events of which it is the audience, never of a full state from
which something was removed. Knows neither pages nor screens.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from arena.games import registry
from arena.games.events import Event
from arena.games.extras import Picture
from arena.games.game import State, View
from arena.log.entries import Acted, Faulted, SeatEntry
from arena.log.retrace import Log, retrace
from arena.system.text import SENTENCE_LIMIT, caption
from protocol.cards import Seat
from protocol.units import Us


class DueDecision(msgspec.Struct, frozen=True, omit_defaults=True):
    """A decision that is due. `legal` is None unless the knowledge of its seat is included."""

    seat: Seat
    decision: str
    legal: tuple[str, ...] | None = None


class MadeDecision(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a seat chose, the time that it took, and its bot's note."""

    seat: Seat
    action: str
    us: Us = Us(0)
    note: str = ""
    by_substitute: bool = False


class Scene(msgspec.Struct, frozen=True):
    """The match at one moment, and what happened since the previous scene."""

    deal_no: int
    trick_no: int
    shared: Mapping[str, Any]
    """The fields that are equal in all included views."""
    own: tuple[Mapping[str, Any] | None, ...]
    """By seat, the other fields of its view; None if its knowledge is not included."""
    deal_points: tuple[int, ...] | None
    """Those of the deal so far; None if the game shows none, or not the same to all seats."""
    sizes: tuple[int, ...]
    """The number of cards in each hand."""
    ranked: str = ""
    """The suits from low to high; "" if they have no order."""
    shown: Sequence[Sequence[str]] | None = None
    """The hands that an event revealed."""
    due: tuple[DueDecision, ...] = ()
    decided: tuple[MadeDecision, ...] = ()
    sentences: tuple[str, ...] = ()
    """One for each public event."""
    faults: tuple[Faulted, ...] = ()
    picture: Picture | None = None
    """The one that the game's package draws, from the view of the first included seat."""


def scenes(log: Log, seat: Seat | None = None) -> Iterator[Scene]:
    """The scenes of a match; with a `seat`, only what that seat knew: its own views, choices, notes and
    faults, and what was public. Raises Mismatch at the first line that contradicts the rules."""
    known = range(log.seats) if seat is None else (seat,)
    since: list[SeatEntry] = []  # The entries after the last scene.
    for turn in retrace(log):
        chosen: list[Seat] = []
        for entry in turn.entries:
            since.append(entry)
            if not isinstance(entry, Acted) or turn.before is None:
                continue
            chosen.append(entry.seat)
            # If several seats choose in secret, each choice is a scene; the last one belongs to the scene of
            # the events.
            if len(chosen) < len(turn.before.pending) and entry.seat in known:
                yield _scene(log, known, turn.before, since, chosen=chosen)
                since = []
        for state, events in turn.by_deal:
            yield _scene(log, known, state, since, events)
            since = []


def _scene(
    log: Log,
    known: Sequence[Seat],
    state: State,
    entries: Iterable[SeatEntry],
    events: Sequence[Event] = (),
    chosen: Sequence[Seat] = (),
) -> Scene:
    """The scene of a state and of what led to it. The knowledge of the `known` seats is included; `chosen`
    are the pending seats that have already chosen."""
    views = {seat: state.view(seat) for seat in known}
    first = views[known[0]]
    shared, own = _parted(views)
    points = [view.deal_points for view in views.values()]
    entrants = log.opened.entrants
    of_known = [entry for entry in entries if entry.seat in known]
    return Scene(
        deal_no=state.deal_no,
        trick_no=(first.finished_tricks or 0) + bool(first.open_trick),
        shared=shared | {"deals": log.opened.deals},
        own=tuple(own.get(seat) for seat in range(log.seats)),
        deal_points=points[0] if _alike(points) else None,
        sizes=tuple(map(len, state.hands)),
        ranked=log.game.ranked(first),
        shown=next(filter(None, (event.revealed_hands for event in events)), None),
        due=tuple(
            DueDecision(seat, decision, state.legal(seat) if seat in known else None)
            for seat, decision in state.pending.items()
            if seat not in chosen
        ),
        decided=tuple(map(_decided, (entry for entry in of_known if isinstance(entry, Acted)))),
        sentences=tuple(
            caption(event.sentence(lambda seat: entrants[seat].called), SENTENCE_LIMIT)
            for event in events
            if event.audience is None
        ),
        faults=tuple(entry for entry in of_known if isinstance(entry, Faulted)),
        picture=registry.picture_of(log.game, first, tuple(entrant.called for entrant in entrants)),
    )


def _parted(views: Mapping[Seat, View]) -> tuple[dict[str, Any], dict[Seat, dict[str, Any]]]:
    """The fields that are equal in all views, and the others by seat. Hands always count as different."""
    first = next(iter(views.values()))
    fields = [name for name in first.__struct_fields__ if name != "seat"]
    values = {name: [getattr(view, name) for view in views.values()] for name in fields}
    alike = {name: by_view[0] for name, by_view in values.items() if name != "hand" and _alike(by_view)}
    own = {
        seat: {name: by_view[at] for name, by_view in values.items() if name not in alike}
        for at, seat in enumerate(views)
    }
    return alike, own


def _decided(entry: Acted) -> MadeDecision:
    return MadeDecision(entry.seat, entry.action, entry.us, entry.note, by_substitute=entry.by_substitute)


def _alike(values: list[Any]) -> bool:
    return values.count(values[0]) == len(values)
