from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt

import msgspec
import numpy as np
import pytest

from tournaments.agenda import Wish
from tournaments.eprocess import PairEvidence
from tournaments.questions import (
    FEWEST_PLACEMENT,
    FOUNDING,
    VAST,
    open_wishes,
    pods_of_placement,
    seconds_until_asleep,
)
from tournaments.strength import Pair, StrengthFit, Sums, Variances

SAID = 100.0
"""A logarithm of capital that is enough for any statement."""


def a_fit(strengths: Mapping[str, float], error: float = 0.2) -> StrengthFit:
    """Independent strengths, each with this standard error."""
    return StrengthFit(
        tuple(strengths),
        np.array(list(strengths.values())),
        np.eye(len(strengths)) * error**2,
        np.full(len(strengths), 99),
        Variances(2.5, 4.2, 500),
        np.ones(len(strengths)),
    )


def wishes(
    fit: StrengthFit | None,
    singles: Mapping[str, Sums] | None = None,
    versus: Mapping[Pair, PairEvidence] | None = None,
    *,
    versions: Sequence[str] | None = None,
    before: Mapping[str, str] | None = None,
    margin: float = 1.0,
) -> list[Wish]:
    singles = singles or {}
    names = versions or [*(fit.names if fit else ()), *(name for name in singles)]
    costs = dict.fromkeys([*names, *(before or {}).values()], 1000)
    return open_wishes(names, fit, singles, versus or {}, before or {}, costs, margin, 0.05)


def pairs(found: Sequence[Wish]) -> set[frozenset[str]]:
    return {frozenset((wish.asker, wish.other)) for wish in found if wish.other is not None}


def rows(count: int, mean: float = 0.0) -> Sums:
    return Sums(count, count * mean, count * (mean**2 + 6.7))


def test_in_the_beginning_some_are_compared_and_all_others_placed() -> None:
    unknown = Variances(1.0, 1.0, 0)
    for fit in (None, StrengthFit(("a", "b"), np.zeros(2), np.eye(2), np.array([1, 1]), unknown, np.ones(2))):
        first, *others = wishes(fit, versions=[*"abcdef"])
        assert (first.asker, first.other, first.size) == ("a", "b", VAST)
        assert [(wish.asker, wish.other) for wish in others] == [("e", None), ("f", None)]


def test_in_the_beginning_the_first_meets_the_next_in_turn() -> None:
    met = {
        ("a", "b"): PairEvidence(1, count=2),
        ("a", "c"): PairEvidence(2, count=1),
        ("a", "d"): PairEvidence(3, count=2),
    }
    assert wishes(None, versus=met, versions=[*"abcd"])[0].other == "c"


def test_where_nothing_ever_differs_nothing_is_asked_for_ever() -> None:
    met = {("a", other): PairEvidence(1, count=FOUNDING) for other in "bc"}
    unknown = a_fit({"a": 0.0, "b": 0.0, "c": 0.0})
    unknown = msgspec.structs.replace(unknown, variances=Variances(1.0, 1.0, 0))
    assert not wishes(unknown, versus=met)
    assert [(wish.asker, wish.other) for wish in wishes(unknown, versus=met, versions=[*"abcd"])] == [
        ("a", "d")
    ]


@pytest.mark.parametrize("versions", [[], ["a"]])
def test_one_alone_has_nobody_to_be_compared_with(versions: list[str]) -> None:
    assert not [wish for wish in wishes(None, versions=versions) if wish.other]


def test_a_newcomer_is_placed_then_asked_about() -> None:
    fit = a_fit({"a": 0.0, "b": 30.0})
    wanted = pods_of_placement(fit, 1.0)
    assert wanted >= FEWEST_PLACEMENT
    said = {("a", "b"): PairEvidence(1, most_behind=SAID)}
    (wish,) = wishes(fit, {"new": rows(wanted - 1, 29.0)}, said)
    assert (wish.asker, wish.other, wish.left) == ("new", None, 1)
    assert pairs(wishes(fit, {"new": rows(wanted, 29.0)}, said)) == {
        frozenset(("new", "b")),
        frozenset(("new", "a")),
    }


def test_a_placement_takes_as_many_pods_as_its_width_asks_for() -> None:
    fit = a_fit({"a": 0.0, "b": 1.0})
    assert pods_of_placement(fit, 1.0) == 9  # 2.306 √(6.7 / 9) is 1.99, and with 8 pods 2.16.
    assert pods_of_placement(fit, 0.5) == 29
    assert pods_of_placement(a_fit({"a": 0.0, "b": 1.0}, error=5.0), 0.5) == FEWEST_PLACEMENT
    assert pods_of_placement(None, 1.0) == FEWEST_PLACEMENT


