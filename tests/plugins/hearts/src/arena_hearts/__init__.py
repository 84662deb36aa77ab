"""Hearts for the arena: `GAME` is what the entry point names."""

from typing import Final

from arena.games.api import Game
from arena_hearts.rules import Hearts

GAME: Final[Game] = Hearts()
