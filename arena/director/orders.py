"""Orders of the organiser to a running director. An order is an entry for the journal; the answer says what
it did or why it was refused. Both are a line of JSON on the run's control socket.

Knows the lines; organiser.py decides what may be entered.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from arena.director.entries import ByOrganiser
from arena.director.organiser import OrderDone, decided
from arena.director.state import Record
from arena.journal.client import ask
from arena.system.errors import UserError


class OrderRefused(msgspec.Struct, frozen=True, tag="refused"):
    """Nothing was added."""

    reason: str


Answer: TypeAlias = OrderDone | OrderRefused

_encode: Final = msgspec.json.Encoder().encode
_orders: Final[msgspec.json.Decoder[ByOrganiser]] = msgspec.json.Decoder(ByOrganiser)
_answers: Final[msgspec.json.Decoder[Answer]] = msgspec.json.Decoder(Answer)


def enter(
    entry: ByOrganiser, record: Record, folder: Path, add: Callable[[ByOrganiser], None]
) -> tuple[ByOrganiser, OrderDone]:
    """Decide on an entry, and call `add` with it unless the journal has it. Returns the entry as added, and
    what it does. Raises UserError."""
    tidy, done = decided(entry.cleaned, record, folder)
    if done.new:
        add(tidy)
    return tidy, done


def answered(line: bytes, record: Record, folder: Path, add: Callable[[ByOrganiser], None]) -> bytes:
    """Carry out the order in a line; return the line of the answer."""
    try:
        _, done = enter(_orders.decode(line), record, folder, add)
    except UserError as error:
        return _encode(OrderRefused(str(error)))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return _encode(OrderRefused(f"{folder}: unknown order ({error})"))
    return _encode(done)


def ordered(entry: ByOrganiser, folder: Path) -> OrderDone | None:
    """Send an order to the director that runs the tournament in this folder. None if there is none, or it
    ended before it answered. Raises UserError if the order is refused."""
    line = ask(folder, _encode(entry))
    if line is None:
        return None
    try:
        answer = _answers.decode(line)
    except msgspec.MsgspecError as error:
        raise UserError(
            f"{folder}: the arena that runs it sent an unknown answer ({error}); stop it there with Ctrl-C"
        ) from None
    if isinstance(answer, OrderRefused):
        raise UserError(answer.reason)
    return answer
