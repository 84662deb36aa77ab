"""Choices with their costs, and what they cost by kind. Does not judge them."""

from collections.abc import Sequence

import msgspec

from arena.games.game import Action
from protocol.cards import Seat


class PlayedChoice(msgspec.Struct, frozen=True):
    """What a bot played when it had more than one legal action."""

    match: str
    bot: str
    seat: Seat
    deal: int
    """From 1."""
    trick: int
    """From 1; 0 in a game without tricks."""
    request: int
    """Its number in the match, from 1."""
    at: int
    """Its index among all decisions of the seat, also those without a choice or by a substitute."""
    kind: str
    """`lead`, `follow`, `last tricks`, or what the game calls it."""
    legal: tuple[Action, ...]
    played: Action


class JudgedChoice(PlayedChoice, frozen=True):
    """A choice and its cost."""

    better: Action
    """The action that was found to gain more; the one that was played if there was none."""
    cost: float
    """How many points more `better` is expected to gain in that deal, above the mean of all seats; below
    0 by chance."""
    error: float
    """The standard error of the cost."""
    sure: bool
    """Whether the cost is above 0 by more than two standard errors."""


class KindCost(msgspec.Struct, frozen=True):
    """What the choices of one kind cost."""

    kind: str
    choices: int
    errors: int
    """The number of choices that surely cost something."""
    each: float
    """The mean cost of a choice."""
    a_deal: float
    """The mean cost in a deal."""


def kind_costs(judged: Sequence[JudgedChoice], deals: int) -> tuple[KindCost, ...]:
    """The costs by kind, the dearest in a deal first. `deals`: the number of deals judged."""
    rows = []
    for kind in dict.fromkeys(choice.kind for choice in judged):
        ours = [choice for choice in judged if choice.kind == kind]
        cost = sum(choice.cost for choice in ours)
        errors = sum(choice.sure for choice in ours)
        rows.append(KindCost(kind, len(ours), errors, cost / len(ours), cost / deals))
    return tuple(sorted(rows, key=lambda row: -row.a_deal))


def dearest(judged: Sequence[JudgedChoice], number: int) -> tuple[JudgedChoice, ...]:
    """At most `number` choices that surely cost something, the dearest first."""
    sure = [choice for choice in judged if choice.sure]
    return tuple(sorted(sure, key=lambda choice: -choice.cost)[:number])
