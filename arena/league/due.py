"""The entries that follow from the state of a league and the time, without anybody's decision: the league is
closed at its deadline, a version with too many faults is paused, a board gets its checkpoint, what it says
changes, the seed of a day is committed and revealed; at the end the finals begin, and the league is sealed.

Evaluated after every entry, so that an entry that a kill has prevented is written later. Pure.
"""

from collections.abc import Iterator, Mapping

from arena.league.carried import CURRENT, RESTING
from arena.league.days import SECONDS_A_DAY, commitment
from arena.league.entries import Checkpoint, Closed, Committed, Entry, Finals, Paused, Revealed, Sealed
from arena.league.entries.statements import statements_due
from arena.league.finals import finalists_due, seal_due
from arena.league.ids import HOUSE, author_of
from arena.league.state import LeagueState


def due(state: LeagueState, at: int, seeds: Mapping[int, str]) -> Iterator[Entry]:
    """The entries that are due at the time `at`. `seeds` is indexed by day."""
    if state.sealed:
        return
    today = max(at, state.at) // SECONDS_A_DAY
    for day in (today, today + 1):
        if day not in state.committed:
            yield Committed(day, commitment(seeds[day]))
    if (deadline := state.closes) and max(at, state.at) >= deadline.closes:
        yield Closed(deadline.reason, deadline.closes, deadline.finals)
        return
    busy = {draw.day for draw in state.in_flight.values()}
    for day in state.committed:
        if day < today and day not in state.revealed and day not in busy:
            yield Revealed(day, seeds[day])
    for version in state.versions.values():
        too_many = version.faults >= state.founded.faults and author_of(version.id) != HOUSE
        if too_many and version.status in (CURRENT, RESTING):
            yield Paused(version.id, f"{version.faults} faulty matches")
    # What a board says depends on its checkpoint, and the end on what it says.
    if checkpoints := [Checkpoint(board, strengths) for board, strengths in state.checkpoints_due()]:
        yield from checkpoints
        return
    if statements := list(statements_due(state)):
        yield from statements
        return
    if (finalists := finalists_due(state)) is not None:
        yield Finals(finalists)
    elif seal_due(state):
        if today in state.committed and today not in state.revealed:
            yield Revealed(today, seeds[today])
        yield Sealed(max(at, state.at))
