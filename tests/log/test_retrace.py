"""Logs that are not what happened: what is false is refused, whatever it is, and by name."""

import contextlib
import copy
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.game import Options
from arena.log.entries import (
    Acted,
    AnyEntry,
    Faulted,
    Greeted,
    LogError,
    LogWriter,
    MatchClosed,
    happened,
    parse,
)
from arena.log.retrace import Mismatch, of_entries, verify
from protocol.codec import raw
from protocol.faults import FaultKind
from protocol.outcome import Forfeit, with_forfeits
from protocol.streams import DealSource, match_key, substitute_stream
from tests.support.logs import chance_log

Line = dict[str, Any]


def lines_of(entries: Sequence[AnyEntry]) -> list[Line]:
    writer = LogWriter()
    for entry in entries:
        writer.add(entry)
    return [msgspec.json.decode(line) for line in writer.text().splitlines()]


def read_and_verify(lines: Sequence[Line]) -> None:
    """As a stranger's file is."""
    verify(of_entries(parse(b"\n".join(map(msgspec.json.encode, lines)))))


GOOD: Final = [
    lines_of(chance_log("sticheln", 3, deals=1, faulty=1).entries),
    lines_of(chance_log("david-and-goliath", 4, deals=1, faulty=0).entries),
    lines_of(chance_log("ole", 3, deals=2, options={"forced_play": True}).entries),
]


@pytest.mark.parametrize("lines", GOOD)
def test_a_log_of_what_happened_is_true(lines: list[Line]) -> None:
    read_and_verify(lines)


FAULT: Final[Line] = {
    "type": "fault", "seat": 0, "deal_no": 0, "id": 0, "kind": "exited", "detail": "", "forfeits": True
}  # fmt: skip


def test_a_start_of_more_seats_than_there_are_is_refused() -> None:
    lines = [line for line in GOOD[0] if line["type"] != "ready"]
    lines[1:1] = [FAULT | {"seat": seat} for seat in range(5)]
    with pytest.raises(Mismatch, match="line 5, deal 0, seat 3: all seats had started"):
        read_and_verify(lines)


@pytest.mark.parametrize("change", [{"pod_key": "é"}, {"entrants": [{"name": "é", "digest": ""}] * 3}])
def test_what_randomness_is_drawn_from_must_be_ascii(change: Line) -> None:
    with pytest.raises(LogError, match="must be ASCII"):
        read_and_verify([GOOD[0][0] | change, *GOOD[0][1:]])


def test_events_behind_the_last_are_refused() -> None:
    *before, events, outcome = GOOD[0]
    with pytest.raises(Mismatch, match="events after the end"):
        read_and_verify([*before, events, events, outcome])


def test_what_a_log_says_is_quoted_harmlessly() -> None:
    lines = copy.deepcopy(GOOD[0])
    next(line for line in lines if line["type"] == "action")["action"] = "\x1b[2J\u202eR1"
    with pytest.raises(Mismatch, match=r"\[2JR1 was not legal") as refused:
        read_and_verify(lines)
    assert (str(refused.value) + refused.value.detail).isprintable()


FIRST: Final = {"deal_no": 1, "id": 1, "kind": "illegal", "forfeits": True}


def invented(lines: list[Line], fault: Line) -> list[Line]:
    """Before the first decision of seat 0 one more fault of it, of which the outcome knows."""
    at = next(at for at, line in enumerate(lines) if line["type"] == "action" and line["seat"] == 0)
    forfeit = {"seat": 0, "deal_no": 1, "kind": fault["kind"], "answered": True}
    outcome = lines[-1] | {"forfeits": [forfeit]}
    return [*lines[:at], fault, *lines[at:-1], outcome]


def gone_at_the_start() -> list[Line]:
    """A true log in which seat 0 never started, and its substitute played."""
    game, opened = GAMES["david-and-goliath"], chance_log("david-and-goliath", 3, deals=1).opened
    lost = Faulted(0, 0, 0, FaultKind.HANDSHAKE, "a banner", True)
    entries: list[AnyEntry] = [opened, lost, Greeted(1, 1, ""), Greeted(2, 1, "")]
    substitute = substitute_stream(match_key(opened.pod_key, opened.seating_no), 0)
    asked = [0, 0, 0]
    state, events = game.start(3, Options(), 1, DealSource(opened.pod_key))
    entries.append(happened(map(raw, events)))
    while state.pending:
        for seat in state.pending:
            asked[seat] += 1
            legal = state.legal(seat)
            one = Acted(seat, legal[0], asked[seat]) if seat else Acted(0, substitute.choice(legal))
            entries.append(one)
            state, events = state.apply({seat: one.action})
            entries.append(happened(map(raw, events)))
    tally = state.tally()
    forfeit = Forfeit(0, 0, FaultKind.HANDSHAKE, answered=False)
    entries.append(MatchClosed(tally.points, tally.gains, with_forfeits(tally.placings, {0}), (forfeit,)))
    return lines_of(entries)


