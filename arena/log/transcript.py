"""Reconstructs the exact lines that were sent to one seat of a logged match. The log does not hold them,
since they follow from the rules, the actions and the measured times.

Knows no process and no clock.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from arena.games.game import State
from arena.log.entries import Acted, Faulted
from arena.log.hello import hello
from arena.log.retrace import Log, retrace
from protocol.codec import encode, raw
from protocol.messages import End, Hello, Limits, Request
from protocol.outcome import totals
from protocol.streams import match_key
from protocol.units import Ms, ms_to_seconds, seconds_to_ms, us_to_seconds


class SentLine(NamedTuple):
    """A line that was sent to the seat, and the action or fault that answered it."""

    request_id: int
    """0 for `hello` and `end`."""
    deal_no: int
    """0 for `hello`."""
    line: bytes
    action: str | None = None
    """None if the line was no request, or a fault answered it."""
    fault: Faulted | None = None


def transcript(log: Log, seat: int) -> Iterator[SentLine]:
    """Every line sent to the seat, from `hello` to `end`, or to the fault that forfeited. Raises Mismatch."""
    limits = _limits(log, seat)
    limit, bank = ms_to_seconds(limits.decision_ms), ms_to_seconds(limits.bank_ms)
    unsent: list[msgspec.Raw] = []
    for turn in retrace(log):
        for entry in turn.entries:
            if entry.seat != seat:
                continue
            fault = entry if isinstance(entry, Faulted) else None
            if turn.before is None:
                yield SentLine(0, 0, encode(_hello(log, seat)), fault=fault)
            elif isinstance(entry, Acted | Faulted) and entry.id:
                line = encode(_request(turn.before, seat, entry.id, unsent, seconds_to_ms(limit + bank)))
                # The same arithmetic as Conversation.ask: time beyond the limit comes from the bank, up to
                # all of it.
                bank -= max(0.0, min(us_to_seconds(entry.us), limit + bank) - limit)
                unsent = []
                action = entry.action if isinstance(entry, Acted) else None
                yield SentLine(entry.id, turn.before.deal_no, line, action, fault)
            if isinstance(entry, Faulted) and entry.forfeits:
                return
        unsent += [raw(event) for event in turn.events if event.known_to(seat)]
    end = End(unsent, totals(log.closed.points, log.seats), log.closed.placings, "finished")
    yield SentLine(0, log.opened.deals, encode(end))


def _hello(log: Log, seat: int) -> Hello:
    opened = log.opened
    return hello(
        log.game,
        opened.options,
        seats=log.seats,
        seat=seat,
        deals=opened.deals,
        limits=_limits(log, seat),
        match_key=match_key(opened.pod_key, opened.seating_no),
        entrant=opened.entrants[seat].name,
    )


def _limits(log: Log, seat: int) -> Limits:
    return log.opened.entrants[seat].limits or log.opened.limits


def _request(state: State, seat: int, request_id: int, unsent: list[msgspec.Raw], ms: Ms) -> Request:
    return Request(request_id, state.pending[seat], state.legal(seat), unsent, state.view(seat), ms)
