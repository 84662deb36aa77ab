"""Search: plays every game by imagining what its view leaves open, better the more time it has. As a program:
`python -m arena.house.search`.

Here is what it does with its clock; how it searches is tree.py's.
"""

import gc
import random
import time
from typing import Final

import msgspec

from arena.games.game import Action, Game, State, View
from arena.house.advice import ADVICE, QUICK, Advise
from arena.house.program import Think, sit_down
from arena.house.tree import Search
from protocol.cards import Seat
from protocol.messages import Hello, Limits, Reply, Request
from protocol.streams import DealSource, Stream

SHARE_OF_DECISION: Final = 0.9
SHARE_OF_BANK: Final = 0.5
"""To be spent evenly over the decisions to come; the rest is for accidents."""
MARGIN: Final = 0.3
LEAST_MARGIN_MS: Final = 4.5
"""Of all that is left, so much stays unused. On a busy machine another process may have the core for a time
slice, some 3 ms, just when we are done."""
STALLS: Final = 2.0
"""And at least so many times the longest stall: a machine that has made us wait will do so again."""
FADING: Final = 0.8
"""What is left of a stall from one decision to the next."""
REHEARSAL_MS: Final = 30
SHOWN: Final = 3


def budget_ms(ms: int, limits: Limits, decisions: int, stall_ms: float) -> float:
    """How long to think, of `ms` that are left, bank included, with so many `decisions` to come. Not
    positive: for a single playout."""
    bank_ms = ms - limits.decision_ms
    # What a stall takes is to come out of this decision's time, while it has any, and not out of the bank.
    wanted = SHARE_OF_DECISION * limits.decision_ms - stall_ms + SHARE_OF_BANK * bank_ms / decisions
    return min(wanted, ms - max(LEAST_MARGIN_MS, MARGIN * ms, STALLS * stall_ms))


class Clock:
    """Is asked after every playout. `stall_ms` is the longest time between two questions, of this decision
    and, fading, of those before."""

    def __init__(self) -> None:
        self.stall_ms = 0.0
        self._asked_at = self._ends_at = 0.0

    def begin(self, read_at: float, ms: float) -> None:
        """A decision of `ms` from `read_at` (`time.perf_counter`) on."""
        self.stall_ms *= FADING
        self._asked_at = time.perf_counter()
        self._ends_at = read_at + ms / 1000

    def has_time(self) -> bool:
        now = time.perf_counter()
        self.stall_ms = max(self.stall_ms, (now - self._asked_at) * 1000)
        self._asked_at = now
        return now < self._ends_at


def begin(game: Game, hello: Hello) -> Think:
    seed = f"arena1/search/{hello.seed}"
    stream = Stream(seed)
    advise, reply = ADVICE.get(game.id), QUICK.get(game.id) or at_random(seed)
    clock = Clock()

    def search(view: View, legal: tuple[Action, ...], label: str) -> Search:
        advised = advise(game.imagine(view, stream), view.seat, legal) if advise else stream.choice(legal)
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

    # The handshake is patient. So what is made once is made now, which takes longest, and then it is seen how
    # busy the machine is.
    state = game.start(hello.seats, msgspec.convert(hello.options, game.options), 1, DealSource(seed)).state
    seat = next(iter(state.pending))
    for ms in (0, REHEARSAL_MS):
        clock.stall_ms = 0.0
        clock.begin(time.perf_counter(), ms)
        search(state.view(seat), state.legal(seat), "rehearsal")
    return think


def decisions_to_come(view: View, hello: Hello) -> int:
    """About one for each card of this deal and of those that follow."""
    return len(view.hand) + (view.deals - view.deal_no) * len(hello.deck) // view.seats


def at_random(seed: str) -> Advise:
    chance = random.Random(seed).random

    def advise(state: State, seat: Seat, legal: tuple[Action, ...]) -> Action:
        return legal[int(chance() * len(legal))]

    return advise


def note(search: Search) -> str:
    """What was thought, such as `412 playouts: R7 +3.1, G2 +2.8`: gains in this deal over the mean seat."""
    best = ", ".join(f"{action} {gain:+.1f}" for action, gain in search.beliefs[:SHOWN])
    return f"{search.playouts} playouts: {best}"


if __name__ == "__main__":
    gc.disable()  # trees have no cycles, and a collection could come in the last millisecond
    sit_down("search", begin)
