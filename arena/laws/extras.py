"""Laws of what a game brings besides its rules: its picture and its advice."""

from collections.abc import Iterator
from typing import Final

from arena.games import registry
from arena.laws.trial import Broken, Trial
from protocol.streams import Stream

Breaches = Iterator[Broken]

ONLY: Final = "advice may use its own hand and what the view shows; no other hand, no stock, no chance"


def the_picture_can_be_drawn(trial: Trial) -> Breaches:
    """Every view has a picture, with a row for each seat and a cell for each heading."""
    names = tuple(f"bot {seat}" for seat in trial.seats)
    for i, state in enumerate(trial.record.states):
        for seat in trial.seats:
            try:
                registry.painted(trial.variant.game, state.view(seat), names)
            except ValueError as error:
                found = f"the picture for seat {seat} cannot be drawn: {error}"
                yield trial.broken(i, found, "see Picture in arena.games.api")


def advice_uses_nothing_hidden(trial: Trial) -> Breaches:
    """Advice is legal, and the same in all states that look the same to the seat."""
    game, stream = trial.variant.game, Stream("advice")
    advise = registry.extras(game).advise
    if advise is None:
        return
    for i, state in enumerate(trial.record.states):
        for seat in state.pending:
            legal = state.legal(seat)
            advised = advise(state, seat, legal)
            if advised not in legal:
                found = f"seat {seat} is advised {advised!r}, which is not legal"
                yield trial.broken(i, found, "choose from `legal`")
                continue
            other = advise(game.imagine(state.view(seat), stream), seat, legal)
            if other != advised:
                found = f"seat {seat} is advised {advised}, but {other} in another state with the same view"
                yield trial.broken(i, found, ONLY)
