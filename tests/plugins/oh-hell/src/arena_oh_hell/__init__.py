"""Oh Hell for the arena: `GAME` is what the entry point names."""

from typing import Final

from arena.games.api import Game
from arena_oh_hell.rules import OhHell

GAME: Final[Game] = OhHell()
