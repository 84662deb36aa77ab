"""Advice: what people who know a game would do, one function per game. The heuristic bot plays by it, and the
search bot uses it in playouts.

Advice uses the hand of its seat and what is public. It looks at no other hand, though the state holds all.
The numbers at the top of each file were found by playing a hundred thousand deals between variants of them,
and with bots/careful.py. Knows no clock and no wire.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from arena.games import registry
from arena.games.david_and_goliath import advice as david_and_goliath
from arena.games.extras import Advise
from arena.games.game import Game
from arena.games.ole import advice as ole
from arena.games.sticheln import advice as sticheln

ADVICE: Final[Mapping[str, Advise]] = MappingProxyType(
    {
        "sticheln": sticheln.advise,
        "sticheln-1993": sticheln.advise,
        "david-and-goliath": david_and_goliath.advise,
        "ole": ole.advise,
    }
)
"""For the arena's own games, by id. Other games bring theirs."""

SLOW: Final = ("david-and-goliath",)
"""Games whose advice is too slow for playouts. That for David & Goliath takes forty times as long as a random
card."""


def advice_for(game: Game) -> Advise | None:
    """The advice for a game; None where there is none: then the heuristic bot plays at random, and the search
    bot searches with random playouts."""
    return ADVICE.get(game.id) or registry.extras(game).advise


def quick_advice_for(game: Game) -> Advise | None:
    """The advice, if it is fast enough for playouts; else None."""
    quick = game.id not in SLOW and registry.extras(game).quick_advice
    return advice_for(game) if quick else None
