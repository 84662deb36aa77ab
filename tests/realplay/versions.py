"""The programs that real play is resampled from: the sample bots of bots/, called as functions, and versions
of them that play some of their cards at random. One of them is sensitive to the order round the table.

Knows no bank and no tournament.
"""

import functools
import importlib.util
import random
from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any, Final, TypeAlias

import msgspec

from arena.games.game import Action, View
from arena.games.ole.rules import CHIP
from protocol.cards import Card, suit, value

BOTS: Final = Path(__file__).parents[2] / "bots"

Idea: TypeAlias = Callable[[dict[str, Any], list[Action]], Action]
"""As in bots/: from a view and what is legal to an action."""

Policy: TypeAlias = Callable[[str, View, Sequence[Action]], Action]
"""From the kind of decision, what a seat may know and what is legal to what the seat does."""

Version: TypeAlias = Callable[[str, str], Policy]
"""From a game and a seed to one seat's policy for one match. The same seed gives the same play."""


def bot(name: str) -> ModuleType:
    """bots/NAME.py as a module, under a name of its own: one of them is called random."""
    spec = importlib.util.spec_from_file_location(f"bots_{name}", BOTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RANDOM, GREEDY, CAREFUL = map(bot, ("random", "greedy", "careful"))

# They are called millions of times: the same functions, looked up.
for module in (GREEDY, CAREFUL):
    vars(module).update(value=value, suit=suit)
_points = functools.lru_cache(maxsize=1 << 16)(CAREFUL.pile_points)
vars(CAREFUL).update(pile_points=lambda pile: _points(tuple(pile)))


def ideas(module: ModuleType, game: str) -> Mapping[str, Idea]:
    """By decision, what the bot does. Without an idea it takes the first action that is legal."""
    by_decision: Mapping[str, Callable[..., Any]] = module.IDEAS[game]
    if module is CAREFUL:  # It says why, too.
        return {decision: lambda *asked, idea=idea: idea(*asked)[0] for decision, idea in by_decision.items()}
    return by_decision


def at_random(game: str, seed: str) -> Policy:
    choice = RANDOM.Chance(random.Random(seed).getrandbits(31)).choice
    return lambda decision, view, legal: choice(legal)


def mixed(module: ModuleType, share: float) -> Version:
    """The bot, but for a `share` of its actions, which are random."""

    def version(game: str, seed: str) -> Policy:
        known = ideas(module, game)
        chance = random.Random(seed)

        def policy(decision: str, view: View, legal: Sequence[Action]) -> Action:
            if share and chance.random() < share:
                return chance.choice(legal)
            idea = known.get(decision)
            return idea(msgspec.structs.asdict(view), list(legal)) if idea else legal[0]

        return policy

    return version


GREEDY_ABOVE: Final = {"ole": 5.0}
GREEDY_BELOW: Final = {"sticheln": 4.5, "sticheln-1993": 4.5, "david-and-goliath": 6.0}
"""By game, the mean value of the cards laid in a deal beyond which `sensitive` takes a neighbour for greedy;
it is right about it three times in four."""


def sensitive(game: str, seed: str) -> Policy:
    """Careful on the right of a neighbour who seems to be greedy; on the right of any other it takes the last
    action that is legal, which is poor play. So what it gains depends on who sits to its left."""
    known = ideas(CAREFUL, game)
    above, below = GREEDY_ABOVE.get(game, inf), GREEDY_BELOW.get(game, -inf)

    def policy(decision: str, view: View, legal: Sequence[Action]) -> Action:
        cards = laid(view, (view.seat + 1) % view.seats)
        if cards and not (below > fmean(map(value, cards)) or fmean(map(value, cards)) > above):
            return legal[-1]
        idea = known.get(decision)
        return idea(msgspec.structs.asdict(view), list(legal)) if idea else legal[0]

    return policy


def laid(view: Any, seat: int) -> list[Card]:
    """What `seat` has laid in this deal."""
    if hasattr(view, "plays"):
        return [play.action for play in view.plays if play.seat == seat and play.action != CHIP]
    tricks = [(trick.leader, trick.cards) for trick in view.tricks]
    return [
        card
        for leader, trick in (*tricks, (view.leader, view.trick))
        for card in trick[(seat - leader) % view.seats :][:1]
    ]


VERSIONS: Final[Mapping[str, Version]] = {
    "random": at_random,
    "greedy": mixed(GREEDY, 0),
    "careful": mixed(CAREFUL, 0),
    "rash": mixed(CAREFUL, 0.2),
    "loose": mixed(GREEDY, 0.4),
    "sensitive": sensitive,
}
"""By name, in the order in which the bank numbers them."""
