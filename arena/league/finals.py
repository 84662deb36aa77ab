"""The end of a league, in three steps, each an entry: it is closed, and versions that arrived before are
still placed; finals begin, within the leading group of each board; it is sealed, and its results stand.

A final is a fixed number of comparisons on a board, spread evenly over the pairs of its leading group even if
their order is already settled. They count like all other comparisons. Pure.
"""

from collections.abc import Iterator
from math import comb
from typing import NamedTuple

from arena.league.drawing import next_final, wishes
from arena.league.groups import leading
from arena.league.ids import BoardId, VersionId
from arena.league.state import LeagueState


class ShortFinal(NamedTuple):
    """A final with fewer comparisons than its leading group has pairs."""

    board: BoardId
    versions: int
    pairs: int
    comparisons: int


def short_finals(state: LeagueState) -> Iterator[ShortFinal]:
    """The short ones among the finals that are due, as the boards stand now."""
    due = state.closed or state.closes
    if due is None or due.finals == 0 or state.sealed:
        return
    for board in state.boards:
        versions = len(leading(state, board))
        if due.finals < (pairs := comb(versions, 2)):
            yield ShortFinal(board, versions, pairs, due.finals)


def finalists_due(state: LeagueState) -> dict[BoardId, tuple[VersionId, ...]] | None:
    """The finalists of each board; None before all arrived versions are placed, and once finals have
    begun."""
    if state.closed is None or state.finals is not None or state.in_flight or any(state.waiting()):
        return None
    if any(wishes(state, board) or state.waits_for(board) for board in state.boards):
        return None
    return {board: leading(state, board) if state.closed.finals else () for board in state.boards}


def seal_due(state: LeagueState) -> bool:
    """Whether the finals have begun and nothing is left to be played."""
    if state.finals is None or state.sealed or state.in_flight or any(map(state.waits_for, state.boards)):
        return False
    return next_final(state) is None
