"""What replaces a game in a pickled copy: its id, if the registry has that very game. So a copy in another
process plays the game that is installed there. Knows the registry.
"""

from arena.games import registry
from arena.games.game import Game


def named(game: Game) -> Game | str:
    """The id of an installed game; any other game itself."""
    return game.id if registry.is_known(game.id) and registry.game(game.id) is game else game


def of_name(game: Game | str) -> Game:
    """The game that `named` replaced. Raises UserError if it is not installed here."""
    return registry.game(game) if isinstance(game, str) else game
