"""The decisions of a logged match as rows, with what each seat was shown."""

from collections.abc import Iterator
from typing import Any

import msgspec

from arena.log.entries import Acted
from arena.log.retrace import Log, retrace
from protocol.cards import Seat
from protocol.units import Us


class Decision(msgspec.Struct, frozen=True):
    """A decision of a match. seat: from 0, with the name of its bot. deal: from 1. request: its number in the
    match, from 1. decision: its kind, in the game's words. view and legal: what the seat was shown. us: the
    microseconds that the bot took. note: the bot's comment. request and us are None if a substitute chose."""

    seat: Seat
    bot: str
    deal: int
    request: int | None
    decision: str
    view: dict[str, Any]
    legal: tuple[str, ...]
    action: str
    us: Us | None
    note: str


def decisions(log: Log) -> Iterator[Decision]:
    """All decisions in the order of the log. Replays the log: raises Mismatch if it is wrong."""
    for turn in retrace(log):
        for entry in turn.entries:
            if isinstance(entry, Acted) and (state := turn.before) is not None:
                yield Decision(
                    seat=entry.seat,
                    bot=log.opened.entrants[entry.seat].name,
                    deal=state.deal_no,
                    request=entry.id or None,
                    decision=state.pending[entry.seat],
                    view=msgspec.to_builtins(state.view(entry.seat)),
                    legal=tuple(state.legal(entry.seat)),
                    action=entry.action,
                    us=None if entry.by_substitute else entry.us,
                    note=entry.note,
                )
