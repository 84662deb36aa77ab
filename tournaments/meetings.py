"""For every pair that met, how much more one of the two gained, over the pods in which both played.

Nothing is adjusted for the others in these pods: this is what happened between two; superiority.py says who
is better. Knows no scores and no ranks.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import combinations

import msgspec

from tournaments.clustered import clustered_mean
from tournaments.results import MatchResult, in_match_order
from tournaments.statistics import rounded


class Meeting(msgspec.Struct, frozen=True):
    """The meetings of two entrants. Numbers are rounded to 6 decimals."""

    one: str
    other: str
    """Later in the alphabet than `one`, unless `turned`."""
    pods: int
    """The number of pods in which both played."""
    difference: float | None = None
    """How much more `one` gained per deal; None without a finished deal."""
    low: float | None = None
    high: float | None = None
    """`low` to `high`: the 95 % interval of the difference, by pods; None below three pods, or if nothing
    varies."""

    @property
    def turned(self) -> "Meeting":
        """The same with `one` and `other` exchanged."""
        difference, low, high = (
            None if value is None else 0.0 - value for value in (self.difference, self.high, self.low)
        )
        return Meeting(self.other, self.one, self.pods, difference, low, high)


def meetings(results: Iterable[MatchResult], entrants: Collection[str]) -> tuple[Meeting, ...]:
    """The meetings of all pairs of `entrants` that met, sorted by name. A forfeit counts as in the standings:
    as the lowest gain of all seats, in every deal of the match."""
    known = frozenset(entrants)
    leads = defaultdict[tuple[str, str], dict[str, list[int]]](dict)
    for result in in_match_order(results):
        pod, lost = f"{result.round_no}/{result.pod_no}", {forfeit.seat for forfeit in result.forfeits}
        seats = sorted((name, seat) for seat, name in enumerate(result.entrants) if name in known)
        for (one, mine), (other, theirs) in combinations(seats, 2):
            if one != other:
                of_pod = leads[one, other].setdefault(pod, [])
                of_pod += [
                    (min(gains) if mine in lost else gains[mine])
                    - (min(gains) if theirs in lost else gains[theirs])
                    for gains in result.gains
                ]
    return tuple(_meeting(one, other, pods) for (one, other), pods in sorted(leads.items()))


def _meeting(one: str, other: str, leads: dict[str, list[int]]) -> Meeting:
    """`leads`: for each pod, what `one` gained more than `other` in each deal."""
    played = {pod: of_pod for pod, of_pod in leads.items() if of_pod}
    if not played:
        return Meeting(one, other, len(leads))
    mean, low, high = clustered_mean(played)
    # An interval of width 0 would claim certainty.
    if low is None or high is None or rounded(low) == rounded(high):
        return Meeting(one, other, len(leads), rounded(mean))
    return Meeting(one, other, len(leads), rounded(mean), rounded(low), rounded(high))
