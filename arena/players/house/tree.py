"""Information-set Monte Carlo tree search (P. Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo
Tree Search", IEEE Transactions on Computational Intelligence and AI in Games 4, 2012): one tree over what a
seat may know, grown by playing out random states that its view allows. Each seat maximises its own gain.

Below the root this is the paper's SO-ISMCTS: UCB1 with the number of times an action was available in place
of its parent's visits. One thing differs: a node opens one action after another as its visits grow, the
advised one first.

At the root a few dozen playouts have to be enough. So every action still in the race is played out from the
*same* imagined state: actions differ by what they do, and not by the luck of the deal. An action that is
clearly worse than another leaves the race. Actions that are not advised start with a handicap.

Knows the public interface of games; no clock, no wire. A playout ends with the deal.
"""

import math
import random
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from arena.games.extras import Advise
from arena.games.game import Action, Game, State, View
from protocol.cards import Seat
from protocol.streams import Stream

EXPLORATION: Final = 0.7
"""How much UCB1 explores, in standard deviations of a playout's gain."""
VISITS_TO_OPEN: Final = 12
"""A node opens one more action each time it has had this many visits."""
DOUBT: Final = 10.0
"""The handicap: every action but the advised one begins with this many fictitious rounds in which it was
worse by DISTRUST."""
DISTRUST: Final = 1.0
SURE: Final = 2.0
"""An action leaves the race if it is worse than the best by this many standard errors."""
FEWEST_ROUNDS: Final = 3
"""No action leaves the race before this many rounds."""


class Node:
    """What is known of an action after a certain history. `gains`: the sum over all visits of what the seat
    that chose the action gained in the deal, above the mean of all seats."""

    __slots__ = ("available", "children", "gains", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.available = 0
        self.gains = 0.0
        self.children: dict[Action, Node] = {}


class Candidate:
    """An action at the root, compared with the advised one."""

    def __init__(self, action: Action, advised: bool) -> None:
        self.action = action
        self.node = Node()
        self.rounds = 0
        self._doubt = 0.0 if advised else DOUBT
        self._sum = 0.0
        self._squares = 0.0

    def compared(self, ahead: float) -> None:
        """Count a round in which the action gained `ahead` more than the advised one."""
        self.rounds += 1
        self._sum += ahead
        self._squares += ahead * ahead

    @property
    def ahead(self) -> float:
        """The estimate of how much more it gains than the advised action, with the handicap."""
        rounds = self.rounds + self._doubt
        return (self._sum - self._doubt * DISTRUST) / rounds if rounds else 0.0

    @property
    def at_most(self) -> float:
        """An upper bound for how much more it gains than the advised action, without the handicap."""
        mean = self._sum / self.rounds
        variance = max(0.0, self._squares / self.rounds - mean * mean)
        return mean + SURE * math.sqrt(variance / self.rounds)


class Search:
    """The search for the best `legal` action of `view.seat`. `advised` is the action to beat; `advise` plays
    for all seats in playouts; `seed` (ASCII text) decides everything left to chance."""

    def __init__(
        self, game: Game, view: View, legal: tuple[Action, ...], advised: Action, advise: Advise, seed: str
    ) -> None:
        self._game = game
        # As if this deal were the last: then a playout ends with it, and no other deal is dealt.
        self._view = msgspec.structs.replace(view, deals=view.deal_no)
        self._seat = view.seat
        self._advise = advise
        self._stream = Stream(seed)
        self._chance = random.Random(seed)
        self._advised = Candidate(advised, advised=True)
        self._candidates = [self._advised]
        self._candidates += [Candidate(action, advised=False) for action in legal if action != advised]
        self._racing = list(self._candidates)
        self._squares = 0.0
        self.playouts = 0

    def think(self, go_on: Callable[[], bool]) -> None:
        """Play out until `go_on`, which is called after every playout, returns False."""
        while True:
            state = self._game.imagine(self._view, self._stream)
            given = {
                seat: self._advise(state, seat, state.legal(seat))
                for seat in state.pending
                if seat != self._seat
            }
            gains = []
            for candidate in self._racing:
                gains.append(self._playout(candidate, state, given))
                if not go_on():
                    return  # An incomplete round does not count: its gains cannot be compared.
            self._compare(gains)

    @property
    def best(self) -> Action:
        """The action that is believed to gain most."""
        return self.beliefs[0][0]

    @property
    def beliefs(self) -> list[tuple[Action, float]]:
        """The actions, best first, each with its expected gain in this deal above the mean of all seats."""
        node = self._advised.node
        level = node.gains / node.visits if node.visits else 0.0
        ranked = sorted(self._candidates, key=lambda candidate: -candidate.ahead)
        return [(candidate.action, level + candidate.ahead) for candidate in ranked]

    def _compare(self, gains: list[float]) -> None:
        for candidate, gain in zip(self._racing, gains, strict=True):
            candidate.compared(gain - gains[0])
        if self._advised.rounds < FEWEST_ROUNDS:
            return
        lead = max(candidate.ahead for candidate in self._racing)
        # The advised action always stays, since the others are compared with it.
        self._racing = [
            candidate for candidate in self._racing if candidate is self._advised or candidate.at_most >= lead
        ]

    def _playout(self, candidate: Candidate, state: State, given: Mapping[Seat, Action]) -> float:
        """Play `candidate` and then the rest of the deal. Adds the gains above the mean of all seats to the
        nodes on the way; returns that of the own seat. `given`: what other seats choose at the same time."""
        advise = self._advise
        node, path = candidate.node, [(self._seat, candidate.node)]
        state = state.apply({**given, self._seat: candidate.action}).state
        growing = True  # Until the playout has added its one new node; after that advice plays.
        while pending := state.pending:
            actions = {}
            for seat in pending:
                legal = state.legal(seat)
                if not growing:
                    actions[seat] = advise(state, seat, legal)
                    continue
                action = actions[seat] = self._choose(node, state, seat, legal)
                if action not in node.children:
                    node.children[action] = Node()
                    growing = False
                node = node.children[action]
                path.append((seat, node))
            state = state.apply(actions).state
        gains = state.tally().gains[-1]
        mean = sum(gains) / len(gains)
        for seat, visited in path:
            visited.visits += 1
            visited.gains += gains[seat] - mean
        gain = gains[self._seat] - mean
        self.playouts += 1
        self._squares += gain * gain
        return gain

    def _choose(self, node: Node, state: State, seat: Seat, legal: tuple[Action, ...]) -> Action:
        """The next action to try at a node: a new one if its visits allow that, else the best by UCB1."""
        children = node.children
        open_ones = [action for action in legal if action in children]
        for action in open_ones:
            children[action].available += 1
        if len(open_ones) <= min(node.visits // VISITS_TO_OPEN, len(legal) - 1):
            advised = self._advise(state, seat, legal)
            if advised not in children:
                return advised
            return self._chance.choice([action for action in legal if action not in children])
        spread = EXPLORATION * math.sqrt(self._squares / max(1, self.playouts))

        def bound(action: Action) -> float:
            child = children[action]
            return child.gains / child.visits + spread * math.sqrt(math.log(child.available) / child.visits)

        return max(open_ones, key=bound) if len(open_ones) > 1 else open_ones[0]
