"""The order of a board, and what may be said of it: who is ahead of whom. Pure."""

from arena.league.carried import CURRENT
from arena.league.ids import HOUSE, BoardId, VersionId, author_of
from arena.league.state import State
from tournaments.eprocess import is_ahead, is_behind
from tournaments.strength import Strength


def in_order(state: State, board: BoardId) -> dict[VersionId, Strength | None]:
    """The versions of a board with their strengths, the strongest first; then those whose strength has no
    interval yet and may be anything, and those without one."""
    ranked = state.ranked(board)
    found = state.numbers[board].strengths(ranked)
    placed = sorted(
        (version for version in ranked if version in found),
        key=lambda one: (found[one].low is None, -found[one].strength),
    )
    return {
        version: found.get(version) for version in (*placed, *(one for one in ranked if one not in found))
    }


def ahead(state: State, board: BoardId, one: VersionId, other: VersionId) -> bool:
    """Whether the one version is said to be ahead of the other."""
    versus, alpha = state.numbers[board].versus, state.founded.alpha
    if (one, other) in versus:
        return is_ahead(versus[one, other], alpha)
    if (other, one) in versus:
        return is_behind(versus[other, one], alpha)
    return False


def leading(state: State, board: BoardId) -> tuple[VersionId, ...]:
    """The current versions of authors in the first group that holds any, the strongest first. A group ends
    where a version is said to be ahead of the next one."""
    found: list[VersionId] = []
    before: VersionId | None = None
    for version, strength in in_order(state, board).items():
        sure = strength is not None and strength.low is not None
        if not sure or (found and before is not None and ahead(state, board, before, version)):
            break
        if author_of(version) != HOUSE and state.versions[version].status == CURRENT:
            found.append(version)
        before = version
    return tuple(found)
