"""A league on values: founded, with versions, played by chance until a moment."""

import random
from collections.abc import Mapping

from arena.league.days import SECONDS_A_DAY
from arena.league.drawing import Drawer
from arena.league.due import due
from arena.league.entries import (
    Board,
    Closed,
    Current,
    DrawMatch,
    DrawPlayed,
    DrawScheduled,
    Entry,
    Founded,
    PanelSet,
    Received,
    Registered,
    Started,
)
from arena.league.ids import author_of
from arena.league.pods import draw
from arena.league.state import LeagueState
from arena.league.statements import RULE
from protocol.messages import Limits
from protocol.outcome import Forfeit

TODAY = 20_000


NOON = TODAY * SECONDS_A_DAY + SECONDS_A_DAY // 2


NOTHING = "0" * 64


SEEDS: Mapping[int, str] = {day: f"{day:064x}" for day in range(TODAY - 1, TODAY + 5)}


ANCHORS = tuple(f"house/{name}@1" for name in "abcdef")


BOARD = Board(
    id="sticheln:4",
    game="sticheln",
    options={},
    deals=4,
    limits=Limits(),
    faults=1,
    seats=4,
    rules=1,
    margin=1.0,
    cap=13.2,
)


def state_with(*versions: str) -> LeagueState:
    """A league in which these came in."""
    entries: list[Entry] = [Founded("0", (BOARD,), quota=3)]
    authors = dict.fromkeys(map(author_of, versions))
    entries += [Registered(author, "", NOTHING) for author in authors]
    for number, version in enumerate((*ANCHORS, *versions)):
        entries += [Received(version, f"{number:064x}", "bot.py", NOON), Current(version, (BOARD.id,))]
    entries += [PanelSet(BOARD.id, ANCHORS, ANCHORS[0]), Started("0", "3", "x", 2, NOON, rule=RULE)]
    state = LeagueState(entries)
    settle(state, NOON)
    return state


def settle(state: LeagueState, at: int) -> list[Entry]:
    """Adds what is due, again and again; what that was."""
    added: list[Entry] = []
    while entries := list(due(state, at, SEEDS)):
        for entry in entries:
            state.add(entry)
        added += entries
    return added


def played(drawn: DrawScheduled, lots: random.Random, *forfeits: Forfeit) -> DrawPlayed:
    """A result by luck."""

    def match() -> DrawMatch:
        gains = tuple(tuple(lots.randrange(-9, 10) for _ in range(4)) for _ in range(4))
        return DrawMatch(gains, forfeits)

    matches = tuple(tuple(match() for _ in range(4)) for _ in drawn.versions)
    return DrawPlayed(drawn.no, matches, 2.5, NOTHING, NOTHING)


def play(state: LeagueState, draws: int, at: int = NOON) -> list[DrawScheduled]:
    """Draws and plays, one after the other."""
    drawer, lots, made = Drawer(), random.Random(7), []
    for _ in range(draws):
        found = drawer.chosen(state)
        assert found is not None
        made.append(draw(state, found, at, SEEDS))
        state.add(made[-1])
        state.add(played(made[-1], lots))
        settle(state, at)
    return made


def to_its_end(state: LeagueState) -> list[DrawScheduled]:
    """Plays until nothing is to be drawn any more."""
    drawer, lots, made = Drawer(), random.Random(3), []
    settle(state, NOON)
    while (found := drawer.chosen(state)) is not None:
        made.append(draw(state, found, NOON, SEEDS))
        state.add(made[-1])
        state.add(played(made[-1], lots))
        settle(state, NOON)
    return made


def closed(finals: int = 12) -> LeagueState:
    """A league of three bots and one that came in just before the end."""
    state = state_with("red/one@1", "blue/one@1", "green/one@1")
    play(state, 100)
    for entry in (Received("blue/two@1", "7" * 64, "x.py", NOON), Current("blue/two@1", (BOARD.id,))):
        state.add(entry)
    state.add(Closed("the end", NOON, finals))
    return state
