"""Comparing two: the interval against the definition of the test it comes from, verdicts, and false alarms
under a look after every deal."""

import random
from collections.abc import Callable
from math import exp, inf, log
from statistics import fmean, pstdev

import pytest

from protocol.outcome import Forfeit
from tournaments.compare import Answer, Question, answer, differences, radius, struck
from tournaments.results import MatchResult
from tournaments.seatings import seatings


def evidence(units: list[float], mu: float, c2: float) -> float:
    """The likelihood ratio against a mean of μ, from sums of squares."""
    n, d = len(units), fmean(units) - mu
    squares = sum((x - mu) ** 2 for x in units)
    return exp((log(c2 / (n + c2)) + n * (log(squares) - log(squares - n**2 * d**2 / (n + c2)))) / 2)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("n", [12, 40, 300])
def test_on_its_edge_the_evidence_is_one_in_alpha(n: int, alpha: float) -> None:
    rng = random.Random(n)
    units = [float(round(rng.gauss(2, 15))) for _ in range(n)]
    half = radius(n, pstdev(units), alpha)
    c2 = 100 / (log(1 - 2 * log(alpha)) - 2 * log(alpha))
    if half < inf:
        for edge in (fmean(units) - half, fmean(units) + half):
            assert evidence(units, edge, c2) == pytest.approx(1 / alpha)
    else:
        assert evidence(units, fmean(units) + 1e9, c2) < 1 / alpha


def test_the_interval_only_narrows_and_needs_some_units_that_differ() -> None:
    halves = [radius(n, 1.0, 0.05) for n in range(1, 2000)]
    assert halves == sorted(halves, reverse=True)
    assert halves[8] == inf
    assert radius(500, 0.0, 0.05) == inf


# Verdicts


def test_before_anything_is_played() -> None:
    assert answer([], Question()) == Answer(0, None, None, None, None, None)


def test_clearly_better_and_clearly_not() -> None:
    units = [10.0, 12.0] * 20
    assert answer(units, Question()).verdict == "better"
    assert answer([-x for x in units], Question()).verdict == "not better"


def test_a_difference_below_the_margin_is_not_worth_having() -> None:
    units = [-3.0, 3.0] * 200
    assert answer(units, Question()).verdict is None
    assert answer(units, Question(margin=1.0)).verdict == "not better"


def test_a_spent_budget_leaves_it_undecided() -> None:
    assert answer([-3.0, 3.0] * 20, Question(budget=40)).verdict == "undecided"
    assert answer([0.0] * 10, Question(budget=10)).verdict == "undecided"


def test_units_left_are_right_if_all_stays_as_it_is() -> None:
    pattern = [-9.0, 15.0]
    early = answer(pattern * 10, Question())
    assert early.verdict is None
    assert early.units_left is not None
    needed = 20 + early.units_left
    assert [answer((pattern * needed)[:n], Question()).verdict for n in (needed - 2, needed + 2)] == [
        None,
        "better",
    ]
    assert answer(pattern * 10, Question(budget=needed - 1)).units_left is None


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"alpha": 1.0}, {"margin": -1.0}, {"budget": 9}])
def test_questions_without_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="needed"):
        Question(**wrong)  # type: ignore[arg-type]


# From results


def pod(pod_no: int, members: str, gain: Callable[[str, int], int], deals: int = 2) -> list[MatchResult]:
    return [
        MatchResult(
            1,
            pod_no,
            seating_no,
            order,
            tuple(tuple(gain(name, deal) for name in order) for deal in range(deals)),
            (1,) * len(members),
            (),
        )
        for seating_no, order in enumerate(seatings(members, range(len(members))), start=1)
    ]


def test_a_difference_is_a_deals_mean_over_all_seatings() -> None:
    results = pod(1, "abcd", lambda name, deal: {"a": 5 + deal, "b": 3}.get(name, 0))
    assert differences(results, "a", "b") == [2.0, 3.0]
    assert differences(results, "b", "a") == [-2.0, -3.0]
    assert differences(results, "a", "b", unit="pod") == [2.5]


def test_pods_without_all_their_matches_and_without_both_do_not_count() -> None:
    one, two = pod(1, "abcd", lambda name, deal: 1), pod(2, "acde", lambda name, deal: 1)
    assert differences(one[:-1] + two, "a", "b") == []
    assert differences([*two, *reversed(one)], "a", "b") == [0.0, 0.0]


def test_a_forfeit_counts_as_the_lowest_gain() -> None:
    (first, second) = pod(1, "ab", lambda name, deal: 4 if name == "a" else 0, deals=1)
    crashed = MatchResult(1, 1, 1, first.entrants, first.gains, (2, 1), (Forfeit(0, 1, "exited", True),))
    assert differences([crashed, second], "a", "b") == [2.0]
    assert struck([crashed, second], "a", "b")
    assert struck([crashed, second], "c", "a")
    assert not struck([crashed, second], "c", "b")


# Looking after every deal


def coarse(rng: random.Random) -> float:
    """Integers of a heavy tail, standard deviation about 17."""
    return float(round(rng.gauss(0, 12) + (rng.gauss(0, 30) if rng.random() < 0.15 else 0)))


def rare(rng: random.Random) -> float:
    """Bots so alike that they seldom differ."""
    return rng.choice([-20.0, 20.0]) if rng.random() < 0.05 else 0.0


def run(noise: Callable[[random.Random], float], better_by: float, question: Question, seed: int) -> Answer:
    rng = random.Random(seed)
    units: list[float] = []
    while (found := answer(units, question)).verdict is None:
        units.append(noise(rng) + better_by)
    return found


@pytest.mark.parametrize("noise", [coarse, rare])
def test_equal_bots_raise_few_false_alarms(noise: Callable[[random.Random], float]) -> None:
    """500 runs at α = .1 (better or not better: with no margin either is an alarm)."""
    question = Question(alpha=0.1, budget=60)
    found = [run(noise, 0.0, question, seed).verdict for seed in range(500)]
    assert 500 - found.count("undecided") <= 500 * 0.1 + 2 * (500 * 0.1 * 0.9) ** 0.5


def test_a_real_difference_is_found() -> None:
    found = [run(coarse, 6.0, Question(budget=400), seed) for seed in range(40)]
    assert [one.verdict for one in found].count("better") >= 38


@pytest.mark.thorough
def test_false_alarms_over_a_thousand_deals() -> None:
    question = Question(budget=1000)
    found = [run(coarse, 0.0, question, seed) for seed in range(500)]
    alarms = sum(one.verdict != "undecided" for one in found)
    print(f"equal bots, 1,000 deals, a look after each: {alarms} of 500 alarms at α = .05")
    assert alarms <= 500 * 0.05 + 2 * (500 * 0.05 * 0.95) ** 0.5
    for better_by in (2.0, 4.0, 8.0):
        found = [run(coarse, better_by, question, seed) for seed in range(100)]
        units = sorted(one.units for one in found)
        power = sum(one.verdict == "better" for one in found)
        print(f"better by {better_by:g}: {power} of 100 found, median {units[50]} deals")
