"""search: plays every game by imagining what its view leaves open; the more time it has, the better. Run it
by `python -m arena.players.house.search`.

This file decides how it uses its time. race.py searches in games with rules in step; tree.py in the others,
and if there is no time for a round.
"""

import gc
import os
import random
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from arena.games import GAMES
from arena.games.extras import Advise
from arena.games.game import Action, Game, State, View
from arena.games.registry import extras
from arena.players.house.program import Think, play_matches
from arena.players.house.tree import Search
from protocol.cards import Seat
from protocol.messages import Hello, Limits, Reply, Request
from protocol.streams import DealSource, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.players.house.race import Race

SHARE_OF_DECISION: Final = 0.9
SHARE_OF_BANK: Final = 0.5
"""This share of the bank is spent, evenly over the decisions to come; the rest is a reserve."""
MARGIN: Final = 0.3
LEAST_MARGIN_MS: Final = 4.5
"""This share of all the time left, and at least this many milliseconds, stays unused. On a busy machine
another process may get the core for a time slice of about 3 ms just when we are done."""
STALLS: Final = 2.0
"""At least this many times the longest stall stays unused, since a machine that stalled may do so again."""
FADING: Final = 0.8
"""A remembered stall shrinks by this factor from one decision to the next."""
WARM_UP_MS: Final = 30
FIRST_WORLDS: Final = 8
MOST_WORLDS: Final = 512
"""The number of imagined deals in the first round of a race, and the most in a round; each round has twice as
many as the one before."""
HORIZON: Final = {"sticheln": 6, "sticheln-1993": 6}
"""In games that count points with each trick: if there is no time to play out DEEP_WORLDS imagined deals to
their end, playouts stop after this many tricks, and there are more of them. In Sticheln, 16 deals of six
tricks gain 2.0 points a deal over 8 whole ones; 64 lose 0.8 to as many whole ones."""
DEEP_WORLDS: Final = 64
CAUTION: Final = 1.4
"""A round must fit into the time left even if it takes this many times as long as expected."""
FORGOTTEN: Final = 0.95
"""The estimate of how slow the machine is shrinks by this factor at each decision."""
SHOWN: Final = 3
"""A note shows this many actions."""


def budget_ms(ms: int, limits: Limits, decisions: int, stall_ms: float) -> float:
    """The milliseconds to think. `ms`: the time left, bank included. `decisions`: the number still to come,
    this one included. `stall_ms`: the longest stall. A result ≤ 0 allows a single playout."""
    bank_ms = ms - limits.decision_ms
    # A stall is first subtracted from this decision's own time, not from the bank.
    wanted = SHARE_OF_DECISION * limits.decision_ms - stall_ms + SHARE_OF_BANK * bank_ms / decisions
    return min(wanted, ms - max(LEAST_MARGIN_MS, MARGIN * ms, STALLS * stall_ms))


class Clock:
    """Says after every playout whether there is time for another one. `stall_ms`: the longest time between
    two calls of `has_time`, or by which a round took too long; it is reduced by FADING at each decision."""

    def __init__(self) -> None:
        self.stall_ms = 0.0
        self._asked_at = self._ends_at = 0.0

    def begin(self, read_at: float, ms: float) -> None:
        """Begin a decision that may take `ms` from `read_at` (`time.perf_counter`) on."""
        self.stall_ms *= FADING
        self._asked_at = time.perf_counter()
        self._ends_at = read_at + ms / 1000

    def stalled(self, seconds: float) -> None:
        """Remember that something took `seconds` longer than expected."""
        self.stall_ms = max(self.stall_ms, seconds * 1000)

    def seconds_left(self) -> float:
        """The seconds left for the decision."""
        return self._ends_at - time.perf_counter()

    def has_time(self) -> bool:
        """Whether time is left for the decision. Also measures stalls."""
        now = time.perf_counter()
        self.stall_ms = max(self.stall_ms, (now - self._asked_at) * 1000)
        self._asked_at = now
        return now < self._ends_at


class Costs(NamedTuple):
    """What a round of a race costs, in µs: once, by imagined deal, by step, and by step and row."""

    round: float
    world: float
    step: float
    row: float


COSTS: Final[Mapping[str, Costs]] = {
    "david-and-goliath": Costs(1900, 12, 25, 0.27),
    "ole": Costs(1400, 7, 93, 0.7),
}
COSTS_OF_OTHERS: Final = Costs(2000, 5, 65, 0.48)
"""Fitted to Sticheln on one machine. Only the proportions matter: each match learns how slow a machine is."""


class RoundForecast:
    """Predicts how long a round of a race takes. It plays out `worlds` imagined deals, with `rows` rows
    (actions) for each, in `steps` steps."""

    def __init__(self, costs: Costs = COSTS_OF_OTHERS) -> None:
        self._costs = costs
        self._slower = 1e-6
        """The seconds that a µs of the costs takes here."""

    def seconds(self, steps: int, worlds: int, rows: int) -> float:
        """The expected duration of a round."""
        once, by_world = self._parts(steps, rows)
        return self._slower * (once + by_world * worlds)

    def took(self, seconds: float, steps: int, worlds: int, rows: int) -> None:
        """Learn from a round. A slow one counts at once, a quick one little by little."""
        ratio = seconds / max(1e-9, self.seconds(steps, worlds, rows)) * self._slower
        self._slower = max(ratio, 0.8 * self._slower + 0.2 * ratio)

    def relax(self) -> None:
        """Forget a little of a slow round, at each decision: else one bad moment could end all races."""
        self._slower *= FORGOTTEN

    def worlds(self, seconds: float, steps: int, rows: int) -> int:
        """The number of imagined deals that can be played out in that time."""
        once, by_world = self._parts(steps, rows)
        return int((seconds / (CAUTION * self._slower) - once) / by_world)

    def tricks(self, game_id: str, view: View, rows: int, seconds: float) -> int:
        """The number of tricks to play out in that time: all, or up to the game's horizon if there is no time
        for many deals; 0 if there is none for a round."""
        tricks = len(view.hand)
        if self.worlds(seconds, tricks * view.seats, rows) < DEEP_WORLDS:
            tricks = min(tricks, HORIZON.get(game_id, tricks))
        return tricks if self.worlds(seconds, tricks * view.seats, rows) >= FIRST_WORLDS else 0

    def _parts(self, steps: int, rows: int) -> tuple[float, float]:
        """The cost of a round without its deals, and of each deal."""
        costs = self._costs
        return costs.round + steps * costs.step, costs.world + steps * costs.row * rows


