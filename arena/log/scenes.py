"""A match as scenes, one after every decision: the cards, what each seat knows, what happened, and which
decisions are due. Pages and screens show a match to people by its scenes.

What a seat knows is its view and the events whose audience it is, never a full state from which something was
removed. Knows neither pages nor screens.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from arena.games.events import Dealt, Event
from arena.games.game import State, Step, View
from arena.log.entries import Acted, Closed, Faulted
from arena.log.retrace import Log, retrace
from protocol.cards import Seat
from protocol.units import Us


class Due(msgspec.Struct, frozen=True, omit_defaults=True):
    """A decision that is due. `legal` is None where the knowledge of its seat is not given."""

    seat: Seat
    decision: str
    legal: tuple[str, ...] | None = None


class Decided(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a seat chose, after which time, and the note that its bot sent with it."""

    seat: Seat
    action: str
    us: Us = Us(0)
    note: str = ""
    by_substitute: bool = False


class Scene(msgspec.Struct, frozen=True):
    """`shared` holds the fields that are equal in the views of all seats; `own` holds by seat the other
    fields of its view, None for a seat whose knowledge is not given. `sizes` are those of the hands; `shown`
    are the hands that an event revealed. `ranked` are the suits from low to high, "" where they have no
    order. `told` are sentences about public events."""

    deal_no: int
    trick_no: int
    shared: Mapping[str, Any]
    own: tuple[Mapping[str, Any] | None, ...]
    sizes: tuple[int, ...]
    ranked: str = ""
    shown: Sequence[Sequence[str]] | None = None
    due: tuple[Due, ...] = ()
    decided: tuple[Decided, ...] = ()
    told: tuple[str, ...] = ()
    faults: tuple[Faulted, ...] = ()


def scenes(log: Log, seat: Seat | None = None) -> Iterator[Scene]:
    """The scenes of a match; with a `seat`, only what that seat knew: its own views, choices, notes and
    faults, and what was public. Raises Mismatch at the first line that the rules contradict."""
    stage = _Stage(log, seat)
    for entry, state, step in retrace(log):
        if isinstance(entry, Faulted):
            stage.faults.append(entry)
        if isinstance(entry, Acted) and state is not None:
            yield from stage.act(entry, state)
        if step is not None:
            yield from stage.happen(step, state)
        if isinstance(entry, Closed) and state is not None:
            yield from stage.last(state)


class _Stage:
    """Makes scenes; holds the decisions and faults since the last one."""

    def __init__(self, log: Log, seat: Seat | None) -> None:
        self._log = log
        self._seat = seat
        self._chosen: dict[Seat, str] = {}
        self._decided: list[Decided] = []
        self.faults: list[Faulted] = []

    def act(self, entry: Acted, state: State) -> Iterator[Scene]:
        """The scene of a decision where several seats choose in secret; none for the last of them, which
        belongs to the step's scene."""
        self._chosen[entry.seat] = entry.action
        self._decided.append(
            Decided(entry.seat, entry.action, entry.us, entry.note, by_substitute=entry.by_substitute)
        )
        if len(self._chosen) < len(state.pending) and self._concerns(entry.seat):
            yield self._made(state)

    def happen(self, step: Step, before: State | None) -> Iterator[Scene]:
        """The scenes of a step's events."""
        # A step that ends a deal also deals the next one, so its state no longer shows the finished deal. For
        # the scene of that, the step is applied once more as if that deal had been the match's last.
        state, events = step
        first = next((at for at, event in enumerate(events) if isinstance(event, Dealt)), len(events))
        if events[:first]:
            ended = _closing(before, self._chosen) if events[first:] else state
            yield self._made(ended, events[:first])
        if events[first:]:
            yield self._made(state, events[first:])
        self._chosen = {}

    def last(self, state: State) -> Iterator[Scene]:
        """A scene for faults after the last step: by them a match ended in the middle of a deal."""
        if any(self._concerns(fault.seat) for fault in self.faults):
            yield self._made(state)

    def _made(self, state: State, events: Sequence[Event] = ()) -> Scene:
        """The scene of a state and the events that led to it. The decisions and faults so far are used up."""
        known = [seat for seat in range(self._log.seats) if self._concerns(seat)]
        views = {seat: state.view(seat) for seat in known}
        one = views[known[0]]
        fields = [name for name in one.__struct_fields__ if name != "seat"]
        alike = [name for name in fields if name != "hand" and _alike(name, views.values())]
        shared = {name: getattr(one, name) for name in alike} | {"deals": self._log.opened.deals}
        own = {
            seat: {name: getattr(view, name) for name in fields if name not in alike}
            for seat, view in views.items()
        }
        scene = Scene(
            deal_no=state.deal_no,
            trick_no=(one.finished_tricks or 0) + bool(one.open_trick),
            shared=shared,
            own=tuple(own.get(seat) for seat in range(self._log.seats)),
            sizes=tuple(map(len, state.hands)),
            ranked=self._log.game.ranked(one),
            shown=next(filter(None, (event.revealed_hands for event in events)), None),
            due=tuple(
                Due(seat, decision, state.legal(seat) if self._concerns(seat) else None)
                for seat, decision in state.pending.items()
                if seat not in self._chosen or events
            ),
            decided=tuple(one for one in self._decided if self._concerns(one.seat)),
            told=tuple(event.sentence(self._name) for event in events if event.audience is None),
            faults=tuple(fault for fault in self.faults if self._concerns(fault.seat)),
        )
        self._decided, self.faults = [], []
        return scene

    def _concerns(self, seat: Seat) -> bool:
        return self._seat in (None, seat)

    def _name(self, seat: Seat) -> str:
        return self._log.opened.entrants[seat].called


def _alike(name: str, views: Iterable[View]) -> bool:
    first, *others = (getattr(view, name) for view in views)
    return all(other == first for other in others)


def _closing(state: State | None, chosen: Mapping[Seat, str]) -> State:
    """The state to which these actions would have led had the deal been the last of the match."""
    assert isinstance(state, msgspec.Struct)
    setting = msgspec.structs.replace(state.setting, deals=state.deal_no)
    ended: State = msgspec.structs.replace(state, setting=setting)
    return ended.apply(chosen).state
