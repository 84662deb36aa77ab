"""The order of a board, and which versions are demonstrably ahead of which. Pure."""

from collections.abc import Mapping

from arena.league.carried import CURRENT
from arena.league.ids import HOUSE, BoardId, VersionId, author_of
from arena.league.state import LeagueState
from arena.league.statements import Pair
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
    """Whether the board says that `one` is ahead of `other`."""
    return state.numbers[board].statements.ahead(one, other)


def by_first_rule(state: LeagueState, board: BoardId) -> list[Pair]:
    """What a board said by the first rule of statements, for ever."""
    versus, alpha = state.numbers[board].versus, state.founded.alpha
    return [
        *(pair for pair, known in versus.items() if is_ahead(known, alpha)),
        *(pair[::-1] for pair, known in versus.items() if is_behind(known, alpha)),
    ]


def leading(state: LeagueState, board: BoardId) -> tuple[VersionId, ...]:
    """The current versions of authors, not anchors, of which none is certainly ahead of the version, the
    strongest first."""
    order = in_order(state, board)
    sure = with_places(order, state.panels[board].zero)
    certain = state.numbers[board].statements.certain
    own = [
        version
        for version in order
        if version in sure and author_of(version) != HOUSE and state.versions[version].status == CURRENT
    ]
    return tuple(version for version in own if not any((other, version) in certain for other in own))
