"""The registry of games, one line for each. To add a game takes a rules file beside this one, its line here,
its section of SPEC.md and its tests (docs/contributor.md).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from arena.games.david_and_goliath.rules import DavidAndGoliath
from arena.games.game import Game
from arena.games.ole.rules import Ole
from arena.games.sticheln.rules import AMIGO, NSV, Sticheln

_REGISTERED: Final[tuple[Game, ...]] = (
    Sticheln(NSV),
    Sticheln(AMIGO),
    DavidAndGoliath(),
    Ole(),
)

GAMES: Final[Mapping[str, Game]] = MappingProxyType({game.id: game for game in _REGISTERED})
