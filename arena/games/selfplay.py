"""Matches without processes, for search and learning: functions play each other as fast as the rules allow.

Knows no clock, no sandbox and no faults. An exception, also for an illegal action, ends the match.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from arena.games.agreed import SomeOptions, agreed
from arena.games.game import Action, Game
from protocol.outcome import Outcome
from protocol.streams import DealSource

Policy: TypeAlias = Callable[[Any, tuple[Action, ...]], Action]
"""Takes a view and the legal actions, and returns one of these. The view has the game's own class
(`game.views`), which may be the policy's annotation."""


def play(
    game: Game,
    policies: Sequence[Policy],
    key: str,
    deals: int | None = None,
    options: SomeOptions | None = None,
) -> Outcome:
    """Play one match with a policy for each seat. Returns points and gains deal by deal, and the placings.
    The same key deals the same cards. Raises IllegalAction; and ValueError if the game cannot be played with
    these seats, deals or options."""
    seats = len(policies)
    deals, settled = agreed(game, seats, deals, options)
    state, _ = game.start(seats, settled, deals, DealSource(key))
    while pending := state.pending:
        state, _ = state.apply(
            {seat: policies[seat](state.view(seat), state.legal(seat)) for seat in pending}
        )
    return state.tally()
