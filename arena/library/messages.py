"""The messages between the caller's process and its child, one line of JSON each.

The caller sends a call. The child sends remarks and progress, and finally the result.
"""

import importlib
from typing import Any, Final, TypeAlias

import msgspec

from arena.commands.failure import Failure
from arena.playing.spellings import Progress
from arena.system.errors import UserError


class HostCall(msgspec.Struct, frozen=True):
    """A call, and where its class is defined. The child imports only that class, since some need libraries
    that load slowly or are not installed."""

    module: str
    name: str
    call: msgspec.Raw


class CallRemark(msgspec.Struct, frozen=True, tag=True):
    """A remark for people."""

    text: str


class CallEnded(msgspec.Struct, frozen=True, tag=True):
    """The last message of a successful call."""

    result: msgspec.Raw


class CallFailed(msgspec.Struct, frozen=True, tag=True):
    """The last message of a failed call."""

    failure: Failure


FromHost: TypeAlias = CallRemark | Progress | CallEnded | CallFailed

encode: Final = msgspec.json.Encoder().encode
_from_host: Final[msgspec.json.Decoder[FromHost]] = msgspec.json.Decoder(FromHost)


def encode_call(call: msgspec.Struct) -> bytes:
    """The line of a call."""
    return encode(HostCall(type(call).__module__, type(call).__name__, msgspec.Raw(encode(call))))


def decode_call(line: bytes) -> Any:
    """The call in a line. Raises UserError for an argument of the wrong type or out of bounds."""
    asked = msgspec.json.decode(line, type=HostCall)
    try:
        return msgspec.json.decode(
            asked.call, type=getattr(importlib.import_module(asked.module), asked.name)
        )
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")  # This is how msgspec names the field.
        name = place.rstrip("`").rpartition(".")[2]
        raise UserError(f"{name}: {what}" if name else what) from None


def decode_from_host(line: bytes) -> FromHost:
    """The message in a line from the child."""
    return _from_host.decode(line)
