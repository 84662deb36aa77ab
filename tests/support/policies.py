"""Who plays in races: the advice, or chance."""

import random
from collections.abc import Callable

from arena.games import EXTRAS
from arena.games.game import Action, Game, State
from arena.games.instep.registered import IN_STEP
from arena.players.house import playouts


def policy(game: Game) -> Callable[[State, int, tuple[Action, ...]], Action]:
    if game.id in IN_STEP and game.id not in playouts.AT_RANDOM:
        return EXTRAS[game.id].advise
    chance = random.Random(1)
    return lambda state, seat, legal: chance.choice(legal)
