"""The example dialogue of SPEC.md, made by the code it describes: what seat 0 reads and writes in one short
match whose seats all echo `legal[0]`. Run as a script it writes its beginning and end into SPEC.md.

Knows no process and no clock: no time is drawn from the bank.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Raw

from arena.games import GAMES
from arena.games.events import Event
from protocol.codec import encode, raw
from protocol.messages import PROTOCOL, End, FromReferee, Hello, Limits, Request
from protocol.streams import DealSource, bot_seed, derive, match_key, pod_key

SPEC: Final = Path(__file__).parents[2] / "SPEC.md"
BLOCK: Final = re.compile(r"^```dialogue\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPENING: Final = 8
"""Lines that are shown before the gap: `hello`, `ready`, three requests and their replies."""
GAP: Final = "…"

GAME, SEATS, DEALS, SEAT = "sticheln", 3, 1, 0
POD = pod_key("7", 0, 0)
MATCH = match_key(POD, 1)


def dialogue() -> list[str]:
    """All lines, `<- ` before those that the bot reads, `-> ` before those that it writes."""
    return list(_lines())


def block() -> str:
    """What SPEC.md shows of the dialogue: its opening, and `end`."""
    lines = dialogue()
    return "".join(f"{line}\n" for line in [*lines[:OPENING], GAP, lines[-1]])


def _lines() -> Iterator[str]:
    game = GAMES[GAME]
    limits = Limits()
    yield _read(
        Hello(
            protocol=PROTOCOL,
            game=game.id,
            options={},
            seats=SEATS,
            seat=SEAT,
            deals=DEALS,
            deck=game.deck(SEATS),
            suits=dict(game.suits(SEATS)),
            limits=limits,
            seed=bot_seed(MATCH, f"seat-{SEAT}"),
            match=derive(MATCH, "match")[:16],
        )
    )
    yield _written(type="ready", name="first")
    state, happened = game.start(SEATS, game.options(), DEALS, DealSource(POD))
    unread, request_id = list(happened), 0
    while state.pending:
        if SEAT in state.pending:
            request_id += 1
            legal = state.legal(SEAT)
            ms = limits.decision_ms + limits.bank_ms
            events, unread = _may_know(unread), []
            yield _read(Request(request_id, state.pending[SEAT], legal, events, state.view(SEAT), ms))
            yield _written(type="reply", id=request_id, action=legal[0])
        state, happened = state.apply({seat: state.legal(seat)[0] for seat in state.pending})
        unread += happened
    outcome = state.tally()
    points = tuple(map(sum, zip(*outcome.points, strict=True)))
    yield _read(End(_may_know(unread), points, outcome.placings, "finished"))


def _may_know(events: Iterable[Event]) -> list[Raw]:
    return [raw(event) for event in events if event.audience in (None, SEAT)]


def _read(message: FromReferee) -> str:
    return "<- " + encode(message).decode("ascii").removesuffix("\n")


def _written(**message: object) -> str:
    """As Python's json writes it: spaces do no harm."""
    return "-> " + json.dumps(message)


if __name__ == "__main__":
    SPEC.write_text(BLOCK.sub(lambda _: f"```dialogue\n{block()}```", SPEC.read_text("utf-8")), "utf-8")
