"""Which rules in step a game has. A game from a package may bring its own: `batch`, a class like `Batch`."""

from collections.abc import Mapping
from typing import Final

from arena.games.david_and_goliath.batch import DavidAndGoliathBatch
from arena.games.david_and_goliath.rules import DavidAndGoliath
from arena.games.game import Game, Options
from arena.games.instep.batch import Batch
from arena.games.instep.plain import PlainBatch
from arena.games.ole.batch import OleBatch
from arena.games.ole.rules import Ole
from arena.games.sticheln.batch import StichelnBatch
from arena.games.sticheln.rules import Sticheln

BUILT_IN: Final[Mapping[type, type[Batch]]] = {
    Sticheln: StichelnBatch,
    DavidAndGoliath: DavidAndGoliathBatch,
    Ole: OleBatch,
}


def batch_for(game: Game, options: Options | None = None) -> type[Batch]:
    """The game's rules in step; PlainBatch if it has none, or if with these options play decides how many
    deals a match has."""
    if options is not None and options.open_ended:
        return PlainBatch
    own: type[Batch] = getattr(game, "batch", BUILT_IN.get(type(game), PlainBatch))
    return own
