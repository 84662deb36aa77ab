"""The messages of protocol 1, field by field in the order in which they are written.

Knows no game: events come encoded, and views come as structs that can be encoded.
"""

from typing import Annotated, Any, Final

import msgspec

from protocol.units import Ms

PROTOCOL: Final = 1
LINE_BYTES: Final = 64 * 1024
"""No line of the referee is longer: a bot may read it into a buffer of this size."""
NAME_LIMIT: Final = 32
NOTE_LIMIT: Final = 200

WireInt = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
"""The range of every number that a bot sends."""


class Limits(msgspec.Struct, frozen=True):
    """Time limits of one bot, in milliseconds."""

    start_ms: Ms = Ms(10_000)
    """From `hello` to `ready`."""
    decision_ms: Ms = Ms(1_000)
    """For each decision."""
    bank_ms: Ms = Ms(10_000)
    """For the whole match: what decisions take beyond `decision_ms` is taken from it."""


class Hello(msgspec.Struct, frozen=True, tag_field="type", tag="hello"):
    """The first line a bot reads. `seed` is for the bot's own randomness."""

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
    """Asks one seat for one decision. `events` are those since its last request that the seat may know;
    `ms` is the time left for this decision, bank included."""

    id: int
    decision: str
    legal: tuple[str, ...]
    events: list[msgspec.Raw]
    view: Any
    ms: Ms


class End(msgspec.Struct, frozen=True, tag_field="type", tag="end"):
    """The last line of a match. `points` are the seats' totals. `termination` is always "finished", since a
    seat that forfeits gets no `end`."""

    events: list[msgspec.Raw]
    points: tuple[int, ...]
    placings: tuple[int, ...]
    termination: str


class Ready(msgspec.Struct, frozen=True, tag_field="type", tag="ready"):
    """A bot's answer to `hello`. All fields but `protocol` are shown to people, and never trusted."""

    name: str
    version: str = ""
    author: str = ""
    language: str = ""
    protocol: WireInt = PROTOCOL


class Reply(msgspec.Struct, frozen=True, tag_field="type", tag="reply", omit_defaults=True):
    """A bot's answer to the request `id`. `bug` is an error inside one of the arena's own bots; it is ignored
    if it comes from any other bot."""

    id: WireInt
    action: str
    note: str = ""
    bug: str = ""


FromReferee = Hello | Request | End
FromBot = Ready | Reply
