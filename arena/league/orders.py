"""Sends requests to a league that is being played: one line of JSON each, and one for the answer, through the
control socket in its folder. If no process plays it, the caller writes the journal itself.

Knows the lines; hand.py decides what follows from a request.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from arena.journal.client import ask
from arena.journal.writers import LockedError
from arena.league.entries import Entry
from arena.league.hand import Request, answer
from arena.league.journal import LeagueJournal
from arena.league.office import Office, clock
from arena.league.shown import state_of
from arena.system.errors import UserError


class RequestDone(msgspec.Struct, frozen=True, tag_field="type", tag="done"):
    """The request was carried out by these entries; none if there was nothing to do."""

    entries: tuple[Entry, ...]


class RequestRefused(msgspec.Struct, frozen=True, tag_field="type", tag="not done"):
    """Nothing was written."""

    reason: str


Answer: TypeAlias = RequestDone | RequestRefused

PAUSE_SECONDS: Final = 0.2
"""Delay between attempts while another command writes the league."""

_encode: Final = msgspec.json.Encoder().encode
_requests: Final[msgspec.json.Decoder[Request]] = msgspec.json.Decoder(Request)
_answers: Final[msgspec.json.Decoder[Answer]] = msgspec.json.Decoder(Answer)


def request(folder: Path, asked: Request, say: Callable[[str], None]) -> tuple[Entry, ...]:
    """Carry out a request here, or send it to the process that plays the league. `say` reports if that
    process, or another command, keeps this one waiting. Returns the entries that carried it out. Raises
    UserError."""
    line: bytes | None = None
    waits = False
    while line is None:
        try:
            with Office(folder) as office:
                return office.asked(asked)
        except LockedError:
            # Decide from the journal first, so that an error reads as a sentence and not as the decoder's
            # message.
            with LeagueJournal(folder) as journal:
                answer(state_of(folder, journal.entries), asked, clock())
            line = ask(folder, _encode(asked), say)
        if line is None:
            if not waits:
                say(
                    "another command, such as `arena league add`, is writing the league; this one is "
                    "waiting for it"
                )
            waits = True
            time.sleep(PAUSE_SECONDS)
    try:
        answered = _answers.decode(line)
    except msgspec.MsgspecError as error:
        raise UserError(
            f"{folder}: the arena that plays it sent an unknown answer ({error}); stop it there with Ctrl-C"
        ) from None
    if isinstance(answered, RequestRefused):
        raise UserError(answered.reason)
    return answered.entries


def is_played(folder: Path, say: Callable[[str], None]) -> bool:
    """Whether a process plays the league, rather than writing it for a moment, as a command does. `say`: see
    `request`. Raises NoAnswerError."""
    return ask(folder, b"", say) is not None


def answered(office: Office, line: bytes) -> bytes:
    """Carry out the request in a line; return the line of the answer."""
    try:
        return _encode(RequestDone(office.asked(_requests.decode(line))))
    except UserError as error:
        return _encode(RequestRefused(str(error)))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return _encode(RequestRefused(f"{office.folder}: unknown request ({error})"))
