"""The decisions of a logged match as rows, with what each seat was shown."""

from collections.abc import Iterator
from typing import Any

import msgspec

from arena.log.entries import Acted
from arena.log.retrace import Log, retrace
from protocol.cards import Seat
from protocol.units import Us


class Decision(msgspec.Struct, frozen=True):
    """A decision in a match."""

    seat: Seat
    """From 0."""
    bot: str
    """The name of the bot at this seat."""
    deal: int
    """From 1."""
    request: int | None
    """Its number in the match, from 1; None if a substitute chose."""
    decision: str
    """The kind of decision, in the game's words."""
    view: dict[str, Any]
    """What the seat was shown."""
    legal: tuple[str, ...]
    """The actions that it could choose."""
    action: str
    us: Us | None
    """The microseconds that the bot took; None if a substitute chose."""
    note: str
    """The bot's comment."""


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
