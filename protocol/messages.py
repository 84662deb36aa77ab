"""The messages of protocol 1, field by field in the order in which they are written.

Knows no game: events come encoded, and views come as structs that can be encoded.
"""

from typing import Annotated, Any, Final

import msgspec

from protocol.units import Ms

PROTOCOL: Final = 1
LINE_BYTES: Final = 64 * 1024
"""A line of the referee is no longer: a bot may read it into a buffer of that size."""
NAME_LIMIT: Final = 32
NOTE_LIMIT: Final = 200

WireInt = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
"""The range of every number that a bot sends."""


class Limits(msgspec.Struct, frozen=True):
    """Time limits in milliseconds: for starting, for one decision, and the bank of one match. What a decision
    takes beyond its own limit is drawn from the bank."""

    start_ms: Ms = Ms(10_000)
    decision_ms: Ms = Ms(1_000)
    bank_ms: Ms = Ms(10_000)


class Hello(msgspec.Struct, frozen=True, tag_field="type", tag="hello"):
    """The first line a bot reads. `match` is opaque; `seed` is for the bot's own randomness."""

    protocol: int
    game: str
    options: dict[str, Any]
    seats: int
    seat: int
    deals: int
    deck: tuple[str, ...]
    suits: dict[str, str]
    limits: Limits
    seed: int
    match: str


class Request(msgspec.Struct, frozen=True, tag_field="type", tag="request"):
    """Asks one seat for one decision. `events` are those since the seat's last request that the seat may
    know of; `ms` is the time left for this decision, bank included."""

    id: int
    decision: str
    legal: tuple[str, ...]
    events: list[msgspec.Raw]
    view: Any
    ms: Ms


class End(msgspec.Struct, frozen=True, tag_field="type", tag="end"):
    """The last line of a match. `points` are the seats' totals. `termination` is how the match ended for
    this seat: always "finished", since a seat that forfeits is sent no `end`."""

    events: list[msgspec.Raw]
    points: tuple[int, ...]
    placings: tuple[int, ...]
    termination: str


class Ready(msgspec.Struct, frozen=True, tag_field="type", tag="ready"):
    """A bot's answer to `hello`. All fields but `protocol` are captions: shown to people, never trusted."""

    name: str
    version: str = ""
    author: str = ""
    language: str = ""
    protocol: WireInt = PROTOCOL


class Reply(msgspec.Struct, frozen=True, tag_field="type", tag="reply", omit_defaults=True):
    """A bot's answer to the request `id`. `bug`: what failed in one of the arena's own bots while it chose;
    of any other bot it is ignored."""

    id: WireInt
    action: str
    note: str = ""
    bug: str = ""


FromReferee = Hello | Request | End
FromBot = Ready | Reply
