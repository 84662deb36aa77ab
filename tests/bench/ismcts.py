"""OpenSpiel's ISMCTS as a bot that plays Hearts over the wire: `ismcts.py MS`. It needs OpenSpiel (the extra
`oracles`) and the package in tests/plugins/hearts.

Cards are passed as our advice for Hearts says. In the tricks a deal that the view allows is dealt and played
again in OpenSpiel, whose search then takes its place; it imagines hidden hands itself. As many simulations
as take about MS milliseconds.
"""

import importlib
import random
import sys
import time
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[2]))

from arena_hearts.advice import advise
from arena_hearts.rules import HeartsView

from arena.games.game import Action, Game, clockwise
from arena.players.house.program import Think, play_matches
from protocol.messages import Hello, Reply, Request
from protocol.streams import Stream

pyspiel: Any = importlib.import_module("pyspiel")
SECONDS: Final = int(sys.argv.pop()) / 1000
FIRST: Final = 500
"""Simulations of the first decision, by which the pace is learnt."""
SUITS: Final = "CDHS"
CARDS: Final = [f"{letter}{rank}" for rank in range(2, 15) for letter in SUITS]
"""As OpenSpiel numbers them."""
NOBODY_PASSES: Final = 0
"""The first move of chance: in which direction cards are passed. They have been passed already."""


def begin(game: Game, hello: Hello) -> Think:
    """The function that answers the requests of one match."""
    stream, seed = Stream(f"ismcts/{hello.seed}"), random.Random(hello.seed)
    pace = float(FIRST)

    def think(request: Request, view: Any, read_at: float) -> Reply:
        nonlocal pace
        state = game.imagine(view, stream)
        if request.decision != "play" or len(request.legal) == 1:
            return Reply(request.id, advise(state, view.seat, request.legal))
        bot = pyspiel.ISMCTSBot(
            seed.getrandbits(31),
            pyspiel.RandomRolloutEvaluator(1, seed.getrandbits(31)),
            2.0,
            max(1, int(pace)),
            -1,
            pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
            False,
            False,
        )
        action = CARDS[bot.step(_as_theirs(view, state.hands))]
        taken = time.perf_counter() - read_at
        note = f"{int(pace)} simulations in {taken * 1000:.0f} ms"
        pace = min(20_000, pace * min(4.0, SECONDS / taken))
        return Reply(request.id, action, note)

    return think


def _as_theirs(view: HeartsView, hands: Any) -> Any:
    """The position as OpenSpiel has it, if the hidden hands are these."""
    game = pyspiel.load_game(
        "hearts",
        {
            "qs_breaks_hearts": view.queen_breaks,
            "no_pts_on_first_trick": not view.bloody,
        },
    )
    played: list[tuple[int, Action]] = [
        (clockwise(trick.leader, at, view.seats), card)
        for trick in view.tricks
        for at, card in enumerate(trick.cards)
    ]
    played += [(clockwise(view.leader, at, view.seats), card) for at, card in enumerate(view.trick)]
    dealt = [[*hand, *(card for seat, card in played if seat == at)] for at, hand in enumerate(hands)]
    state = game.new_initial_state()
    state.apply_action(NOBODY_PASSES)
    for cards in zip(*dealt, strict=True):
        for card in cards:
            state.apply_action(CARDS.index(card))
    for seat, card in played:
        assert state.current_player() == seat
        state.apply_action(CARDS.index(card))
    return state


if __name__ == "__main__":
    play_matches("ismcts", begin)
