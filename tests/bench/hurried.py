"""`search` that takes so many milliseconds for a decision, whatever it is given: `hurried.py MS`."""

import gc
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import msgspec

from arena.games.game import Game, View
from arena.players.house import search
from arena.players.house.program import Think, play_matches
from protocol.messages import Hello, Limits, Reply, Request
from protocol.units import Ms

OWN = Ms(int(sys.argv.pop()))


def begin(game: Game, hello: Hello) -> Think:
    """The function that answers the requests of one match."""
    limits = Limits(decision_ms=OWN, bank_ms=Ms(0), start_ms=hello.limits.start_ms)
    think = search.begin(game, msgspec.structs.replace(hello, limits=limits))

    def hurried(request: Request, view: View, read_at: float) -> Reply:
        return think(msgspec.structs.replace(request, ms=OWN), view, read_at)

    return hurried


if __name__ == "__main__":
    gc.disable()
    play_matches("hurried", begin)
