"""What the house's own programs share: they speak the wire like any other bot, and are handed views as the
game's own structs."""

import sys
import time
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from arena.games import GAMES
from arena.games.game import Game, View
from protocol.codec import decode_from_referee, encode
from protocol.messages import Hello, Ready, Reply, Request

Think: TypeAlias = Callable[[Request, View, float], Reply]
"""From a request, with its view, and when it was read (`time.perf_counter`), to the reply."""


def sit_down(name: str, begin: Callable[[Game, Hello], Think]) -> None:
    """Play all matches that come along standard input; `begin` is called at each hello."""
    think: Think | None = None
    for line in sys.stdin.buffer:
        read_at = time.perf_counter()
        message = decode_from_referee(line)
        if isinstance(message, Hello):
            game = GAMES[message.game]
            think = begin(game, message)
            say(Ready(name, version="1", language="Python"))
        elif isinstance(message, Request):
            assert think is not None, "a request before hello"
            say(think(message, msgspec.convert(message.view, game.views), read_at))


def say(message: Ready | Reply) -> None:
    sys.stdout.buffer.write(encode(message))
    sys.stdout.buffer.flush()
