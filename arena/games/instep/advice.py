"""Advice in step: what a game's advice.py says, for all deals of a batch at once. It uses the hand of the
seat in turn and what is public, and looks at no other hand, though the batch holds all."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from arena.games.david_and_goliath import advice_in_step as david_and_goliath
from arena.games.instep.batch import Indexes
from arena.games.ole import advice_in_step as ole
from arena.games.sticheln import advice_in_step as sticheln

AdviseInStep: TypeAlias = Callable[[Any], Indexes]
"""From a batch to the actions of the seats in turn; for a deal that is over it may be any."""

ADVICE_IN_STEP: Final[Mapping[str, AdviseInStep]] = {
    "sticheln": sticheln.advise,
    "sticheln-1993": sticheln.advise,
    "david-and-goliath": david_and_goliath.advise,
    "ole": ole.advise,
}
"""For games by id."""
