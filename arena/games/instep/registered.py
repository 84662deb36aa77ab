"""Which games have rules in step, and advice and models of players as arrays. A game from a package may bring
its own rules in step: `batch`, a subclass of `Batch`."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from arena.games.david_and_goliath import advice_in_step as david_and_goliath_advice
from arena.games.david_and_goliath.batch import DavidAndGoliathBatch
from arena.games.game import Game, Options
from arena.games.instep.batch import Batch, Indexes
from arena.games.instep.decisions import Decisions
from arena.games.instep.plain import PlainBatch
from arena.games.ole import advice_in_step as ole_advice
from arena.games.ole import likelihood as ole_likelihood
from arena.games.ole.batch import OleBatch
from arena.games.sticheln import advice_in_step as sticheln_advice
from arena.games.sticheln import likelihood as sticheln_likelihood
from arena.games.sticheln.batch import StichelnBatch

AdviseInStep: TypeAlias = Callable[[Any], Indexes]
"""From a batch to the actions of the seats in turn, any for a deal that is over. It may use only the hand of
the seat in turn and what is public, though the batch has all hands."""

DecisionsOf: TypeAlias = Callable[[Any, Any], Decisions | None]
"""From a game and a view to the others' decisions in this deal, with a model of players; None if none."""


class InStep(NamedTuple):
    """What a game has as arrays."""

    batch: type[Batch] = PlainBatch
    advise: AdviseInStep | None = None
    decisions: DecisionsOf | None = None
    """None: all imagined deals are equally likely."""


_STICHELN: Final = InStep(StichelnBatch, sticheln_advice.advise, sticheln_likelihood.decisions)
IN_STEP: Final[Mapping[str, InStep]] = {
    "sticheln": _STICHELN,
    "sticheln-1993": _STICHELN,
    "david-and-goliath": InStep(DavidAndGoliathBatch, david_and_goliath_advice.advise),
    "ole": InStep(OleBatch, ole_advice.advise, ole_likelihood.decisions),
}
"""For the arena's own games, by id."""


def in_step(game: Game) -> InStep:
    """What a game has as arrays, also a game of a package."""
    if own := getattr(game, "batch", None):
        return InStep(own)
    return IN_STEP.get(game.id, InStep())


def batch_for(game: Game, options: Options | None = None) -> type[Batch]:
    """The game's rules in step; PlainBatch without them, or if play decides the number of deals."""
    return PlainBatch if options is not None and options.open_ended else in_step(game).batch
