"""Models of players: how likely it is, given certain hands, that the other seats have decided as they did."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from arena.games.instep.decisions import Decisions
from arena.games.ole import likelihood as ole
from arena.games.sticheln import likelihood as sticheln

DecisionsOf: TypeAlias = Callable[[Any, Any], Decisions | None]
"""From a game and a view to what the other seats have decided in this deal; None where that is nothing."""

DECISIONS: Final[Mapping[str, DecisionsOf]] = {
    "sticheln": sticheln.decisions,
    "sticheln-1993": sticheln.decisions,
    "ole": ole.decisions,
}
"""For games by id. In other games all imagined deals are equally likely."""
