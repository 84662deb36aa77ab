"""How a match ended: points, gains and placings per seat, and what forfeits do to them.

Knows seats only. Whether few points are good is known to the game that makes an Outcome, to nobody else.
"""

import functools
from collections.abc import Collection, Sequence
from typing import TypeAlias

import msgspec

from protocol.faults import FaultKind

Deals: TypeAlias = tuple[tuple[int, ...], ...]
"""One row a deal, one number a seat."""


class Outcome(msgspec.Struct, frozen=True):
    """points: as the game counts them. gains: the same turned so that more is better.
    placings: 1 is best, equals share, by the sum of the gains."""

    points: Deals
    gains: Deals
    placings: tuple[int, ...]


class Forfeit(msgspec.Struct, frozen=True):
    """A seat that lost the match by a fault in deal `deal_no` (0: before the first): from then on a
    substitute played for it. `answered`: it had replied to at least one request before."""

    seat: int
    deal_no: int
    kind: FaultKind
    answered: bool


@functools.lru_cache(maxsize=64)
def totals(deals: Deals, seats: int) -> tuple[int, ...]:
    """The sum of each seat's column; zeros when no deal is finished. Every view of a deal asks for the same,
    so it is looked up."""
    return tuple(map(sum, zip(*deals, strict=True))) or (0,) * seats


def best_first(values: Sequence[int]) -> tuple[int, ...]:
    """Placings of `values`, the greatest being 1 and equals sharing: (7, 9, 7) is (2, 1, 2)."""
    return tuple(1 + sum(other > value for other in values) for value in values)


def seats_by_placing(placings: Sequence[int]) -> list[int]:
    """From the first place down; those that share one in their own order."""
    return sorted(range(len(placings)), key=placings.__getitem__)


def most_points_win(points: Deals, seats: int) -> Outcome:
    return Outcome(points, points, best_first(totals(points, seats)))


def fewest_points_win(points: Deals, seats: int) -> Outcome:
    gains = tuple(tuple(-p for p in deal) for deal in points)
    return Outcome(points, gains, best_first(totals(gains, seats)))


def with_forfeits(placings: Sequence[int], forfeited: Collection[int]) -> tuple[int, ...]:
    """Placings in which the forfeited seats share the last place and the others are placed among
    themselves, in the order that `placings` gives them."""
    others = [p for seat, p in enumerate(placings) if seat not in forfeited]
    last = len(others) + 1
    return tuple(
        last if seat in forfeited else 1 + sum(other < placing for other in others)
        for seat, placing in enumerate(placings)
    )


def scores(
    placings: Sequence[int], forfeited: Collection[int], house: Collection[int] = ()
) -> tuple[int, ...]:
    """Tournament credit of one match in half-points: two for every seat placed below, one for every other
    seat that shares the place; a forfeited seat has none. Everybody ties with a seat of the `house`, which
    has none itself: who met more house bots than others neither wins nor loses by it."""

    def score(seat: int, place: int) -> int:
        others = [other for at, other in enumerate(placings) if at != seat and at not in house]
        tied = len(placings) - 1 - len(others)
        return tied + sum(2 * (other > place) + (other == place) for other in others)

    none = {*forfeited, *house}
    return tuple(0 if seat in none else score(seat, place) for seat, place in enumerate(placings))
