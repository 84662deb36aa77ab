"""The end of the socket that sends an order and waits for the answer."""

import select
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.journal.place import MESSAGE_LIMIT, address, entered, is_ours, is_same_user, process
from arena.system.errors import UserError

ANSWER_SECONDS: Final = 60.0
"""An answer takes milliseconds unless the other process is pairing a large round or writing a report."""
SAY_SECONDS: Final = 1.5
_CHUNK: Final = 1 << 16


class NoAnswerError(UserError):
    """An order was not answered; it may have been carried out."""


def ask(folder: Path, order: bytes, say: Callable[[str], None] = lambda line: None) -> bytes | None:
    """Send an order and return the answer, both one line without its line break. None if no process takes
    orders for this folder, or if it ended before it answered, in which case it may have carried out the
    order. After SAY_SECONDS, `say` reports which process is busy. Raises UserError, and NoAnswerError after
    ANSWER_SECONDS."""
    if len(order) >= MESSAGE_LIMIT:
        raise UserError(
            f"{folder}: an order of {len(order)} bytes is too long; the maximum is {MESSAGE_LIMIT - 1}"
        )
    try:
        with entered(folder) as inside:
            if not is_ours(inside):
                return None
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(ANSWER_SECONDS)
                connection.connect(address(inside, folder))
                if not is_same_user(connection):
                    return None
                connection.sendall(order + b"\n")
                if not select.select([connection], [], [], SAY_SECONDS)[0]:
                    say(f"{folder}: waiting for process{process(connection)}, which runs it and is busy")
                return _line(connection)
    except TimeoutError:
        raise NoAnswerError(
            f"{folder}: the process that runs it did not answer within {ANSWER_SECONDS:g} s; try again to "
            "see whether it was done"
        ) from None
    except OSError:
        return None  # No process listens, or it has ended.


def _line(connection: socket.socket) -> bytes | None:
    received = bytearray()
    while b"\n" not in received:
        chunk = connection.recv(_CHUNK)
        received += chunk
        if not chunk or len(received) > MESSAGE_LIMIT:
            return None
    return bytes(received.partition(b"\n")[0])
