"""Advice: what people who know a game would do, one function per game. The heuristic bot plays by it, and the
search bot uses it in playouts.

Advice uses the hand of its seat and what is public. It looks at no other hand, though the state holds all.
The numbers at the top of each file were found by playing a hundred thousand deals between variants of them,
and with bots/careful.py. Knows no clock and no wire.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

from arena.games.game import Action
from arena.house.advice import david_and_goliath, ole, sticheln
from protocol.cards import Seat


class Advise(Protocol):
    """The action that `seat` is advised to choose among `legal`."""

    def __call__(self, state: Any, seat: Seat, legal: tuple[Action, ...]) -> Action: ...


ADVICE: Final[Mapping[str, Advise]] = MappingProxyType(
    {
        "sticheln": sticheln.advise,
        "sticheln-1993": sticheln.advise,
        "david-and-goliath": david_and_goliath.advise,
        "ole": ole.advise,
    }
)
"""By the game's id. In a game without advice the heuristic bot plays at random; the search bot searches with
random playouts."""

QUICK: Final[Mapping[str, Advise]] = MappingProxyType(
    {game: advise for game, advise in ADVICE.items() if game != "david-and-goliath"}
)
"""Advice that is fast enough for playouts. That for David & Goliath takes forty times as long as a random
card and is left out."""
