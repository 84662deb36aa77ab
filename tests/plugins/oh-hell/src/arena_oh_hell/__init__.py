"""Oh Hell for the arena. `GAME` is what the entry point names.

rules.py      states, actions and events
rules.md      the same in words, with the id of each ruling
advice.py     what a player would do who knows the game
picture.py    what a screen shows
"""

from importlib import resources
from typing import Final

from arena.games.api import Extras, Game, Luck
from arena_oh_hell.advice import advise
from arena_oh_hell.picture import paint
from arena_oh_hell.rules import BIDS, OhHell


class OhHellWithExtras(OhHell):
    """The rules, and what the game brings besides."""

    extras = Extras(
        rules=resources.files(__name__).joinpath("rules.md").read_text("utf-8"),
        picture=paint,
        advise=advise,
        luck=Luck(with_duplicates=1.8, without=4.1),
        words={bid: f"bid {bid}" for bid in BIDS},
    )


GAME: Final[Game] = OhHellWithExtras()
