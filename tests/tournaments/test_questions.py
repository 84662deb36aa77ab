from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from math import sqrt

import msgspec
import numpy as np
import pytest

from tournaments.agenda import Turn, Wish
from tournaments.questions import (
    FEWEST_PLACEMENT,
    FOUNDING,
    VAST,
    Ranked,
    forecast,
    open_wishes,
    pods_of_placement,
)
from tournaments.strength import Pair, StrengthFit, Sums, Variances


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
    said: Collection[Pair] = (),
    *,
    met: Mapping[Pair, int] | None = None,
    versions: Sequence[str] | None = None,
    before: Mapping[str, str] | None = None,
    anchors: Collection[str] = (),
    margin: float = 1.0,
) -> list[Wish]:
    """What is open where all versions of the fit have been compared often."""
    singles = singles or {}
    names = versions or [*(fit.names if fit else ()), *(name for name in singles)]
    costs = dict.fromkeys([*names, *(before or {}).values()], 1000)
    met = {(name, "another"): 99 for name in fit.names} if met is None and fit else met or {}
    return open_wishes(Ranked(names, fit, singles, met, said, before or {}, anchors, costs, margin))


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
    met = {("a", "b"): 2, ("a", "c"): 1, ("a", "d"): 2}
    assert wishes(None, met=met, versions=[*"abcd"])[0].other == "c"


def test_where_nothing_ever_differs_nothing_is_asked_for_ever() -> None:
    met = {("a", other): FOUNDING for other in "bc"}
    unknown = a_fit({"a": 0.0, "b": 0.0, "c": 0.0})
    unknown = msgspec.structs.replace(unknown, variances=Variances(1.0, 1.0, 0))
    assert not wishes(unknown, met=met)
    assert [(wish.asker, wish.other) for wish in wishes(unknown, met=met, versions=[*"abcd"])] == [("a", "d")]


@pytest.mark.parametrize("versions", [[], ["a"]])
def test_one_alone_has_nobody_to_be_compared_with(versions: list[str]) -> None:
    assert not [wish for wish in wishes(None, versions=versions) if wish.other]


def test_a_newcomer_is_placed_then_asked_about() -> None:
    fit = a_fit({"a": 0.0, "b": 30.0})
    wanted = pods_of_placement(fit, 1.0)
    assert wanted >= FEWEST_PLACEMENT
    said = {("b", "a")}
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
    assert not wishes(fit, said={("a", "b")})
    assert not wishes(fit, said={("b", "a")})


def test_beyond_neighbours_it_is_enough_that_the_order_is_sure() -> None:
    fit = a_fit({"a": 10.0, "b": 5.0, "c": 0.0})
    said = {("a", "b"), ("b", "c"), ("a", "c")}
    assert not wishes(fit, said=said)
    unsure = a_fit({"a": 10.0, "b": 5.0, "c": 0.0}, error=4.2)
    assert pairs(wishes(unsure, said={("a", "b"), ("b", "c")})) == {frozenset("ac")}


def test_a_version_is_compared_with_the_one_before_it_also_if_that_rests() -> None:
    fit = a_fit({"a1": 0.0, "a2": 9.0, "b": 4.0})
    said = {("a2", "b")}
    assert not wishes(fit, said=said, versions=["a2", "b"])
    (wish,) = wishes(fit, said=said, versions=["a2", "b"], before={"a2": "a1"})
    assert (wish.asker, wish.other) == ("a2", "a1")


def test_a_predecessor_that_was_never_measured_is_not_asked_about() -> None:
    said = {("a2", "b")}
    fit = a_fit({"a2": 9.0, "b": 4.0})
    assert not wishes(fit, said=said, versions=["a2", "b"], before={"a2": "a1"})


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


def test_the_forecast_counts_a_comparison_once_for_both_and_shares_the_cores_with_placements() -> None:
    both = [Wish(one, other, 1.0, 4000, 10, left_at_most=25) for one, other in ("ab", "ba")]
    newcomer = Wish("new", None, 0.0, 500, 6)
    assert forecast([*both, newcomer], 1) == (4, 43, 103)
    assert forecast([*both, newcomer], 2) == (2, 21.5, 51.5)
    short = [msgspec.structs.replace(wish, left=1, cost=200) for wish in both]
    assert forecast([*short, newcomer], 1).placed_in == 3.2
    assert forecast([], 2) == (0, 0, 0)


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
    found = wishes(fit, met=dict.fromkeys(combinations(names, 2), 1))
    assert len({wish.asker for wish in found}) == len(found) > 400


def test_nobody_asks_about_anchors_that_have_been_compared() -> None:
    fit = a_fit({"zero": 0.0, "anchor": 0.5, "a": 0.6})
    assert pairs(wishes(fit, anchors={"zero", "anchor"}, margin=0.5)) == {
        frozenset(("zero", "a")),
        frozenset(("anchor", "a")),
    }
    found = wishes(fit, {"late": rows(12)}, anchors={"zero", "anchor", "late"})
    assert "late" in {wish.asker for wish in found}


def test_who_has_no_pod_and_then_who_has_no_interval_comes_first() -> None:
    fit = a_fit({"a": 0.0, "b": 30.0})
    turns = {
        wish.asker: wish.turn
        for wish in wishes(fit, {"few": rows(2), "some": rows(3)}, versions=["a", "b", "new", "few", "some"])
        if wish.other is None
    }
    assert turns == {"new": Turn.WITHOUT_PODS, "few": Turn.WITHOUT_INTERVAL, "some": Turn.REST}


def test_the_leader_and_neighbours_come_before_a_predecessor_and_that_before_others() -> None:
    fit = a_fit({"a": 9.0, "b": 4.0, "c": 3.8, "d2": 3.6, "d1": 3.4, "e": 3.2}, error=1.0)
    first = {wish.asker: (wish.other, wish.turn) for wish in wishes(fit, before={"d2": "b"})}
    assert first["a"][1] == Turn.STATEMENT
    assert all(turn == Turn.STATEMENT for _, turn in first.values())
    said = {*combinations(fit.names, 2)} - {("b", "d2"), ("b", "e")}
    assert {wish.asker: wish.turn for wish in wishes(fit, said=said, before={"d2": "b"})} == {
        "b": Turn.REST,
        "d2": Turn.PREDECESSOR,
        "e": Turn.REST,
    }


def test_copies_are_not_asked_about_any_more() -> None:
    fit = a_fit({"a": 0.0, "b": 0.0}, error=2.0)
    assert wishes(fit)
    assert not wishes(fit, said={("a", "b")})


def test_the_forecast_is_a_range() -> None:
    for error in (0.4, 1.0, 2.0):
        for difference in (0.0, 0.5, 1.0, 3.0, 6.0):
            (wish, _) = wishes(a_fit({"a": difference, "b": 0.0}, error)) or (None, None)
            if wish:
                assert 1 <= wish.left <= wish.left_at_most
