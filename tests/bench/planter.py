"""`search`, but one of twenty decisions with a choice is an error on purpose: a random other action. Its note
says `planted` then."""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from arena.games.game import Game, View
from arena.players.house import search
from arena.players.house.program import Think, play_matches
from protocol.messages import Hello, Reply, Request

SHARE = 1 / 20


def begin(game: Game, hello: Hello) -> Think:
    """The function that answers the requests of one match."""
    think, chance = search.begin(game, hello), random.Random(hello.seed)

    def planted(request: Request, view: View, read_at: float) -> Reply:
        reply = think(request, view, read_at)
        if len(request.legal) == 1 or chance.random() >= SHARE:
            return reply
        others = [action for action in request.legal if action != reply.action]
        return Reply(request.id, chance.choice(others), "planted")

    return planted


if __name__ == "__main__":
    play_matches("planter", begin)
