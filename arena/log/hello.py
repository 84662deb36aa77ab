"""The first line that a bot reads, put together from what settles a match: a job, or the first line of a log.

Knows games through their interface; no process, no file.
"""

from collections.abc import Mapping
from typing import Any

from arena.games.game import Game
from protocol.messages import PROTOCOL, Hello, Limits
from protocol.streams import bot_seed, derive


def hello(
    game: Game,
    options: Mapping[str, Any],
    *,
    seats: int,
    seat: int,
    deals: int,
    limits: Limits,
    match_key: str,
    entrant: str,
) -> Hello:
    """What is said to `entrant`, who has `seat`. `options` are all of the game's, as plain values."""
    return Hello(
        protocol=PROTOCOL,
        game=game.id,
        options=dict(options),
        seats=seats,
        seat=seat,
        deals=deals,
        deck=game.deck(seats),
        suits=dict(game.suits(seats)),
        limits=limits,
        seed=bot_seed(match_key, entrant),
        match=derive(match_key, "match")[:16],
    )
