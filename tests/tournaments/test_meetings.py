"""Who met whom: pods, differences and their intervals."""

import random
from fractions import Fraction
from itertools import combinations
from math import sqrt

import pytest
from scipy.stats import t

from protocol.faults import FaultKind
from protocol.outcome import Forfeit
from tests.support.results import match
from tournaments.clustered import clustered_mean
from tournaments.meetings import Meeting, meetings
from tournaments.results import MatchResult


def test_pods_are_what_counts() -> None:
    """Two matches of a pod are one meeting; its deals are no further evidence."""
    results = [
        match((1, 1, 1), {"a": (5, 3), "b": (1, 1), "house-1": (0, 0)}),
        match((1, 1, 2), {"b": (2, 0), "a": (4, 0), "house-1": (9, 9)}),
        match((2, 1, 1), {"a": (0, 1), "b": (1, 0), "c": (0, 0)}),
        match((3, 1, 1), {"a": (4, 4), "b": (0, 0), "c": (1, 0)}),
    ]
    found = {(one.one, one.other): one for one in meetings(results, "abc")}
    assert [*found] == [("a", "b"), ("a", "c"), ("b", "c")]
    exact = clustered_mean({"1": [4, 2, 2, 0], "2": [-1, 1], "3": [4, 4]})
    assert found["a", "b"] == Meeting("a", "b", 3, exact.mean, *(round(end or 0, 6) for end in exact[1:]))
    assert found["a", "c"] == Meeting("a", "c", 2, 2.0)
    assert [*meetings(reversed(results), "abc")] == [*found.values()]


def test_a_forfeit_is_the_lowest_gain_of_every_deal() -> None:
    fallen = match((1, 1, 1), {"a": (5, 9), "b": (1, 1), "c": (-2, 0)}, Forfeit(0, 2, "exited", True))
    assert [(one.one, one.other, one.difference) for one in meetings([fallen], "abc")] == [
        ("a", "b", -2.0),
        ("a", "c", 0.0),
        ("b", "c", 2.0),
    ]


def test_a_match_without_a_deal_is_a_meeting() -> None:
    assert meetings([match((1, 1, 1), {"a": (), "b": ()})], "ab") == (Meeting("a", "b", 1),)


def test_no_interval_where_nothing_varies() -> None:
    results = [match((n, 1, 1), {"a": (2,), "b": (1,)}) for n in range(1, 6)]
    assert meetings(results, "ab") == (Meeting("a", "b", 5, 1.0),)


def test_nobody_meets_itself() -> None:
    """A program that sits twice at a table, under two names."""
    assert meetings([match((1, 1, 1), {"a": (2,), "b": (1,)})], "b") == ()


def tournament(rng: random.Random) -> list[MatchResult]:
    """Pods of three of six bots and a house bot, in one to three seatings; some matches are forfeited, and
    some deals are not finished."""
    results = []
    for round_no in range(1, 6):
        order = rng.sample(["a", "b", "c", "d", "e", "house-1"], 6)
        for pod_no, pod in enumerate((order[:3], order[3:]), start=1):
            for seating_no in range(1, rng.randrange(2, 5)):
                seated = tuple(rng.sample(pod, 3))
                deals = rng.randrange(1, 4)
                gains = tuple(tuple(rng.randrange(-20, 21) for _ in seated) for _ in range(deals))
                lost = [seat for seat in range(3) if rng.random() < 0.15]
                forfeits = tuple(
                    Forfeit(seat, rng.randrange(deals + 1), FaultKind.EXITED, answered=True) for seat in lost
                )
                results.append(MatchResult(round_no, pod_no, seating_no, seated, gains, (1, 1, 1), forfeits))
    return results


def counted_otherwise(results: list[MatchResult], one: str, other: str) -> Meeting | None:
    """One pair: match by match, in fractions."""
    sums: dict[tuple[int, int], list[int]] = {}
    for result in results:
        if one not in result.entrants or other not in result.entrants:
            continue
        faulty = [result.entrants[forfeit.seat] for forfeit in result.forfeits]
        for deal in result.gains:
            of_name = dict(zip(result.entrants, deal, strict=True))
            first, second = (min(deal) if name in faulty else of_name[name] for name in (one, other))
            sums.setdefault((result.round_no, result.pod_no), []).append(first - second)
    if not sums:
        return None
    pods = list(sums.values())
    number = sum(len(pod) for pod in pods)
    mean = Fraction(sum(sum(pod) for pod in pods), number)
    low = high = None
    errors = sum((sum(pod) - len(pod) * mean) ** 2 for pod in pods)
    if len(pods) >= 3 and errors:
        variance = errors * Fraction(len(pods), len(pods) - 1) / number**2
        half = t.ppf(0.975, len(pods) - 1) * sqrt(variance)
        low, high = round(float(mean) - half, 6), round(float(mean) + half, 6)
    return Meeting(one, other, len(pods), round(float(mean), 6), low, high)


def test_it_agrees_with_a_second_way_to_count() -> None:
    rng = random.Random(5)
    intervals = 0
    for _ in range(20):
        results = tournament(rng)
        expected = [counted_otherwise(results, *names) for names in combinations("abcde", 2)]
        rng.shuffle(results)
        found = meetings(results, "abcde")
        assert len(found) == sum(one is not None for one in expected)
        for one, other in zip(found, filter(None, expected), strict=True):
            assert (one.one, one.other, one.pods) == (other.one, other.other, other.pods)
            assert one.difference == pytest.approx(other.difference, abs=2e-6)
            assert (one.low is None) == (other.low is None)
            if one.low is not None:
                intervals += 1
                assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=2e-6)
    assert intervals > 20
