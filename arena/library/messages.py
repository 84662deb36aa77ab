"""What the caller's process and its child say to each other: one line of JSON each.

First comes a call. Then the child says what happens, and in the end how it ended.
"""

from typing import Final, TypeAlias

import msgspec

from arena.calls.check import CheckBots
from arena.calls.compare import Compare
from arena.calls.failure import Failure
from arena.calls.laws import CheckGame
from arena.calls.match import PlayMatch
from arena.calls.new import NewBot
from arena.calls.organiser import Admit, Replace
from arena.calls.rematch import Rematch
from arena.calls.rerun import Rerun
from arena.calls.resume import Resume
from arena.calls.tournament import PlanTournament, RunTournament
from arena.system.errors import UserError

AnyCall: TypeAlias = (
    PlayMatch
    | RunTournament
    | PlanTournament
    | Resume
    | Admit
    | Replace
    | Compare
    | CheckBots
    | CheckGame
    | Rematch
    | Rerun
    | NewBot
)
"""All that starts programs."""


class Said(msgspec.Struct, frozen=True, tag=True):
    """A remark for people."""

    text: str


class Progress(msgspec.Struct, frozen=True, tag=True):
    """How far a call is. `done` of `total` matches or bots; 0 of 0 where that is not known. `seconds_left` at
    the present pace, None for unknown. `text` says it for people."""

    text: str
    done: int = 0
    total: int = 0
    seconds_left: float | None = None


class Ended(msgspec.Struct, frozen=True, tag=True):
    """The last line of a call that was carried out."""

    result: msgspec.Raw


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The last line of a call that was not."""

    failure: Failure


FromHost: TypeAlias = Said | Progress | Ended | Failed

encode: Final = msgspec.json.Encoder().encode
_calls: Final[msgspec.json.Decoder[AnyCall]] = msgspec.json.Decoder(AnyCall)
_from_host: Final[msgspec.json.Decoder[FromHost]] = msgspec.json.Decoder(FromHost)


def decode_call(line: bytes) -> AnyCall:
    """The call in a line. Raises UserError for an argument of the wrong type or beyond its bounds."""
    try:
        return _calls.decode(line)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$.")
        raise UserError(f"{place.rstrip('`')}: {what}" if place else what) from None


def decode_from_host(line: bytes) -> FromHost:
    """The message in a line of the child's."""
    return _from_host.decode(line)
