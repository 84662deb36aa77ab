"""What the product says about results, asked as the director and `arena compare` ask it.

Where deals are still the units it is asked for these: so one bench measures what was and what is.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Literal

from arena.record import unit_of
from tournaments import compare
from tournaments.formats import Field, format_named
from tournaments.resamples import widening
from tournaments.results import MatchResult
from tournaments.standings import Standings, standings
from tournaments.superiority import Superiority, superiorities

BUDGET = 1000
"""Deals, after which a comparison is undecided."""


def table(
    field: Field, game: str, pods: Literal["swiss", "random"] = "swiss"
) -> tuple[Standings, tuple[Superiority, ...]]:
    """Of a tournament that is over."""

    def of(function: Callable[..., Any]) -> dict[str, Any]:
        return {"unit": unit_of(game)} if "unit" in inspect.signature(function).parameters else {}

    wider = widening(field, format_named("swiss"), **of(widening)) if pods == "swiss" else 1.0
    return (
        standings(field.results, field.entrants, widening=wider, **of(standings)),
        superiorities(field.results, field.entrants, widening=wider, **of(superiorities)),
    )


class Comparison:
    """Of two entrants, in matches of so many deals."""

    def __init__(self, game: str, one: str, other: str, deals: int) -> None:
        self._one, self._other = one, other
        self._old = [unit_of(game)] if hasattr(compare.Question, "of_pods") else []
        by_deal = self._old == ["deal"]
        budget = BUDGET if by_deal else max(compare.FEWEST_UNITS, BUDGET // deals)
        self._question = compare.Question(budget=budget)
        self._units: list[float] = []

    def after(self, pod: Sequence[MatchResult]) -> compare.Verdict | None:
        """The verdict when the matches of one more pod are in: the first there is, looked for after every
        unit."""
        for difference in compare.differences(pod, self._one, self._other, *self._old):
            self._units.append(difference)
            found = compare.answer(self._units, self._question, *self._old)
            if found.verdict is not None:
                return found.verdict
        return None


def holm(pairs: Sequence[Superiority]) -> list[float]:
    """The corrected p of each: the product's own where it has one (S. Holm, "A simple sequentially rejective
    multiple test procedure", Scandinavian Journal of Statistics 6, 1979)."""
    if "holm" in Superiority.__struct_fields__:
        return [getattr(pair, "holm") for pair in pairs]  # noqa: B009 it may not be there yet
    corrected, so_far = [1.0] * len(pairs), 0.0
    for place, at in enumerate(sorted(range(len(pairs)), key=lambda at: pairs[at].p)):
        so_far = max(so_far, min(1.0, (len(pairs) - place) * pairs[at].p))
        corrected[at] = so_far
    return corrected
