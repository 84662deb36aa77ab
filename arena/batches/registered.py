"""Which rules in step a game has. A game from a package may bring its own: `batch`, a class like `Batch`."""

from collections.abc import Mapping
from typing import Final

from arena.batches.batch import Batch
from arena.batches.david_and_goliath import DavidAndGoliathBatch
from arena.batches.ole import OleBatch
from arena.batches.plain import PlainBatch
from arena.batches.sticheln import StichelnBatch
from arena.games.david_and_goliath import DavidAndGoliath
from arena.games.game import Game, Options
from arena.games.ole import Ole
from arena.games.sticheln import Sticheln

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
