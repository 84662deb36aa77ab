"""Lines of the wire: one message, one line of JSON, and back.

Knows the form of a line, not when it may come (dialogue.py) nor what stands before or behind it (inbox.py).
"""

from typing import Any

import msgspec

from protocol.messages import FromBot, FromReferee

# Made once: a Decoder of its own costs a tenth of `msgspec.json.decode(…, type=…)`.
_encoder = msgspec.json.Encoder()
_from_bot: msgspec.json.Decoder[FromBot] = msgspec.json.Decoder(FromBot)
_from_referee: msgspec.json.Decoder[FromReferee] = msgspec.json.Decoder(FromReferee)


class LineError(Exception):
    """A line that is no message of protocol 1; the text says why, for the bot's author."""


def encode(message: FromReferee | FromBot) -> bytes:
    line = _encoder.encode(message)
    return line + b"\n"


def raw(value: Any) -> msgspec.Raw:
    """`value` encoded now, to be put into several lines unchanged."""
    return msgspec.Raw(_encoder.encode(value))


def decode_from_bot(line: bytes) -> FromBot:
    """The message in `line` (without its newline). Raises LineError, whatever the bytes are."""
    try:
        # msgspec looks only at the strings it keeps, so the line as a whole is checked here.
        line.decode("utf-8")
        return _from_bot.decode(line)
    except UnicodeDecodeError as error:
        raise LineError(f"not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise LineError("nested too deeply") from None
    except (msgspec.MsgspecError, ValueError) as error:
        try:
            # Of duplicate fields the last counts, but a decoder of structs refuses an invalid one before it.
            message: FromBot = msgspec.convert(msgspec.json.decode(line), FromBot)
            return message
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise LineError(str(error)) from None


def decode_from_referee(line: bytes) -> FromReferee:
    """The message in a line of ours; for tests and tools that play the bot's part."""
    return _from_referee.decode(line)
