"""The order of a board, and what may be said of it: who is ahead of whom. Pure."""

from collections.abc import Mapping

from arena.league.carried import CURRENT
from arena.league.ids import HOUSE, BoardId, VersionId, author_of
from arena.league.state import LeagueState
from tournaments.eprocess import is_ahead, is_behind
from tournaments.strength import Strength


def in_order(state: LeagueState, board: BoardId) -> dict[VersionId, Strength | None]:
    """The versions of a board with their strengths, the strongest first; then those whose strength has no
    interval yet and may be anything, and those without one."""
    ranked = state.ranked(board)
    found = state.numbers[board].strengths(ranked)
    sure = with_places(found, state.panels[board].zero)
    by_strength = sorted(
        (version for version in ranked if version in found),
        key=lambda one: (one not in sure, -found[one].strength),
    )
    return {
        version: found.get(version)
        for version in (*by_strength, *(one for one in ranked if one not in found))
    }


def with_places(found: Mapping[VersionId, Strength | None], zero: VersionId) -> frozenset[VersionId]:
    """The versions that have a place: those whose strength has an interval, and the zero, which is 0 by
    definition, beside another one."""
    sure = frozenset(version for version, one in found.items() if one and one.low is not None)
    return sure if sure - {zero} else frozenset()


def ahead(state: LeagueState, board: BoardId, one: VersionId, other: VersionId) -> bool:
    """Whether the one version is said to be ahead of the other."""
    versus, alpha = state.numbers[board].versus, state.founded.alpha
    if (one, other) in versus:
        return is_ahead(versus[one, other], alpha)
    if (other, one) in versus:
        return is_behind(versus[other, one], alpha)
    return False


def leading(state: LeagueState, board: BoardId) -> tuple[VersionId, ...]:
    """The current versions of authors in the first group that holds any, the strongest first. A group ends
    where a version is said to be ahead of the next one."""
    found: list[VersionId] = []
    before: VersionId | None = None
    order = in_order(state, board)
    sure = with_places(order, state.panels[board].zero)
    for version in order:
        if version not in sure or (found and before is not None and ahead(state, board, before, version)):
            break
        if author_of(version) != HOUSE and state.versions[version].status == CURRENT:
            found.append(version)
        before = version
    return tuple(found)
