"""The law that the arena's own bots can play a game: they decide here as in a match, but with as few playouts
as possible.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import msgspec

from arena.games.game import Action, View
from arena.laws.trial import Broken, Trial, raised
from arena.players.house import heuristic, search
from arena.players.house.program import FAILURES, Think, failure
from protocol.cards import Seat
from protocol.messages import PROTOCOL, Hello, Limits, Request
from protocol.units import Ms

WORLDS: Final = 2
"""The number of imagined deals in each of two rounds of a race."""
HURRIED: Final = Limits(decision_ms=Ms(0), bank_ms=Ms(0))
"""Without any time, `search` makes one playout."""

Chooser: TypeAlias = Callable[[Request, View], Action]


def builtin_bots_can_play(trial: Trial) -> Iterator[Broken]:
    """The arena's own bots, `heuristic` and `search`, reach a legal choice in every kind of situation."""
    for name, make in MAKERS.items():
        choose: Chooser | None = None
        for i, seat in situations(trial):
            state = trial.record.states[i]
            legal = state.legal(seat)
            request = Request(i + 1, state.pending[seat], legal, [], None, Ms(0))
            view = msgspec.convert(msgspec.to_builtins(state.view(seat)), trial.variant.game.views)
            try:
                choose = choose or make(trial, seat)
                action = choose(request, view)
            except FAILURES as error:
                found = f"{name} fails at {state.pending[seat]!r} of seat {seat}: {failure(error)}"
                in_game = raised(error, trial.variant.game, trial.where(i))
                if in_game.trace:
                    yield msgspec.structs.replace(in_game, found=found)
                else:
                    yield trial.broken(i, found, REPORT)
                break
            if action not in legal:
                found = f"{name} chooses {action!r} for seat {seat}, which is not legal"
                yield trial.broken(i, found, REPORT)
                break


REPORT: Final = "a bug in the arena: report it with this game; `arena check --game` reproduces it"


def situations(trial: Trial) -> list[tuple[int, Seat]]:
    """The first and the last situation of each kind in the match, each with the first seat that decides.
    Kinds differ by the decision, by whether other seats decide too, and by whether there is a choice and a
    hand."""
    first: dict[tuple[object, ...], tuple[int, Seat]] = {}
    last: dict[tuple[object, ...], tuple[int, Seat]] = {}
    for i, (state, _, _) in enumerate(trial.record.moments):
        seat, decision = next(iter(state.pending.items()))
        alone, choice = len(state.pending) == 1, len(state.legal(seat)) > 1
        kind = (decision, alone, choice, bool(state.hands[seat]))
        first.setdefault(kind, (i, seat))
        last[kind] = (i, seat)
    return sorted({*first.values(), *last.values()})


def _hello(trial: Trial, seat: Seat) -> Hello:
    game, seats, options = trial.variant
    return Hello(
        protocol=PROTOCOL,
        game=game.id,
        options=msgspec.to_builtins(options),
        seats=seats,
        seat=seat,
        deals=trial.deals,
        deck=trial.deck,
        suits=dict(game.suits(seats)),
        limits=HURRIED,
        seed=1,
        match=trial.key,
    )


def _chooser(think: Think) -> Chooser:
    return lambda request, view: think(request, view, 0.0).action


def _by_heuristic(trial: Trial, seat: Seat) -> Chooser:
    return _chooser(heuristic.begin(trial.variant.game, _hello(trial, seat)))


def _by_search(trial: Trial, seat: Seat) -> Chooser:
    return _chooser(search.begin(trial.variant.game, _hello(trial, seat), warm_up_ms=0))


def _by_race(trial: Trial, seat: Seat) -> Chooser:
    """Plays like `search` with enough time in a game with rules in step, and like a review."""
    # Imported here, since they load numpy, which commands that judge no game do not need.
    import numpy as np  # noqa: PLC0415

    from arena.players.house.playouts import Playouts  # noqa: PLC0415
    from arena.players.house.race import Race  # noqa: PLC0415

    playouts = Playouts(trial.variant.game, np.random.default_rng(1))

    def choose(request: Request, view: View) -> Action:
        race = Race(playouts, view, request.legal, request.legal[0])
        for _ in range(2):
            race.round(WORLDS)
        return race.best

    return choose


MAKERS: Final = {"heuristic": _by_heuristic, "search": _by_search, "search, in step,": _by_race}
"""By the bot's name in messages: makes its chooser for a seat of a match."""
