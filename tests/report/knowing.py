"""What a seat could know, from a log alone; and the cards that anything tells of."""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from arena.log.entries import Happened, events_of, raw_events
from arena.log.retrace import Log


def data_of(page: str) -> Any:
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


def cards_in(value: Any, log: Log) -> set[str]:
    deck = set(log.game.deck(log.seats))
    return {word for text in texts(value) for word in re.findall(r"[A-Z]\d+", text) if word in deck}


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in (*value, *value.values()):
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def told_to(log: Log, seat: int) -> Iterator[set[str]]:
    """From the log alone: the cards of a deal of which events have told the seat so far, after each step; the
    end of a deal and the next one's cards are two."""
    known: set[str] = set()
    for entry in log.entries:
        if not isinstance(entry, Happened):
            continue
        events = events_of(log.game, raw_events(entry))
        dealt = [event.__struct_config__.tag == "dealt" for event in events]
        cut = dealt.index(True) if True in dealt else len(events)
        for part in filter(None, (events[:cut], events[cut:])):
            known = set() if part[0].__struct_config__.tag == "dealt" else set(known)
            for event in part:
                if event.audience in (None, seat):
                    known |= cards_in(msgspec.to_builtins(event), log)
            yield known
