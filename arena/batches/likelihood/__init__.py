"""Models of players: how likely it is, given certain hands, that the other seats have decided as they did."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from arena.batches.likelihood import ole, sticheln
from arena.batches.likelihood.decisions import Decisions

DecisionsOf: TypeAlias = Callable[[Any, Any], Decisions | None]
"""From a game and a view to what the other seats have decided in this deal; None where that is nothing."""

DECISIONS: Final[Mapping[str, DecisionsOf]] = {
    "sticheln": sticheln.decisions,
    "sticheln-1993": sticheln.decisions,
    "ole": ole.decisions,
}
"""For games by id. In other games all imagined deals are equally likely."""
