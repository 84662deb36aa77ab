"""heuristic: follows the advice of the game. Run it by `python -m arena.players.house.heuristic`.

Knows no clock.
"""

from arena.games.game import Game, View
from arena.games.registry import extras
from arena.players.house.program import Think, play_matches
from protocol.messages import Hello, Reply, Request
from protocol.streams import Stream


def begin(game: Game, hello: Hello) -> Think:
    """The function that answers the requests of one match."""
    stream = Stream(f"arena1/heuristic/{hello.seed}")
    advise = extras(game).advise

    def think(request: Request, view: View, read_at: float) -> Reply:
        if advise is None:
            return Reply(request.id, stream.choice(request.legal), "no advice for this game")
        # Advice takes a state, so one is imagined; it uses only what the view determines.
        return Reply(request.id, advise(game.imagine(view, stream), view.seat, request.legal))

    return think


if __name__ == "__main__":
    play_matches("heuristic", begin)
