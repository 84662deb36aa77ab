"""The games of a league as they are here: whether their rules are those by which it began, and with which
code of their packages it plays.

Knows which games are installed; no journal.
"""

from collections.abc import Iterable

from arena.games import registry
from arena.league.entries import Board
from arena.system.errors import UserError


def require_same_rules(boards: Iterable[Board]) -> None:
    """Raises UserError where a board's game is not here, or is another one than it was: what was measured by
    one version of the rules says nothing of another."""
    for board in boards:
        game, package = registry.played(board.game, board.game_package)
        if reason := registry.other_package(board.game_package, package):
            raise UserError(f"{board.id}: a board of {game.id} {reason}")
        if game.rules != board.rules:
            raise UserError(
                f"{board.id}: a board of {game.id}, rules version {board.rules}; here is version "
                f"{game.rules}: install that one again, or begin another league by `arena league new`"
            )


def packages_of(boards: Iterable[Board]) -> dict[str, str]:
    """By game, the package whose code plays it here; not for the arena's own games. Raises UserError."""
    found = {board.game: registry.package_of(board.game) for board in boards}
    return {game: str(package) for game, package in found.items() if package is not None}
