"""How a match ended: points, gains and placings per seat, and what forfeits do to them.

Knows seats only. Whether few points are good is known only to the game that makes an Outcome.
"""

import functools
from collections.abc import Collection, Sequence
from typing import Annotated, NewType, TypeAlias

import msgspec

from protocol.faults import FaultKind

Points: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]
"""The points of a seat in a deal. Larger numbers in other people's files are refused when they are read."""
Deals: TypeAlias = tuple[tuple[Points, ...], ...]
"""A row for each deal, with one number for each seat."""

HalfPoints = NewType("HalfPoints", int)
"""A score, doubled so that it is a whole number."""


class Outcome(msgspec.Struct, frozen=True):
    """How a match ended. The rules know no forfeits; a played match takes them into account in its
    placings."""

    points: Deals
    """As the game counts them."""
    gains: Deals
    """The points, negated where few points are good: more is better."""
    placings: tuple[int, ...]
    """By seat, 1 is best. By the rules: 1 for the greatest sum of gains; equal sums share a placing."""


class Forfeit(msgspec.Struct, frozen=True):
    """A seat lost the match by a fault; from then on a substitute played for it."""

    seat: int
    deal_no: int
    """The deal of the fault; 0 before the first."""
    kind: FaultKind
    answered: bool
    """Whether the bot had replied to at least one request."""


@functools.lru_cache(maxsize=64)
def totals(deals: Deals, seats: int) -> tuple[int, ...]:
    """The sum for each seat, 0 without a finished deal. Cached, since all views of a deal ask for it."""
    return tuple(map(sum, zip(*deals, strict=True))) or (0,) * seats


def best_first(values: Sequence[int]) -> tuple[int, ...]:
    """The placings of `values`: the greatest gets 1, equal values share. (7, 9, 7) gives (2, 1, 2)."""
    return tuple(1 + sum(other > value for other in values) for value in values)


def seats_by_placing(placings: Sequence[int]) -> list[int]:
    """The seats, best first; those with the same placing in order of their numbers."""
    return sorted(range(len(placings)), key=placings.__getitem__)


def decisive_deal(gains: Deals, placings: Sequence[int]) -> int | None:
    """The number (from 1) of the first deal in which the winner gained most on the second. None in a match
    of one deal, and where the first place is shared or came from the forfeits of others."""
    winner, second, *_ = seats_by_placing(placings)
    leads = [deal[winner] - deal[second] for deal in gains]
    if len(leads) < 2 or placings[winner] == placings[second] or max(leads) <= 0:
        return None
    return 1 + leads.index(max(leads))


def most_points_win(points: Deals, seats: int) -> Outcome:
    """The outcome in a game where many points are good: gains are the points."""
    return Outcome(points, points, best_first(totals(points, seats)))


def fewest_points_win(points: Deals, seats: int) -> Outcome:
    """The outcome in a game where few points are good: gains are the points with the sign changed."""
    gains = tuple(tuple(-p for p in deal) for deal in points)
    return Outcome(points, gains, best_first(totals(gains, seats)))


def with_forfeits(placings: Sequence[int], forfeited: Collection[int]) -> tuple[int, ...]:
    """The placings after forfeits: forfeited seats share the last, and the others keep their order."""
    others = [p for seat, p in enumerate(placings) if seat not in forfeited]
    last = len(others) + 1
    return tuple(
        last if seat in forfeited else 1 + sum(other < placing for other in others)
        for seat, placing in enumerate(placings)
    )


def scores(
    placings: Sequence[int], forfeited: Collection[int], house: Collection[int] = ()
) -> tuple[HalfPoints, ...]:
    """The score of each seat in one match: two half-points for every seat placed below it, one for every
    other seat with the same placing; none for a forfeited seat. Every seat ties with the seats in `house`,
    which score nothing: meeting more house bots than others do is neither good nor bad for an entrant."""

    def score(seat: int, placing: int) -> int:
        others = [other for s, other in enumerate(placings) if s != seat and s not in house]
        tied = len(placings) - 1 - len(others)
        return tied + sum(2 * (other > placing) + (other == placing) for other in others)

    none = {*forfeited, *house}
    return tuple(HalfPoints(0 if seat in none else score(seat, place)) for seat, place in enumerate(placings))


def in_points(score: int) -> float:
    """Half-points as people read them: 3 is 1.5."""
    return score / 2
