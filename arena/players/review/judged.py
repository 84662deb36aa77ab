"""Choices with their costs, and what many of them cost together, kind by kind. Judges none itself."""

from collections.abc import Sequence

import msgspec

from arena.games.game import Action
from protocol.cards import Seat


class PlayedChoice(msgspec.Struct, frozen=True):
    """What a bot has played where it had more than one legal action. deal and request: numbers in the match,
    from 1. trick: from 1; 0 in a game without tricks. at: its number among all decisions of the seat, from 0,
    those without a choice and those of a substitute included. kind: `lead`, `follow`, `last tricks`, or what
    the game calls it."""

    match: str
    bot: str
    seat: Seat
    deal: int
    trick: int
    request: int
    at: int
    kind: str
    legal: tuple[Action, ...]
    played: Action


class JudgedChoice(PlayedChoice, frozen=True):
    """A choice and its cost. better: the action that was found to gain more, or the one that was played if
    there was none. cost: by how many points, in that deal and above the mean of all seats; below 0 by chance.
    error: its standard error. sure: whether the cost is above 0 by more than two of these."""

    better: Action
    cost: float
    error: float
    sure: bool


class KindCost(msgspec.Struct, frozen=True):
    """What the choices of one kind cost. each: the mean cost of a choice. a_deal: what they cost in a deal.
    errors: how many surely cost something."""

    kind: str
    choices: int
    errors: int
    each: float
    a_deal: float


def kind_costs(judged: Sequence[JudgedChoice], deals: int) -> tuple[KindCost, ...]:
    """Kind by kind, the dearest in a deal first. `deals`: how many were judged."""
    rows = []
    for kind in dict.fromkeys(one.kind for one in judged):
        ours = [one for one in judged if one.kind == kind]
        cost = sum(one.cost for one in ours)
        errors = sum(one.sure for one in ours)
        rows.append(KindCost(kind, len(ours), errors, cost / len(ours), cost / deals))
    return tuple(sorted(rows, key=lambda row: -row.a_deal))


def dearest(judged: Sequence[JudgedChoice], number: int) -> tuple[JudgedChoice, ...]:
    """At most so many choices that surely cost something, the dearest first."""
    sure = [one for one in judged if one.sure]
    return tuple(sorted(sure, key=lambda one: -one.cost)[:number])
