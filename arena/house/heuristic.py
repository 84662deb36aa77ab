"""Heuristic: does what people who know the game advise. As a program: `python -m arena.house.heuristic`."""

from arena.games.game import Game, View
from arena.house.advice import ADVICE
from arena.house.program import Think, sit_down
from protocol.messages import Hello, Reply, Request
from protocol.streams import Stream


def begin(game: Game, hello: Hello) -> Think:
    stream = Stream(f"arena1/heuristic/{hello.seed}")
    advise = ADVICE.get(game.id)

    def think(request: Request, view: View, read_at: float) -> Reply:
        if advise is None:
            return Reply(request.id, stream.choice(request.legal), "no advice for this game")
        # Advice is given on states, and looks at nothing in them that the view does not tell.
        return Reply(request.id, advise(game.imagine(view, stream), view.seat, request.legal))

    return think


if __name__ == "__main__":
    sit_down("heuristic", begin)
