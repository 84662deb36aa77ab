"""Comparing two: intervals against the definitions of the tests they come from, verdicts, and false alarms
under a look after every pod."""

import random
from collections.abc import Callable
from math import exp, inf, log, prod
from statistics import NormalDist, fmean, pstdev

import msgspec
import numpy as np
import pytest

from protocol.outcome import Forfeit
from tests.tournaments.looks import looks
from tournaments.compare import (
    SHARES,
    Bets,
    ComparisonEstimate,
    Question,
    answer,
    boundary,
    crossing,
    differences,
    final_radius,
    radius,
)
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


def test_the_final_boundary_is_where_a_motion_is_reflected() -> None:
    """With Δ = 0 the boundary is level, and a motion that reaches it is above or below in the end with equal
    chances: D. André's principle."""
    for constant in (1.0, 1.96, 3.0):
        assert crossing(constant, 0.0) == pytest.approx(2 * NormalDist().cdf(-constant), rel=1e-9)


def walks_that_cross(constant: float, shape: float, runs: int, steps: int) -> float:
    rng = random.Random(1)
    crossed = 0
    limits = [constant * (step / steps) ** shape * steps**0.5 for step in range(1, steps + 1)]
    for _ in range(runs):
        at = 0.0
        for limit in limits:
            at += rng.gauss(0, 1)
            if at > limit:
                crossed += 1
                break
    return crossed / runs


def test_walks_cross_the_final_boundary_as_often_as_integrated() -> None:
    """A little less often, since a walk is looked at only after every step: 300 of them."""
    alpha = 0.2
    found = walks_that_cross(boundary(alpha), 0.25, runs=2000, steps=300)
    assert alpha - 0.025 - 2 * (alpha * (1 - alpha) / 2000) ** 0.5 <= found
    assert found <= alpha + 2 * (alpha * (1 - alpha) / 2000) ** 0.5


def test_the_final_interval_only_narrows_and_is_the_narrower_at_the_end() -> None:
    halves = [final_radius(n, 1.0, 0.05, 1000) for n in range(1, 1001)]
    assert halves == sorted(halves, reverse=True)
    assert halves[8] == inf
    assert final_radius(500, 0.0, 0.05, 1000) == inf
    assert final_radius(1000, 1.0, 0.05, 1000) < 0.8 * radius(1000, 1.0, 0.05)


@pytest.mark.parametrize("alpha", [0.02, 0.1])
def test_on_the_edge_of_a_bounded_interval_the_bets_have_won_what_was_agreed(alpha: float) -> None:
    rng = random.Random(3)
    units, bound = [rng.choice([-9.0, -2.0, 1.0, 4.0, 8.0]) for _ in range(60)], 20.0
    low, high = Bets(units, bound).interval(alpha)

    def capital(units: list[float], mean: float) -> float:
        return fmean(
            prod(1 + share * (x - mean) / (bound + mean) for x in units) for share in map(float, SHARES)
        )

    assert -bound < low < fmean(units) < high < bound
    assert capital(units, low) == pytest.approx(2 / alpha)
    assert capital([-x for x in units], -high) == pytest.approx(2 / alpha)


def test_bets_know_nothing_beyond_the_bound() -> None:
    low, high = Bets([3.0] * 2, 100.0).interval(0.05)
    assert -100 < low < -50
    assert 80 < high < 100
    low, high = Bets([-100.0] * 50, 100.0).interval(0.05)
    assert low == -100
    assert -100 < high < -70
    with pytest.raises(ValueError, match="101 in a pod, but the maximum is 100"):
        answer([1.0, -101.0], Question(bound=100.0))


# Verdicts


def test_before_anything_is_played() -> None:
    assert answer([], Question()) == ComparisonEstimate(0, None, None, None, None, None)


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


