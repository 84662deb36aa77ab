"""What the product says about results, asked as the director and `arena compare` ask it."""

from collections.abc import Sequence
from typing import Literal

from tournaments import compare
from tournaments.formats import Field, format_named
from tournaments.resamples import widening
from tournaments.results import MatchResult
from tournaments.standings import Standings, standings
from tournaments.superiority import Superiority, superiorities

BUDGET = 1000
"""Deals, after which a comparison is undecided."""


def table(
    field: Field, pods: Literal["swiss", "random"] = "swiss"
) -> tuple[Standings, tuple[Superiority, ...]]:
    """Of a tournament that is over."""
    wider = widening(field, format_named("swiss")) if pods == "swiss" else 1.0
    return (
        standings(field.results, field.entrants, widening=wider),
        superiorities(field.results, field.entrants, widening=wider),
    )


class Comparison:
    """Of two entrants, in matches of so many deals."""

    def __init__(self, one: str, other: str, deals: int) -> None:
        self._one, self._other = one, other
        self._question = compare.Question(budget=max(compare.FEWEST_UNITS, BUDGET // deals))
        self._units: list[float] = []

    def after(self, pod: Sequence[MatchResult]) -> compare.Verdict | None:
        """The verdict when the matches of one more pod are in."""
        self._units += compare.differences(pod, self._one, self._other)
        return compare.answer(self._units, self._question).verdict