def test_a_second_fault_of_a_dead_seat_is_refused() -> None:
    lines = gone_at_the_start()
    read_and_verify(lines)
    with pytest.raises(Mismatch, match="seat 0: a fault of a seat that had forfeited"):
        read_and_verify(invented(lines, FAULT | FIRST))


def forgiven(*behind: Line) -> list[Line]:
    """A match in which two faults are forgiven; seat 0 has one in its first decision, and then this."""
    lines = copy.deepcopy(GOOD[2])
    lines[0]["faults"] = 3
    at = next(at for at, line in enumerate(lines) if line["type"] == "action")
    fault = FAULT | FIRST | {"seat": lines[at]["seat"], "forfeits": False}
    return [*lines[:at], fault, *({"seat": lines[at]["seat"]} | line for line in behind), *lines[at:]]


def test_a_second_fault_in_one_decision_is_refused() -> None:
    again = FAULT | FIRST | {"id": 2, "forfeits": False}
    del again["seat"]
    with pytest.raises(Mismatch, match="a second fault in one decision"):
        read_and_verify(forgiven(again))


def test_a_reply_behind_a_forgiven_fault_is_refused() -> None:
    lines = forgiven()
    with pytest.raises(Mismatch, match="a reply after a fault in the same decision"):
        read_and_verify(lines)


@pytest.mark.parametrize(("kind", "number"), [("illegal", 0), ("timeout", 0), ("spawn", 1), ("handshake", 1)])
def test_a_fault_that_cannot_come_of_what_was_asked_is_refused(kind: str, number: int) -> None:
    lines, fault = GOOD[0], FAULT | {"kind": kind, "id": number}
    at = next(at for at, line in enumerate(lines) if line["type"] == "action") if number else 1
    with pytest.raises(Mismatch, match=f"`{kind}` cannot be a fault of request {number}"):
        read_and_verify([*lines[:at], fault, *lines[at:]])


def test_a_match_goes_not_on_when_all_have_forfeited() -> None:
    lines = gone_at_the_start()
    lines[2:4] = [FAULT | {"seat": seat} for seat in (1, 2)]
    with pytest.raises(Mismatch, match="an action of a seat that was not asked"):
        read_and_verify(lines)


ODD: Final = [
    0, -1, 1, 2, 99, 2**31, -(2**70), 0.5, True, None, "", "é", "\x1b[2J", "Z9", "illegal", "exited",
    "handshake", [], [[]], {}, {"x": 1},
]  # fmt: skip


@st.composite
def changed_logs(draw: st.DrawFn) -> list[Line]:
    """A good log with up to four lines dropped, doubled, moved or put in, or single values in them changed:
    into odd ones, or into what stands elsewhere in the log under the same key."""
    lines = list(draw(st.sampled_from(GOOD)))
    for _ in range(draw(st.integers(1, 4))):
        # Most happens at the two ends, and most lines are actions and events.
        near = st.integers(0, 7)
        at = draw(near | near.map(lambda back: len(lines) - 1 - back) | st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["drop", "double", "move", "fault", "change", "change", "change"])):
            case "drop":
                del lines[at]
            case "double":
                lines.insert(at, lines[at])
            case "move":
                lines.insert(draw(st.integers(0, len(lines))), lines.pop(at))
            case "fault":
                seat, number = draw(st.integers(-1, 4)), draw(st.integers(0, 4))
                lines.insert(at, FAULT | {"seat": seat, "id": number})
            case "change":
                lines[at] = copy.deepcopy(lines[at])
                container, key = draw(st.sampled_from(list(_places(lines[at]))))
                elsewhere = [line[key] for line in lines if key in line] if isinstance(key, str) else []
                container[key] = draw(st.sampled_from(ODD + elsewhere[:20]))
    return lines


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


@settings(max_examples=400, deadline=None)
@given(changed_logs())
def test_whatever_a_log_says_it_is_true_or_refused(lines: list[Line]) -> None:
    with contextlib.suppress(LogError):
        read_and_verify(lines)