def verdicts_around(needed: int, question: Question) -> list[str | None]:
    """A few units sooner and later, when as many are low as high."""
    return [answer([-9.0, 15.0] * (needed // 2 + pairs), question).verdict for pairs in (-2, 2)]


def test_units_left_are_right_if_all_stays_as_it_is() -> None:
    pattern = [-9.0, 15.0]
    early = answer(pattern * 10, Question())
    assert early.verdict is None
    assert early.units_left is not None
    needed = 20 + early.units_left
    assert verdicts_around(needed, Question()) == [None, "better"]
    assert answer(pattern * 10, Question(budget=needed - 1)).units_left is None


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("question", [Question(), Question(final=True), Question(bound=90.0)])
def test_a_verdict_needs_one_side_and_the_interval_shares_between_two(question: Question) -> None:
    """So the verdict comes first, and for some time the interval still holds 0."""
    pattern = [-9.0, 15.0]
    found = [answer(pattern * half, question) for half in range(1, 200)]
    at = [one.verdict for one in found].index("better")
    assert found[at].low is not None
    assert found[at].low <= 0
    assert next(one.low for one in found[at:] if one.low is not None and one.low > 0) > 0
    one_sided = answer(pattern * (at + 1), msgspec.structs.replace(question, alpha=2 * question.alpha))
    assert one_sided.low is not None
    assert one_sided.low > 0


@pytest.mark.parametrize("question", [Question(final=True), Question(bound=90.0)])
def test_units_left_are_right_by_other_evidence_too(question: Question) -> None:
    early = answer([-9.0, 15.0] * 10, question)
    assert early.verdict is None
    assert early.units_left is not None
    assert verdicts_around(20 + early.units_left, question) == [None, "better"]


def test_a_margin_beyond_the_bound_is_never_reached() -> None:
    assert answer([20.0], Question(bound=90.0, margin=90.0)).verdict == "not better"


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 0.0},
        {"alpha": 0.5},
        {"margin": -1.0},
        {"budget": 9},
        {"bound": 0.0},
        {"bound": 9.0, "final": True},
    ],
)
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


def test_a_difference_is_a_pods_mean_over_all_deals_and_seatings() -> None:
    results = pod(1, "abcd", lambda name, deal: {"a": 5 + deal, "b": 3}.get(name, 0))
    assert differences(results, "a", "b") == [2.5]
    assert differences(results, "b", "a") == [-2.5]


def test_pods_without_all_their_matches_and_without_both_do_not_count() -> None:
    one, two = pod(1, "abcd", lambda name, deal: 1), pod(2, "acde", lambda name, deal: 1)
    assert differences(one[:-1] + two, "a", "b") == []
    assert differences([*two, *reversed(one)], "a", "b") == [0.0]


def test_pods_count_in_their_order_and_not_as_they_arrive() -> None:
    pods = [pod(number, "abc", lambda name, deal, n=number: n * (name == "a")) for number in (1, 2, 3)]
    assert differences([*pods[2], *pods[0], *pods[1]], "a", "b") == [1.0, 2.0, 3.0]


def test_a_forfeit_counts_as_the_lowest_gain() -> None:
    (first, second) = pod(1, "ab", lambda name, deal: 4 if name == "a" else 0, deals=1)
    crashed = MatchResult(1, 1, 1, first.entrants, first.gains, (2, 1), (Forfeit(0, 1, "exited", True),))
    assert differences([crashed, second], "a", "b") == [2.0]


def test_a_pod_that_all_forfeit_is_a_draw() -> None:
    """Else a comparison of bots that never get through a deal would never end."""
    fallen = tuple(Forfeit(seat, 0, "handshake", False) for seat in (0, 1))
    results = [
        msgspec.structs.replace(result, gains=(), forfeits=fallen) for result in pod(1, "ab", lambda *_: 0)
    ]
    assert differences(results, "a", "b") == [0.0]


# Looking after every pod


def coarse(rng: random.Random) -> float:
    """Integers of a heavy tail, standard deviation about 17."""
    return float(round(rng.gauss(0, 12) + (rng.gauss(0, 30) if rng.random() < 0.15 else 0)))


def rare(rng: random.Random) -> float:
    """Bots so alike that they seldom differ."""
    return rng.choice([-20.0, 20.0]) if rng.random() < 0.05 else 0.0


