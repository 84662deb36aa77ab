"""What people who know a game would do, as one function a game: the house's heuristic bot plays by it, and
its search bot plays out by it what it imagines.

Advice is for a seat that sees what its view holds: it looks at that seat's hand and at what is public, and
at no other hand, though a state would show it. The numbers at the top of each file were found by playing: a
hundred thousand deals between variants of them, and bots/careful.py as a guest.
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
"""By game. Without advice, the heuristic bot plays at random, and the other searches all the same."""

QUICK: Final[Mapping[str, Advise]] = MappingProxyType(
    {game: advise for game, advise in ADVICE.items() if game != "david-and-goliath"}
)
"""Advice that is worth its time in playouts. That for David & Goliath is not: it takes forty times as long as
a card at random."""
