"""Why a round was paired as it was: who had met before, how far apart the scores were, and what the cheapest
single exchange of two entrants between pods would have changed.

The terms are those of the cost of a Swiss pairing, whatever the format. Knows no format.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from math import isqrt
from typing import TypeVar

import msgspec

from protocol.outcome import in_points
from tournaments.formats import Field, authors_of
from tournaments.pairing import Cost, cheapest_exchanges, cost
from tournaments.results import MatchResult, Round, is_house


class PodMeeting(msgspec.Struct, frozen=True):
    """Two members of a pod."""

    one: str
    other: str
    met: int
    """In how many earlier rounds they had met; 0 with house bots."""
    gap: float
    """The difference of their scores; 0 with house bots, which have none."""
    same_author: bool


class Swap(msgspec.Struct, frozen=True):
    """The exchange of `one`, in this pod, with `other` in another pod."""

    one: str
    other: str
    pod_no: int
    """The other pod, from 1."""
    change: Cost
    """What the exchange would have added to the cost."""


Renamed = TypeVar("Renamed", PodMeeting, Swap)


class ExplainedPod(msgspec.Struct, frozen=True):
    """One pod of a round."""

    pod_no: int
    """From 1."""
    scores: dict[str, float | None]
    """By member; None for house bots."""
    meetings: tuple[PodMeeting, ...]
    """One for each pair of members."""
    cost: Cost
    exchange: Swap | None
    """The cheapest exchange with another pod; None in a round of one pod."""

    def with_names(self, called: Callable[[str], str]) -> "ExplainedPod":
        """The pod with `called(name)` in place of every name."""

        def renamed(two: Renamed) -> Renamed:
            return msgspec.structs.replace(two, one=called(two.one), other=called(two.other))

        return msgspec.structs.replace(
            self,
            scores={called(name): score for name, score in self.scores.items()},
            meetings=tuple(map(renamed, self.meetings)),
            exchange=None if self.exchange is None else renamed(self.exchange),
        )

    @property
    def had_met(self) -> str:
        """The pairs that had met before, and how often, as text."""
        return ", ".join(f"{two.one}–{two.other} {two.met} ×" for two in self.meetings if two.met) or "nobody"

    @property
    def widest_gap(self) -> float:
        """The largest gap between two members."""
        return max((two.gap for two in self.meetings), default=0.0)

    def way_out(self, pod: str = "pod") -> str:
        """The cheapest exchange and its cost, as text. `pod`: what readers call a pod."""
        exchange = self.exchange
        if exchange is None:
            return "–"
        terms = zip(exchange.change, ("repeats", "of one author", "house", "squared gaps"), strict=True)
        cost = ", ".join(f"{change:+d} {term}" for change, term in terms if change) or "as good"
        return f"{exchange.one} for {exchange.other} of {pod} {exchange.pod_no}: {cost}"


def before_each_round(field: Field) -> Iterator[Field]:
    """The field when each of its rounds was paired, but with the entrants of `field`."""
    of_round = defaultdict[int, list[MatchResult]](list)
    for result in field.results:
        of_round[result.round_no].append(result)
    now = msgspec.structs.replace(field, drawn=(), results=())
    for round_no, pods in enumerate(field.drawn, start=1):
        yield now
        now = now.after(pods, of_round[round_no])


def explain(field: Field, pods: Round) -> tuple[ExplainedPod, ...]:
    """Explain each pod of a round. `field` is the field before `pods` were paired."""
    names = [name for pod in pods for name in pod]
    met, house, totals = field.tally
    scores = {name: totals[name] for name in names if not is_house(name)}
    authors = authors_of(field, names)
    pod_of = {name: i for i, pod in enumerate(pods) for name in pod}

    def meeting(one: str, other: str) -> PodMeeting:
        times = met.get((min(one, other), max(one, other)), 0)
        alone = cost([(one, other)], scores, met, authors)
        return PodMeeting(one, other, times, in_points(isqrt(alone.gaps)), bool(alone.same_author))

    def exchange(one: str, other: str) -> Swap:
        two = [pods[pod_of[one]], pods[pod_of[other]]]
        swapped = [tuple({one: other, other: one}.get(name, name) for name in pod) for pod in two]
        now, then = (cost(drawing, scores, met, authors, house) for drawing in (two, swapped))
        change = Cost(*(after - before for before, after in zip(now, then, strict=True)))
        return Swap(one, other, pod_of[other] + 1, change)

    exchanges = [exchange(*two) for two in cheapest_exchanges(pods, scores, met, authors, house)]
    return tuple(
        ExplainedPod(
            pod_no=i + 1,
            scores={name: None if is_house(name) else in_points(scores[name]) for name in pod},
            meetings=tuple(meeting(one, other) for one, other in combinations(pod, 2)),
            cost=cost([pod], scores, met, authors, house),
            exchange=exchanges[i] if exchanges else None,
        )
        for i, pod in enumerate(pods)
    )
