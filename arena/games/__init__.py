"""Games: what a game is, the arena's own games, and how the games of packages are found.

    game.py, events.py, tricks.py, imagining.py   what rules are made of; api.py is what packages may use
    extras.py                                     what a game may bring besides its rules
    sticheln/, david_and_goliath/, ole/           the arena's own games, each in the form that a package has
    registry.py, package.py, door.py              the games that can be played here
    instep/                                       what rules as arrays share

A new game of our own is a folder, and a line in _OWN (docs/contributor.md).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from arena.games import david_and_goliath, ole, sticheln
from arena.games.extras import Extras
from arena.games.game import Game

_OWN: Final[tuple[tuple[Game, Extras], ...]] = (
    *sticheln.EDITIONS,
    *david_and_goliath.EDITIONS,
    *ole.EDITIONS,
)

GAMES: Final[Mapping[str, Game]] = MappingProxyType({game.id: game for game, _ in _OWN})
EXTRAS: Final[Mapping[str, Extras]] = MappingProxyType({game.id: extras for game, extras in _OWN})
"""What the arena's own games bring besides their rules, by id."""