def run(
    noise: Callable[[random.Random], float], better_by: float, question: Question, seed: int
) -> ComparisonEstimate:
    rng = random.Random(seed)
    units: list[float] = []
    while (found := answer(units, question)).verdict is None:
        units.append(noise(rng) + better_by)
    return found


QUESTIONS = (Question(budget=300), Question(budget=300, final=True), Question(budget=300, bound=400.0))
ways = pytest.mark.parametrize("question", QUESTIONS, ids=["at any time", "final", "bounded"])


@ways
@pytest.mark.parametrize("better_by", [0.0, 6.0, -6.0])
def test_many_looks_at_once_say_what_single_ones_do(question: Question, better_by: float) -> None:
    rng = random.Random(5)
    units = [coarse(rng) + better_by for _ in range(150)]
    seen = looks(np.array(units), question)
    for n in range(1, len(units) + 1, 7):
        found = answer(units[:n], question)
        low, high = -inf if found.low is None else found.low, inf if found.high is None else found.high
        said = {"better": (True, False), "not better": (False, True)}.get(found.verdict or "", (False, False))
        assert (seen.better[n - 1], seen.worse[n - 1], seen.holds[n - 1]) == (*said, low <= 0 <= high)


def alarms(noise: Callable[[random.Random], float], question: Question, runs: int) -> tuple[int, int, int]:
    """In how many runs one of two equals is found to be better, or not to be better though it could be by
    the least bit, and in how many an interval has lost the truth."""
    verdicts, lost = [], 0
    for seed in range(runs):
        rng = random.Random(seed)
        seen = looks(np.array([noise(rng) for _ in range(question.budget)]), question)
        verdicts.append(seen.verdict[0])
        lost += not seen.holds.all()
    return verdicts.count("better"), verdicts.count("not better"), lost


def allowed(alpha: float, runs: int) -> float:
    return float(runs * alpha + 2 * (runs * alpha * (1 - alpha)) ** 0.5)


@pytest.mark.thorough  # 2 s of processor.
@ways
@pytest.mark.parametrize("noise", [coarse, rare])
def test_equal_bots_raise_few_false_alarms(
    noise: Callable[[random.Random], float], question: Question
) -> None:
    """On either side, and of both together by the interval."""
    runs = 400
    assert max(alarms(noise, question, runs)) <= allowed(question.alpha, runs)


def skew(rng: random.Random) -> float:
    """Mean 0: one unit in fifty is twenty standard deviations better."""
    return rng.gauss(-4, 10) + (200 if rng.random() < 0.02 else 0)


def test_bets_hold_where_differences_are_skew_and_the_interval_by_spread_does_not() -> None:
    runs = 200
    assert max(alarms(skew, Question(budget=300, bound=400.0), runs)) <= allowed(0.05, runs)
    assert max(alarms(skew, Question(budget=300), runs)) > 3 * allowed(0.05, runs)


def test_a_real_difference_is_found() -> None:
    found = [run(coarse, 6.0, Question(budget=400), seed) for seed in range(40)]
    assert [one.verdict for one in found].count("better") >= 38


@pytest.mark.thorough
@ways
@pytest.mark.parametrize("noise", [coarse, rare])
def test_false_alarms_over_a_thousand_deals(
    noise: Callable[[random.Random], float], question: Question
) -> None:
    question, runs = msgspec.structs.replace(question, budget=1000), 2000
    better, worse, lost = alarms(noise, question, runs)
    print(f"equal bots, 1,000 deals: better {better}, not better {worse}, interval lost {lost} of {runs}")
    assert max(better, worse, lost) <= allowed(question.alpha, runs)


@pytest.mark.thorough
@ways
def test_what_differs_is_found_sooner_or_later(question: Question) -> None:
    question = msgspec.structs.replace(question, budget=1000)
    for better_by in (2.0, 4.0, 8.0):
        found = [
            looks(np.array([coarse(rng) + better_by for _ in range(1000)]), question).verdict
            for rng in map(random.Random, range(100))
        ]
        units = sorted(after for _, after in found)
        power = [verdict for verdict, _ in found].count("better")
        print(f"better by {better_by:g}: {power} of 100 found, median {units[50]} deals")
        assert "not better" not in [verdict for verdict, _ in found]
