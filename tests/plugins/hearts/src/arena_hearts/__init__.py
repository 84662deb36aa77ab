"""Hearts for the arena. `GAME` is what the entry point names.

rules.py      states, actions and events
rules.md      the same in words, with the id of each ruling
batch.py      the rules in step, as numpy arrays
advice.py     what a player would do who knows the game
picture.py    what a screen shows
"""

from importlib import resources
from typing import Any, Final

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

    @property
    def batch(self) -> Any:
        """The rules in step. Loaded when they are asked for, since numpy takes 0.1 s."""
        from arena_hearts.batch import HeartsBatch  # noqa: PLC0415

        return HeartsBatch


GAME: Final[Game] = HeartsWithExtras()
