"""What needs no bot: the rules, imagining, pairing, standings; and how fast the command starts."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from arena.games import GAMES
from protocol.streams import DealSource, Stream, pairing_stream
from tests.bench.figures import SEATS, Figures, interleaved, show
from tests.bench.rules import deals_per_second
from tournaments.pairing import first_pods, next_pods
from tournaments.results import MatchResult
from tournaments.standings import standings

ENTRANTS = 1024


def imaginings_per_second(game_id: str, seconds: float) -> float:
    """From the middle of a deal."""
    game = GAMES[game_id]
    state, _ = game.start(SEATS, game.options(), SEATS, DealSource("bench"))
    for _ in range(len(game.deck(SEATS)) // 2):
        state, _ = state.apply({seat: state.legal(seat)[0] for seat in state.pending})
    view, stream = state.view(next(iter(state.pending))), Stream("bench")
    made, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        game.imagine(view, stream)
        made += 1
    return made / spent


def timed(what: Callable[[], object]) -> Figures:
    """ms of wall clock."""
    begun = time.perf_counter()
    what()
    return ((time.perf_counter() - begun) * 1e3,)


def command(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "arena", *words], capture_output=True, check=True)


def results(names: Sequence[str]) -> list[MatchResult]:
    """Three rounds of one-deal matches at random."""
    stream = Stream("bench/results")
    found = []
    for round_no in (1, 2, 3):
        for pod_no, at in enumerate(range(0, len(names), SEATS), 1):
            gains = tuple(stream.below(40) for _ in range(SEATS))
            placings = tuple(1 + sum(other > gain for other in gains) for gain in gains)
            pod = tuple(names[(at + seat * round_no) % len(names)] for seat in range(SEATS))
            found.append(MatchResult(round_no, pod_no, 1, pod, (gains,), placings, ()))
    return found


def print_all(runs: int, scale: float, folder: Path) -> None:
    count = max(64, round(ENTRANTS * scale) // SEATS * SEATS)
    names = [f"bot-{number:04}" for number in range(count)]
    stream = pairing_stream("7", 1)
    played = results(names)
    scores = {name: at % 19 for at, name in enumerate(names)}
    ways: dict[str, Callable[[], Figures]] = {
        "arena --version": lambda: timed(lambda: command("--version")),
        "arena tournament --help": lambda: timed(lambda: command("tournament", "--help")),
        f"first round of {count}": lambda: timed(lambda: first_pods(names, SEATS, stream)),
        f"a later round of {count}": lambda: timed(lambda: next_pods(names, SEATS, stream, scores, {})),
        f"standings of {count} after three": lambda: timed(lambda: standings(played, names)),
    }
    show("without bots", ["ms"], interleaved(ways, runs))
    rates = {
        game.id: lambda game=game: (  # type: ignore[misc]
            deals_per_second(game, SEATS, seconds=0.3 * scale),
            imaginings_per_second(game.id, 0.3 * scale),
        )
        for game in GAMES.values()
    }
    show("rules, four seats, one core", ["random deals/s", "imagined/s"], interleaved(rates, 1), (0, 0))
