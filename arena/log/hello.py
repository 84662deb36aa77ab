"""Builds the first line that a bot reads, from a job or from the first line of a log.

Knows the interface of games, no process and no file.
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
    """The `hello` to the bot named `entrant`, at `seat`. `options` holds all of the game's options as plain
    values. The bot's seed and the match id that it is shown are derived from `match_key`."""
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
