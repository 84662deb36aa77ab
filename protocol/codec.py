"""Lines of the wire: one message, one line of JSON, and back.

Knows the form of a line. dialogue.py says when a line may come; inbox.py splits bytes into lines.
"""

from typing import Any

import msgspec

from protocol.messages import FromBot, FromReferee

# Created once: decoding with a Decoder takes a tenth of the time of `msgspec.json.decode(…, type=…)`.
_encoder = msgspec.json.Encoder()
_from_bot: msgspec.json.Decoder[FromBot] = msgspec.json.Decoder(FromBot)
_from_referee: msgspec.json.Decoder[FromReferee] = msgspec.json.Decoder(FromReferee)


class LineError(Exception):
    """A line that is not a message of protocol 1; the text says why, for the bot's author."""


def encode(message: FromReferee | FromBot) -> bytes:
    """The line of a message, with its newline."""
    line = _encoder.encode(message)
    return line + b"\n"


def raw(value: Any) -> msgspec.Raw:
    """`value` encoded once, so that several lines can contain the same bytes."""
    return msgspec.Raw(_encoder.encode(value))


def decode_from_bot(line: bytes) -> FromBot:
    """The message in `line` (without its newline). Raises LineError, whatever the bytes are."""
    try:
        # msgspec checks only the strings that it stores, so the whole line is checked here.
        line.decode("utf-8")
        return _from_bot.decode(line)
    except UnicodeDecodeError as error:
        raise LineError(f"not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise LineError("nested too deeply") from None
    except (msgspec.MsgspecError, ValueError) as error:
        try:
            # If a field is given twice, the last one counts. A typed decoder would refuse an earlier invalid
            # one, so the line is decoded without types first.
            message: FromBot = msgspec.convert(msgspec.json.decode(line), FromBot)
            return message
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise LineError(str(error)) from None


def decode_from_referee(line: bytes) -> FromReferee:
    """The message in a line of the referee, for our own bots. Raises msgspec.MsgspecError."""
    return _from_referee.decode(line)
