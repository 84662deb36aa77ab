"""Logs of matches that no process has played: random actions, and the lines that a referee would write."""

from collections.abc import Iterator

import msgspec

from arena.games import GAMES
from arena.log.entries import (
    FORMAT,
    Acted,
    AnyEntry,
    Greeted,
    LoggedEntrant,
    MatchClosed,
    MatchOpened,
    happened,
)
from arena.screens.show.steps import Steps
from protocol.codec import raw
from protocol.messages import PROTOCOL, Limits
from protocol.streams import DealSource, Stream

KEY = "screens"
NAMES = ("ada", "bob", "cy", "dee", "eve", "fay", "gil", "a-name-as-long-as-they-can-be-32")


def entries(game_id: str, seats: int, deals: int = 2, names: tuple[str, ...] = NAMES) -> Iterator[AnyEntry]:
    game, chance = GAMES[game_id], Stream(f"{game_id} {seats}")
    options = game.options()
    yield MatchOpened(
        format=FORMAT,
        arena="0",
        protocol=PROTOCOL,
        match_id="match",
        game=game_id,
        rules=game.rules,
        options=msgspec.to_builtins(options),
        deals=deals,
        pod_key=KEY,
        seating_no=1,
        entrants=tuple(LoggedEntrant(name, "") for name in names[:seats]),
        limits=Limits(),
        faults=1,
    )
    yield from (Greeted(seat, 0, name) for seat, name in enumerate(names[:seats]))
    asked = [0] * seats
    state, events = game.start(seats, options, deals, DealSource(KEY))
    yield happened(map(raw, events))
    while state.pending:
        actions = {seat: chance.choice(state.legal(seat)) for seat in state.pending}
        for seat, action in actions.items():
            asked[seat] += 1
            yield Acted(seat, action, asked[seat], note="so be it" if seat == 0 else "")
        state, events = state.apply(actions)
        yield happened(map(raw, events))
    tally = state.tally()
    yield MatchClosed(tally.points, tally.gains, tally.placings)


def steps(game_id: str, seats: int, deals: int = 2) -> Steps:
    opened, *others = entries(game_id, seats, deals)
    assert isinstance(opened, MatchOpened)
    made = Steps(opened)
    for entry in others:
        made.take(entry)
    return made
