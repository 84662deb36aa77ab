"""Programs against copies of themselves, in a tournament on values."""

import functools
from collections.abc import Mapping

import msgspec

from arena.games import EXTRAS, GAMES
from protocol.outcome import best_first, totals
from protocol.streams import DealSource, Stream, pod_key, seating_labels
from tests.realplay.bank import play_out
from tests.realplay.resampled import SWISS
from tests.realplay.versions import VERSIONS, Policy
from tournaments.formats import Field
from tournaments.results import MatchResult, Pod
from tournaments.seatings import seatings

GAME = "sticheln"


DEALS = 60


MOST_ROUNDS = 6


def heuristic() -> Policy:
    """As arena/players/house/heuristic.py: advice is given on states, of which it sees what the view
    tells."""
    game, advise, stream = GAMES[GAME], EXTRAS[GAME].advise, Stream("twins")
    return lambda decision, view, legal: advise(game.imagine(view, stream), view.seat, tuple(legal))


POLICIES: Mapping[str, Policy] = {
    "a": VERSIONS["careful"](GAME, ""),
    "b": VERSIONS["careful"](GAME, ""),
    "greedy": VERSIONS["greedy"](GAME, ""),
    "heuristic": heuristic(),
}


@functools.cache
def tournament(seed: str, rounds: int) -> Field:
    """Nobody can be drawn against anybody else, so each of its rounds is one more on the same field."""
    if not rounds:
        return Field(tuple(POLICIES), len(POLICIES), MOST_ROUNDS, seed, (), ())
    field = tournament(seed, rounds - 1)
    pods = SWISS.draw(field)
    assert pods is not None
    results = field.results + played(pods[0], pod_key(seed, rounds, 1), rounds)
    return msgspec.structs.replace(field, drawn=(*field.drawn, pods), results=results)


def played(pod: Pod, key: str, round_no: int) -> tuple[MatchResult, ...]:
    """A pod's matches, on the cards that this key deals."""
    game = GAMES[GAME]
    results = []
    for seating_no, order in enumerate(seatings(pod, seating_labels(key, len(pod))), start=1):
        start = game.start(len(pod), game.options(), DEALS, DealSource(key)).state
        gains = play_out(start, [POLICIES[name] for name in order])
        placings = best_first(totals(gains, len(pod)))
        results.append(MatchResult(round_no, 1, seating_no, order, gains, placings, ()))
    return tuple(results)
