"""The main loop of the house's programs: they speak the wire like any other bot, and get views as the game's
own structs. Knows no strategy."""

import os
import sys
import time
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from arena import registry
from arena.games.game import Game, View
from arena.registry.package import SEARCH_PATH
from protocol.codec import decode_from_referee, encode
from protocol.messages import Hello, Ready, Reply, Request

Think: TypeAlias = Callable[[Request, View, float], Reply]
"""From a request, its view, and the time at which it was read (`time.perf_counter`), to the reply."""


def play_matches(name: str, begin: Callable[[Game, Hello], Think]) -> None:
    """Play all matches that standard input brings. Arguments of the program are SEARCH_PATH with the folders
    in which the package of a game is found, since a bot has an environment of its own. `begin` is called at
    each hello and returns the function that answers the requests."""
    for word in sys.argv[1:]:
        sys.path += word.removeprefix(SEARCH_PATH).split(os.pathsep)
    think: Think | None = None
    for line in sys.stdin.buffer:
        read_at = time.perf_counter()
        message = decode_from_referee(line)
        if isinstance(message, Hello):
            game = registry.game(message.game)
            think = begin(game, message)
            say(Ready(name, version="1", language="Python"))
        elif isinstance(message, Request):
            assert think is not None, "a request before hello"
            say(think(message, msgspec.convert(message.view, game.views), read_at))


def say(message: Ready | Reply) -> None:
    """Send a message to the referee at once."""
    sys.stdout.buffer.write(encode(message))
    sys.stdout.buffer.flush()
