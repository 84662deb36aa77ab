"""The order of a board, and which versions are demonstrably ahead of which. Pure."""

from collections.abc import Mapping

from arena.league.carried import CURRENT
from arena.league.ids import HOUSE, BoardId, VersionId, author_of
from arena.league.state import LeagueState
from tournaments.eprocess import is_ahead, is_behind
from tournaments.strength import Strength


def in_order(state: LeagueState, board: BoardId) -> dict[VersionId, Strength | None]:
    """The versions of a board with their strengths: the strongest first, then those whose strength has no
    interval yet, then those without a strength."""
    ranked = state.ranked(board)
    strengths = state.numbers[board].strengths(ranked)
    sure = with_places(strengths, state.panels[board].zero)
    by_strength = sorted(
        (version for version in ranked if version in strengths),
        key=lambda version: (version not in sure, -strengths[version].strength),
    )
    without = (version for version in ranked if version not in strengths)
    return {version: strengths.get(version) for version in (*by_strength, *without)}


def with_places(found: Mapping[VersionId, Strength | None], zero: VersionId) -> frozenset[VersionId]:
    """The versions that have a rank: those whose strength has an interval. The zero, 0 by definition, counts
    only if another version has one."""
    sure = frozenset(version for version, one in found.items() if one and one.low is not None)
    return sure if sure - {zero} else frozenset()


def ahead(state: LeagueState, board: BoardId, one: VersionId, other: VersionId) -> bool:
    """Whether `one` is demonstrably ahead of `other`, at the league's error probability α."""
    versus, alpha = state.numbers[board].versus, state.founded.alpha
    if (one, other) in versus:
        return is_ahead(versus[one, other], alpha)
    if (other, one) in versus:
        return is_behind(versus[other, one], alpha)
    return False


def leading(state: LeagueState, board: BoardId) -> tuple[VersionId, ...]:
    """The current versions of authors, not anchors, in the first group that has any, the strongest first. A
    group ends where a version is ahead of the next one."""
    group: list[VersionId] = []
    before: VersionId | None = None
    order = in_order(state, board)
    sure = with_places(order, state.panels[board].zero)
    for version in order:
        if version not in sure or (group and before is not None and ahead(state, board, before, version)):
            break
        if author_of(version) != HOUSE and state.versions[version].status == CURRENT:
            group.append(version)
        before = version
    return tuple(group)
