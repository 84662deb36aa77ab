"""A match as turns: one follows from another; they hold all that the seats did, and nothing else of a log."""

from itertools import pairwise

import msgspec
import pytest

from arena.games import GAMES
from arena.games.events import Dealt
from arena.log.entries import Overspent, SeatEntry, happened, parse, raw_events
from arena.log.retrace import of_entries, retrace
from arena.log.transcript import transcript
from tests.support.logs import chance_log

EXTREMES = [(game, seats) for game, rules in GAMES.items() for seats in (rules.seats[0], rules.seats[-1])]


@pytest.mark.parametrize(("game", "seats"), EXTREMES)
def test_a_turn_begins_where_the_one_before_ended(game: str, seats: int) -> None:
    log = chance_log(game, seats, faulty=0)
    turns = list(retrace(log))
    assert turns[0].before is None
    assert all(one.after is two.before for one, two in pairwise(turns))
    done = [entry for turn in turns for entry in turn.entries]
    assert done == [entry for entry in log.entries if isinstance(entry, SeatEntry)]


@pytest.mark.parametrize(("game", "seats"), EXTREMES)
def test_the_end_of_a_deal_and_the_next_deal_are_two(game: str, seats: int) -> None:
    turns = list(retrace(chance_log(game, seats, deals=3)))
    ends = []
    for turn in turns:
        parts = list(turn.by_deal)
        assert tuple(event for _, events in parts for event in events) == turn.events
        for state, events in parts:
            assert {event.deal_no for event in events if isinstance(event, Dealt)} <= {state.deal_no}
            ends += [] if state.pending else [len(state.tally().points)]
        assert parts[-1][0] is turn.after
    assert ends == [1, 2, 3]


def test_what_a_stranger_adds_to_a_log_is_not_kept() -> None:
    """Lines that record nothing a seat did, and fields that the rules do not know."""
    log = chance_log("sticheln", 3, deals=1)
    entries = [*log.entries]
    entries[5:5] = [Overspent(0, 1)] * 1000
    again = of_entries(entries)
    assert [turn.entries for turn in retrace(again)] == [turn.entries for turn in retrace(log)]

    first = next(at for at, entry in enumerate(log.entries) if hasattr(entry, "events"))
    events = [msgspec.json.decode(raw) | {"hint": "cheat"} for raw in raw_events(log.entries[first])]  # type: ignore[arg-type]
    entries = [*log.entries]
    entries[first] = happened(msgspec.Raw(msgspec.json.encode(event)) for event in events)
    lines = b"\n".join(map(msgspec.json.encode, entries))
    assert b"cheat" in lines
    assert [*transcript(of_entries(parse(lines)), 0)] == [*transcript(log, 0)]
