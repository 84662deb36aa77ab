"""A league of which the entries are made up: bots with a strength, several versions, forfeits, and titles and
reasons that would like to be markup. No process plays, so there are no logs.
"""

import random
from collections.abc import Iterable, Mapping
from typing import Final

from arena.league.drawing import Drawer
from arena.league.entries import (
    Current,
    DrawAnnulled,
    DrawMatch,
    DrawPlayed,
    DrawScheduled,
    Entry,
    Received,
    Refused,
    Registered,
    Retired,
)
from arena.league.pods import draw
from arena.league.state import LeagueState
from arena.report.league_pages import LeagueSnapshot
from protocol.faults import FaultKind
from protocol.outcome import Forfeit
from tests.support.boards import BOARD, NOON, NOTHING, SEEDS, settle, state_with

SCRIPT: Final = "<script>alert(1)</script>"
STRENGTHS: Final[Mapping[str, float]] = {"red/one@1": 2, "red/one@2": 5, "blue/one@1": -3, "green/slow@1": 4}
"""How much more some versions gain a deal than all others."""


def simulated(draws: int, more: Iterable[str] = ()) -> LeagueSnapshot:
    """A league after so many draws, or once it sleeps; `more` versions come in besides those with a strength.
    After a third of the draws red sends another version."""
    at_first = [version for version in STRENGTHS if version != "red/one@2"]
    state = state_with(*at_first, *more)
    entries: list[Entry] = []

    def add(entry: Entry) -> None:
        state.add(entry.cleaned)
        entries.append(entry.cleaned)
        entries.extend(settle(state, NOON))

    add(Registered("red", f"{SCRIPT}שלום", NOTHING))
    add(Registered("blue", "Team of the blue ones, with a title that goes on", NOTHING))
    drawer, lots = Drawer(), random.Random(3)
    for number in range(draws):
        if number == draws // 3:
            add(Received("red/one@2", "e" * 64, "bot.py", NOON))
            add(Current("red/one@2", (BOARD.id,)))
        if (found := drawer.chosen(state)) is None:
            break
        add(drawn := draw(state, found, NOON + 60 * number, SEEDS))
        add(_played(drawn, lots))
    add(Received("red/one@3", "f" * 64, "bot.py", NOON))
    add(Refused("red/one@3", "checked", f"it died {SCRIPT}", "mend it"))
    add(Received("blue/new@1", "d" * 64, "bot.py", NOON))
    add(DrawAnnulled(state.last_draw, f"the machine slept {SCRIPT}"))
    add(Retired("house/f@1", SCRIPT))
    return LeagueSnapshot(entries, state, "5" * 64)


def _played(drawn: DrawScheduled, lots: random.Random) -> DrawPlayed:
    """Gains by strength and luck; the slow one forfeits every other match."""

    def match(version: str) -> DrawMatch:
        own = round(STRENGTHS.get(version, 0))
        gains = tuple((own + lots.randint(-6, 6), *(lots.randint(-6, 6) for _ in range(3))) for _ in range(4))
        forfeits = version == "green/slow@1" and lots.random() < 0.5
        return DrawMatch(gains, (Forfeit(0, 2, FaultKind.TIMEOUT, answered=True),) * forfeits)

    matches = tuple(tuple(match(version) for _ in range(4)) for version in drawn.versions)
    return DrawPlayed(drawn.no, matches, 2.5, NOTHING, NOTHING)


def now_playing(state: LeagueState) -> DrawScheduled:
    """One more draw, which is being played from now on."""
    found = Drawer().chosen(state)
    assert found is not None
    drawn = draw(state, found, state.at, SEEDS)
    state.add(drawn)
    return drawn
