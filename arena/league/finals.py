"""The end of a league, in three steps, each an entry: it is closed, and whoever came in before that is still
placed; finals begin, between the leading groups; it is sealed, and nothing happens to it any more.

A final is a stated number of comparisons on a board, which the pairs of its leading group share evenly,
whatever is settled. They count like all others. Pure.
"""

from arena.league.drawing import next_final, wishes
from arena.league.groups import leading
from arena.league.ids import BoardId, VersionId
from arena.league.state import LeagueState


def finalists_due(state: LeagueState) -> dict[BoardId, tuple[VersionId, ...]] | None:
    """The finalists of each board, once all who came in before the end have been placed; None before."""
    if state.closed is None or state.finals is not None or state.in_flight or any(state.waiting()):
        return None
    if any(wishes(state, board) or state.waits_for(board) for board in state.boards):
        return None
    return {board: leading(state, board) if state.closed.finals else () for board in state.boards}


def seal_due(state: LeagueState) -> bool:
    """Whether nothing is left to be played."""
    if state.finals is None or state.sealed or state.in_flight or any(map(state.waits_for, state.boards)):
        return False
    return next_final(state) is None
