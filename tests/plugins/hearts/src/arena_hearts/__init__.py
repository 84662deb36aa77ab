"""Hearts for the arena. `GAME` is what the entry point names.

rules.py      states, actions and events
rules.md      the same in words, with the id of each ruling
advice.py     what a player would do who knows the game
picture.py    what a screen shows
"""

from importlib import resources
from typing import Final

from arena.games.api import Extras, Game, Luck
from arena_hearts.advice import advise
from arena_hearts.picture import paint
from arena_hearts.rules import Hearts


class HeartsWithExtras(Hearts):
    """The rules, and what the game brings besides."""

    extras = Extras(
        rules=resources.files(__name__).joinpath("rules.md").read_text("utf-8"),
        picture=paint,
        advise=advise,
        luck=Luck(with_duplicates=3.5, without=8.8),
    )


GAME: Final[Game] = HeartsWithExtras()
