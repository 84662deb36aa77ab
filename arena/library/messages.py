"""What the caller's process and its child say to each other: one line of JSON each.

First comes a call. Then the child says what happens, and in the end how it ended.
"""

import importlib
from typing import Any, Final, TypeAlias

import msgspec

from arena.commands.failure import Failure
from arena.playing.spellings import Progress
from arena.system.errors import UserError


class HostCall(msgspec.Struct, frozen=True):
    """A call, and where its class is found, which is loaded when it is called: some need libraries that load
    slowly, or are not installed."""

    module: str
    name: str
    call: msgspec.Raw


class CallRemark(msgspec.Struct, frozen=True, tag=True):
    """A remark for people."""

    text: str


class CallEnded(msgspec.Struct, frozen=True, tag=True):
    """The last line of a call that was carried out."""

    result: msgspec.Raw


class CallFailed(msgspec.Struct, frozen=True, tag=True):
    """The last line of a call that was not."""

    failure: Failure


FromHost: TypeAlias = CallRemark | Progress | CallEnded | CallFailed

encode: Final = msgspec.json.Encoder().encode
_from_host: Final[msgspec.json.Decoder[FromHost]] = msgspec.json.Decoder(FromHost)


def encode_call(call: msgspec.Struct) -> bytes:
    """The line of a call."""
    return encode(HostCall(type(call).__module__, type(call).__name__, msgspec.Raw(encode(call))))


def decode_call(line: bytes) -> Any:
    """The call in a line. Raises UserError for an argument of the wrong type or beyond its bounds."""
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
    """The message in a line of the child's."""
    return _from_host.decode(line)
