"""What the caller's process and its child say to each other: one line of JSON each.

First comes a call. Then the child says what happens, and in the end how it ended.
"""

import importlib
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import msgspec

from arena.commands.failure import Failure
from arena.library.naming import of_an_argument
from arena.playing.spellings import Progress
from arena.system.errors import UserError

CALLS: Final[Mapping[str, str]] = {
    "Admit": "organiser",
    "CheckBots": "check",
    "CheckGame": "laws",
    "Compare": "compare",
    "NewBot": "new",
    "PlanTournament": "tournament",
    "PlayMatch": "match",
    "Rematch": "rematch",
    "Replace": "organiser",
    "Rerun": "rerun",
    "Resume": "resume",
    "Review": "review",
    "RunTournament": "tournament",
}
"""All calls that start programs or compute for long, each with its module in arena.commands, which is loaded
when it is called: some need libraries that load slowly, or are not installed."""


class Named(msgspec.Struct, frozen=True):
    """The name of a call, which its line begins with."""

    type: str


class Said(msgspec.Struct, frozen=True, tag=True):
    """A remark for people."""

    text: str


class Ended(msgspec.Struct, frozen=True, tag=True):
    """The last line of a call that was carried out."""

    result: msgspec.Raw


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The last line of a call that was not."""

    failure: Failure


FromHost: TypeAlias = Said | Progress | Ended | Failed

encode: Final = msgspec.json.Encoder().encode
_from_host: Final[msgspec.json.Decoder[FromHost]] = msgspec.json.Decoder(FromHost)


def decode_call(line: bytes) -> Any:
    """The call in a line, an object of one of CALLS. Raises UserError for an argument of the wrong type or
    beyond its bounds."""
    name = msgspec.json.decode(line, type=Named).type
    module = importlib.import_module(f"arena.commands.{CALLS[name]}")
    try:
        return msgspec.json.decode(line, type=getattr(module, name))
    except msgspec.ValidationError as error:
        raise UserError(of_an_argument(str(error))) from None


def decode_from_host(line: bytes) -> FromHost:
    """The message in a line of the child's."""
    return _from_host.decode(line)
