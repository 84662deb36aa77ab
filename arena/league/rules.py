"""The installed games of a league: whether their rules are those with which it began, and which packages'
code it plays.

Knows which games are installed, no journal.
"""

from collections.abc import Iterable

from arena.games import registry
from arena.league.entries import Board
from arena.system.errors import UserError


def require_same_rules(boards: Iterable[Board]) -> None:
    """Raises UserError if a board's game is not installed, or has changed since the board began: results by
    one version of the rules say nothing about another."""
    for board in boards:
        game, difference = registry.played(board.game, board.game_package, board.rules)
        if difference:
            raise UserError(
                f"{board.id}: a board of {game.id}, {difference}: install the one with which it began, or "
                "begin a new league with `arena league new`"
            )


def packages_of(boards: Iterable[Board]) -> dict[str, str]:
    """The installed package of each game that comes from one. Raises UserError."""
    packages = {board.game: registry.package_of(board.game) for board in boards}
    return {game: str(package) for game, package in packages.items() if package is not None}