def test_equal_neighbours_are_settled_once_they_are_known_well_enough() -> None:
    enough = 0.7 / 1.96 / sqrt(2)
    assert pairs(wishes(a_fit({"a": 0.0, "b": 0.3}, error=enough * 1.001)))
    assert not wishes(a_fit({"a": 0.0, "b": 0.3}, error=enough * 0.999))


def test_neighbours_apart_are_open_until_it_is_said() -> None:
    fit = a_fit({"a": 5.0, "b": 0.0})
    assert pairs(wishes(fit)) == {frozenset("ab")}
    assert not wishes(fit, versus={("a", "b"): PairEvidence(1, most_ahead=SAID)})
    assert not wishes(fit, versus={("b", "a"): PairEvidence(1, most_behind=SAID)})


def test_beyond_neighbours_it_is_enough_that_the_order_is_sure() -> None:
    fit = a_fit({"a": 10.0, "b": 5.0, "c": 0.0})
    said = {pair: PairEvidence(1, most_ahead=SAID) for pair in [("a", "b"), ("b", "c")]}
    assert not wishes(fit, versus=said)
    unsure = a_fit({"a": 10.0, "b": 5.0, "c": 0.0}, error=4.2)
    assert pairs(wishes(unsure, versus=said)) == {frozenset("ac")}


def test_a_version_is_compared_with_the_one_before_it_also_if_that_rests() -> None:
    fit = a_fit({"a1": 0.0, "a2": 9.0, "b": 4.0})
    said = {("a2", "b"): PairEvidence(1, most_ahead=SAID)}
    assert not wishes(fit, versus=said, versions=["a2", "b"])
    (wish,) = wishes(fit, versus=said, versions=["a2", "b"], before={"a2": "a1"})
    assert (wish.asker, wish.other) == ("a2", "a1")


def test_a_predecessor_that_was_never_measured_is_not_asked_about() -> None:
    said = {("a2", "b"): PairEvidence(1, most_ahead=SAID)}
    fit = a_fit({"a2": 9.0, "b": 4.0})
    assert not wishes(fit, versus=said, versions=["a2", "b"], before={"a2": "a1"})


def test_each_asks_the_largest_of_its_questions() -> None:
    fit = a_fit({"a": 0.0, "b": 0.5, "c": 2.0, "d": 30.0}, error=1.2)
    found = {wish.asker: wish.other for wish in wishes(fit)}
    assert found == {"a": "b", "b": "a", "c": "b", "d": "c"}
    for wish in wishes(fit):
        apart = abs(
            fit.strength[fit.names.index(wish.asker)] - fit.strength[fit.names.index(str(wish.other))]
        )
        assert wish.size == pytest.approx(1.96 * 1.2 * sqrt(2) - apart - 1, abs=2e-6)


def test_noise_in_the_last_bits_changes_no_wish() -> None:
    names = [f"v{number}" for number in range(12)]
    fit = a_fit(dict(zip(names, np.linspace(0, 2, 12), strict=True)), error=0.8)
    noise = np.random.default_rng(3).normal(0, 1e-13, (12, 12))
    shaken = msgspec.structs.replace(
        fit, strength=fit.strength + noise[0], covariance=fit.covariance + noise @ noise.T
    )
    assert wishes(fit) == wishes(shaken, versions=names)


def test_the_forecast_counts_a_comparison_once_for_both() -> None:
    costs = {"a": 1000, "b": 3000, "new": 500}
    both = [Wish("a", "b", 1.0, 4000, 10), Wish("b", "a", 1.0, 4000, 10)]
    assert seconds_until_asleep(both, costs, 1) == 40
    assert seconds_until_asleep([*both, Wish("new", None, 0.0, 500, 6)], costs, 2) == 21.5
    assert seconds_until_asleep([], costs, 2) == 0


def test_more_certainty_leaves_less_to_play() -> None:
    for strengths in ({"a": 0.0, "b": 0.2, "c": 0.1}, {"a": 0.0, "b": 4.0, "c": 8.0}):
        lefts = [
            max(wish.left for wish in wishes(a_fit(strengths, error))) for error in (2.0, 1.0, 0.5, 0.36)
        ]
        assert lefts == sorted(lefts, reverse=True)


def test_five_hundred_are_asked_about_at_once() -> None:
    rng = np.random.default_rng(1)
    names = [f"v{number}" for number in range(500)]
    fit = a_fit(dict(zip(names, rng.normal(0, 5, 500), strict=True)), error=0.5)
    versus = {pair: PairEvidence(1) for pair in combinations(names[:60], 2)}
    found = wishes(fit, versus=versus)
    assert len({wish.asker for wish in found}) == len(found) > 400
