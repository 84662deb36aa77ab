"""What a seat gets to know: views, legal actions and events, as the bytes that are sent. Knows no law."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.events import Event
from arena.games.game import State
from protocol.cards import Card, Seat

SHOWN: Final = 120
"""The most characters of a value in a message."""


def encoded(value: Any) -> bytes:
    """The value as it is sent."""
    return msgspec.json.encode(value)


def plain(value: Any) -> Any:
    """The value as a receiver decodes it."""
    return msgspec.json.decode(encoded(value))


def heard(events: Iterable[Event], seat: Seat) -> list[bytes]:
    """The events that `seat` may know, as they are sent."""
    return [encoded(event) for event in events if event.known_to(seat)]


def told(state: State, seat: Seat) -> dict[str, bytes]:
    """All that a request shows `seat` besides the events."""
    return {
        "view": encoded(state.view(seat)),
        "legal": encoded(state.legal(seat)),
        "decision": encoded(state.pending.get(seat)),
    }


def cards_in(value: Any, deck: Collection[Card]) -> set[Card]:
    """Every card of `deck` that occurs anywhere in a value of plain JSON."""
    if isinstance(value, str):
        return {value} if value in deck else set()
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return set()
    return {card for part in value for card in cards_in(part, deck)}


def cards_of_events(events: Iterable[Event], seat: Seat, deck: Collection[Card]) -> set[Card]:
    """The cards in the events that `seat` may know."""
    return cards_in([msgspec.to_builtins(event) for event in events if event.known_to(seat)], deck)


def cards_beside_the_hand(state: State, seat: Seat, deck: Collection[Card]) -> frozenset[Card]:
    """The cards that the view of `seat` shows in any field but `hand`."""
    view = msgspec.to_builtins(state.view(seat))
    return frozenset(cards_in([value for name, value in view.items() if name != "hand"], deck))


class Difference(NamedTuple):
    """The first place where two values of plain JSON differ, such as `tricks[2].cards[0]`, and both texts."""

    place: str
    one: str
    other: str


def difference(one: Any, other: Any, place: str = "") -> Difference | None:
    """Where two values of plain JSON differ first; None if they are equal, with keys in the same order."""
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        parts = ((f"{place}.{key}" if place else key, one[key], other[key]) for key in one)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        parts = ((f"{place}[{i}]", *two) for i, two in enumerate(zip(one, other, strict=True)))
    else:
        same = type(one) is type(other) and one == other and not isinstance(one, dict)
        return None if same else Difference(place, _short(one), _short(other))
    return next((found for part in parts if (found := difference(part[1], part[2], part[0]))), None)


def difference_of_texts(one: bytes, other: bytes) -> Difference:
    """Where two different JSON texts differ first."""
    found = difference(msgspec.json.decode(one), msgspec.json.decode(other))
    return found or Difference("", _short(one.decode()), _short(other.decode()))


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else encoded(value).decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"


def seats_named(seats: Sequence[Seat]) -> str:
    """`seat 2`, `seats 0, 1`."""
    return f"seat{'' if len(seats) == 1 else 's'} {', '.join(map(str, seats))}"