def begin(game: Game, hello: Hello, warm_up_ms: int = WARM_UP_MS) -> Think:
    """The function that answers the requests of one match. To warm up, it searches before it returns: once
    without any time, then twice for `warm_up_ms`."""
    seed = f"arena1/search/{hello.seed}"
    stream = Stream(seed)
    advise, reply = extras(game).advise, extras(game).quick or at_random(seed)
    clock = Clock()
    race_in, pace = races(game, seed), RoundForecast(COSTS.get(game.id, COSTS_OF_OTHERS))

    def search(view: View, legal: tuple[Action, ...], label: str) -> "Search | Race":
        advised = advise(game.imagine(view, stream), view.seat, legal) if advise else stream.choice(legal)
        if race_in is not None:
            pace.relax()
            if tricks := pace.tricks(game.id, view, len(legal), clock.seconds_left()):
                race = race_in(view, legal, advised, tricks)
                run(race, clock, pace)
                return race
        search = Search(game, view, legal, advised, reply, f"{seed}/{label}")
        search.think(clock.has_time)
        return search

    def think(request: Request, view: View, read_at: float) -> Reply:
        if len(request.legal) == 1:
            return Reply(request.id, request.legal[0], "no choice")
        decisions = decisions_to_come(view, hello)
        clock.begin(read_at, budget_ms(request.ms, hello.limits, decisions, clock.stall_ms))
        done = search(view, request.legal, str(request.id))
        return Reply(request.id, done.best, note(done))

    # The time limit of the handshake is long, so the first searches, which fill caches, take place now. The
    # last one measures how long the machine stalls, and how long a round takes.
    state = game.start(hello.seats, msgspec.convert(hello.options, game.options), 1, DealSource(seed)).state
    seat = next(iter(state.pending))
    for ms in (0, warm_up_ms, warm_up_ms):
        clock.stall_ms = 0.0
        clock.begin(time.perf_counter(), ms)
        search(state.view(seat), state.legal(seat), "warm-up")
    return think


def races(game: Game, seed: str) -> "Callable[[View, tuple[Action, ...], Action, int], Race] | None":
    """Makes the race of a decision; None for a game without rules in step."""
    # Numpy would start a thread for each core, and freezing a bot with threads takes longer.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if game.id not in GAMES and not hasattr(game, "batch"):
        return None
    import numpy as np  # noqa: PLC0415 -- It takes 0.1 s, which games without rules in step do not need.

    from arena.players.house.playouts import Playouts  # noqa: PLC0415
    from arena.players.house.race import Race  # noqa: PLC0415

    playouts = Playouts(game, np.random.default_rng(list(seed.encode())))
    return partial(Race, playouts)


def run(race: "Race", clock: Clock, pace: RoundForecast) -> None:
    """Play rounds until one action is left, or there is no time for another round."""
    worlds = FIRST_WORLDS
    while not race.decided:
        rows = len(race.racing)
        left = clock.seconds_left()
        # If there is no time for two rounds, one larger round costs less than two.
        if pace.seconds(race.steps, worlds, rows) + pace.seconds(race.steps, 2 * worlds, rows) > left:
            worlds = min(pace.worlds(left, race.steps, rows), MOST_WORLDS)
        if worlds < 1:
            return
        expected, begun = pace.seconds(race.steps, worlds, rows), time.perf_counter()
        race.round(worlds)
        took = time.perf_counter() - begun
        clock.stalled(took - CAUTION * expected)
        pace.took(took, race.steps, worlds, rows)
        worlds = min(2 * worlds, MOST_WORLDS)


def decisions_to_come(view: View, hello: Hello) -> int:
    """The number of decisions to come, this one included: about one for each card of this deal and of later
    ones. At least 1, since a seat may decide with an empty hand."""
    return max(1, len(view.hand) + (view.deals - view.deal_no) * len(hello.deck) // view.seats)


def at_random(seed: str) -> Advise:
    """Advice for games without any: a random action."""
    chance = random.Random(seed).random

    def advise(state: State, seat: Seat, legal: tuple[Action, ...]) -> Action:
        return legal[int(chance() * len(legal))]

    return advise


def note(search: "Search | Race") -> str:
    """The note of a reply, `412 playouts: R7 +3.1, G2 +2.8`: the best actions, each with its expected gain in
    this deal above the mean of all seats."""
    best = ", ".join(f"{action} {gain:+z.1f}" for action, gain in search.beliefs[:SHOWN])
    return f"{search.playouts} playouts: {best}"


if __name__ == "__main__":
    gc.disable()  # Trees have no cycles, and a collection could take the last milliseconds of a decision.
    play_matches("search", begin)
