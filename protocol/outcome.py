"""How a match ended: points, gains and placings per seat, and what forfeits do to them.

Knows seats only. Whether few points are good is known only to the game that makes an Outcome.
"""

import functools
from collections.abc import Collection, Sequence
from typing import Annotated, NewType, TypeAlias

import msgspec

from protocol.faults import FaultKind

Points: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]
"""Of a seat in a deal. What strangers wrote may be larger, and is refused where it is read."""
Deals: TypeAlias = tuple[tuple[Points, ...], ...]
"""One row per deal, with one number per seat."""

HalfPoints = NewType("HalfPoints", int)
"""Tournament credit, doubled so that it is a whole number."""


class Outcome(msgspec.Struct, frozen=True):
    """points: as the game counts them. gains: the same, with the sign at which more is better. placings: by
    seat and by the sum of the gains; 1 is best, equal sums share a placing."""

    points: Deals
    gains: Deals
    placings: tuple[int, ...]


class Forfeit(msgspec.Struct, frozen=True):
    """A seat that lost the match by a fault in deal `deal_no` (0: before the first); from then on a
    substitute played for it. `answered`: before the fault it had replied to at least one request."""

    seat: int
    deal_no: int
    kind: FaultKind
    answered: bool


@functools.lru_cache(maxsize=64)
def totals(deals: Deals, seats: int) -> tuple[int, ...]:
    """The sum of each seat's column; zeros when no deal is finished. Cached, since every view of a deal asks
    for the same sums."""
    return tuple(map(sum, zip(*deals, strict=True))) or (0,) * seats


def best_first(values: Sequence[int]) -> tuple[int, ...]:
    """The placings of `values`: the greatest is 1, equal values share. (7, 9, 7) gives (2, 1, 2)."""
    return tuple(1 + sum(other > value for other in values) for value in values)


def seats_by_placing(placings: Sequence[int]) -> list[int]:
    """The seats from the first place down; seats that share a place by their number."""
    return sorted(range(len(placings)), key=placings.__getitem__)


def decisive_deal(gains: Deals, placings: Sequence[int]) -> int | None:
    """The number of the deal in which the winner of a match gained most on the second: the first such deal.
    None in a match of one deal, and where the first place is shared or came from the forfeits of others."""
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
    """The placings after forfeits: forfeited seats share the last place, and the others keep their order
    from `placings` among themselves."""
    others = [p for seat, p in enumerate(placings) if seat not in forfeited]
    last = len(others) + 1
    return tuple(
        last if seat in forfeited else 1 + sum(other < placing for other in others)
        for seat, placing in enumerate(placings)
    )


def scores(
    placings: Sequence[int], forfeited: Collection[int], house: Collection[int] = ()
) -> tuple[HalfPoints, ...]:
    """By seat, the tournament credit of one match: two half-points for every seat placed below, one for
    every other seat that shares the place, and none for a forfeited seat. Every seat ties with the seats of
    the `house`, and those score none: an entrant neither wins nor loses by meeting more house bots than
    others do."""

    def score(seat: int, place: int) -> int:
        others = [other for at, other in enumerate(placings) if at != seat and at not in house]
        tied = len(placings) - 1 - len(others)
        return tied + sum(2 * (other > place) + (other == place) for other in others)

    none = {*forfeited, *house}
    return tuple(HalfPoints(0 if seat in none else score(seat, place)) for seat, place in enumerate(placings))


def in_points(score: int) -> float:
    """Tournament credit as people read it, of half-points."""
    return score / 2
