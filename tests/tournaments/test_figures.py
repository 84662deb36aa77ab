"""What standings tell beside the rank: superiority, gains by seat, what duplicates were worth, plans."""

import random
from itertools import permutations
from math import inf

import msgspec
import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from tournaments.duplication import duplication
from tournaments.plan import Spread, deals_for, margin_after, measured_spread, rounds_for
from tournaments.results import MatchResult
from tournaments.seat_gains import SeatGain, seat_gains
from tournaments.seatings import seatings
from tournaments.standings import standings
from tournaments.superiority import Superiority, superiorities


def match(entrants: str, *gains: tuple[int, ...], place: tuple[int, int, int] = (1, 1, 1)) -> MatchResult:
    return MatchResult(*place, tuple(entrants), gains, (1,) * len(entrants), ())


def rounds(entrants: str, *gains: tuple[int, ...], pod_no: int = 1) -> list[MatchResult]:
    """A round of one deal for each of these."""
    return [match(entrants, deal, place=(number, pod_no, 1)) for number, deal in enumerate(gains, start=1)]


# Superiority


def test_superiority_of_two_by_hand() -> None:
    """a gains 1, 2 and 6 above the mean, b as much below: a difference of 2, 4 and 12 a deal."""
    (found,) = superiorities(rounds("ab", (1, -1), (2, -2), (6, -6)), "ab")
    error = 2 * (14 / 9 * 3 / 2) ** 0.5
    p = round(2 * t.sf(6 / round(error, 6), 2), 6)
    assert found == Superiority("a", "b", 6.0, round(error, 6), p, holm=p)
    (wider,) = superiorities(rounds("ab", (1, -1), (2, -2), (6, -6)), "ab", widening=2.0)
    assert wider.error == pytest.approx(2 * found.error, abs=2e-6)


def test_every_two_who_can_be_compared() -> None:
    results = [
        *rounds("abc", (3, 1, 0), (5, 0, 0), (1, 2, 0)),
        *rounds("de", (1, 0), (2, 0), (1, 0), pod_no=2),
    ]
    found = superiorities(results, "abcde", withdrawn="c")
    assert [(pair.better, pair.worse) for pair in found] == [("a", "b"), ("d", "e")]


def test_nothing_is_claimed_of_bots_whose_difference_never_varies() -> None:
    assert superiorities(rounds("ab", (3, 3), (1, 1), (2, 2)), "ab") == ()
    assert superiorities(rounds("ab", (3, 1), (3, 1), (3, 1)), "ab") == ()


def test_holm_by_hand() -> None:
    """The smallest of three times 3, the next times 2, the last as it is, and none below one before it."""
    results = rounds("abc", (9, 1, 0), (9, 2, 2), (8, 0, 1), (9, 1, 1), (8, 2, 0))
    found = sorted(superiorities(results, "abc"), key=lambda pair: pair.p)
    first, second, third = (pair.p for pair in found)
    assert [pair.holm for pair in found] == pytest.approx(
        [3 * first, max(3 * first, 2 * second), max(2 * second, third)], abs=2e-6
    )


# Seats


def dealt(rng: random.Random, favour: int, duplicates: bool, copies: bool, pods: int) -> list[MatchResult]:
    """Pods of four; seat 1 gains `favour` more. Copies gain what the cards give, others have noise."""
    results = []
    for pod_no in range(1, pods + 1):
        cards = [[rng.randrange(-20, 21) + favour * (seat == 1) for seat in range(4)] for _ in range(4)]
        rows = seatings("abcd", rng.sample(range(4), 4))
        for seating_no, order in enumerate(rows if duplicates else rows[:1], start=1):
            gains = [
                tuple(card + (0 if copies else rng.randrange(-9, 10)) for card in deal) for deal in cards
            ]
            results.append(match("".join(order), *gains, place=(1, pod_no, seating_no)))
    return results


def test_gains_by_seat_are_a_t_test_over_deals() -> None:
    results = dealt(random.Random(1), favour=3, duplicates=False, copies=False, pods=5)
    deals = np.array([np.array(deal) - np.mean(deal) for result in results for deal in result.gains])
    for seat, found in enumerate(seat_gains(results)):
        expected = ttest_1samp(deals[:, seat], 0)
        assert found.gain == pytest.approx(deals[:, seat].mean(), abs=1e-6)
        assert found.p == pytest.approx(expected.pvalue, abs=1e-6)


@pytest.mark.parametrize("duplicates", [True, False])
def test_a_biased_dealer_shows_and_a_fair_one_does_not(duplicates: bool) -> None:
    biased = seat_gains(dealt(random.Random(2), 8, duplicates, copies=False, pods=60))
    assert biased[1].gain == pytest.approx(8 * 3 / 4, abs=3)
    assert biased[1].p is not None
    assert biased[1].p < 1e-6
    for seat in seat_gains(dealt(random.Random(3), 0, duplicates, copies=False, pods=60)):
        assert seat.p is not None
        assert seat.p > 0.01


def test_too_few_deals_for_an_error_and_a_dealer_without_chance() -> None:
    assert seat_gains([]) == ()
    assert seat_gains([match("ab", (1, 0))]) == (SeatGain(0, 0.5, None, None), SeatGain(1, -0.5, None, None))
    assert seat_gains([match("ab", *[(1, 0)] * 3)])[0] == SeatGain(0, 0.5, 0.0, 0.0)
    assert seat_gains([match("ab", *[(0, 0)] * 3)])[0] == SeatGain(0, 0.0, 0.0, 1.0)


# Duplication


def test_four_copies_of_one_bot_end_exactly_equal() -> None:
    """Even where the dealer is biased."""
    results = dealt(random.Random(4), favour=8, duplicates=True, copies=True, pods=3)
    for row in standings(results, "abcd").entrants:
        assert (row.rank, row.gain, row.low, row.high) == (1, 0.0, None, None)
    assert superiorities(results, "abcd") == ()
    single = dealt(random.Random(4), favour=8, duplicates=False, copies=True, pods=3)
    assert len({row.gain for row in standings(single, "abcd").entrants}) == 4


def test_duplicates_are_worth_what_the_cards_decide() -> None:
    """Cards with a variance of 140, noise of 30: four independent tables have (140 + 30) / 4, four seatings
    of one deal 30 / 4: 170 / 30 times less."""
    worth = duplication(dealt(random.Random(5), 0, duplicates=True, copies=False, pods=200), "abcd")
    assert worth == pytest.approx(170 / 30, rel=0.15)
    none = duplication(dealt(random.Random(5), 0, duplicates=False, copies=False, pods=50), "abcd")
    assert none == 1.0


# Plans


@pytest.mark.parametrize("correlation", [0.0, 0.02])
def test_a_plan_is_the_least_that_does(correlation: float) -> None:
    for margin, deviation in [(8.0, 15.0), (2.5, 3.0), (20.0, 15.0), (1.0, 0.0)]:
        spread = Spread(deviation, correlation)
        rounds, deals = rounds_for(margin, 4, spread), deals_for(margin, 3, spread)
        assert rounds is not None
        assert deals is not None
        assert margin_after(rounds, 4, spread) <= margin
        assert rounds == 3 or margin_after(rounds - 1, 4, spread) > margin
        assert margin_after(3, deals, spread) <= margin
        assert deals == 1 or margin_after(3, deals - 1, spread) > margin


def test_margins_by_the_book() -> None:
    """t(2) = 4.303 for three rounds; of deals that have a tenth in common four are worth 4 / 1.3."""
    assert margin_after(3, 4, Spread(10.0)) == pytest.approx(4.303 * 10 / 12**0.5, rel=1e-3)
    assert margin_after(3, 4, Spread(10.0, 0.1)) == pytest.approx(4.303 * 10 * (1.3 / 12) ** 0.5, rel=1e-3)
    assert margin_after(1, 2, Spread(10.0)) == margin_after(2, 9, Spread(10.0)) == inf
    assert rounds_for(1e-9, 4, Spread(10.0)) is None


def test_no_number_of_deals_makes_up_for_rounds() -> None:
    """What the deals of a pod have in common is left: 4.303 · 10 · √(.1 / 3) = 7.9 after any number."""
    assert deals_for(8.0, 3, Spread(10.0, 0.1)) is not None
    assert deals_for(7.8, 3, Spread(10.0, 0.1)) is None
    assert rounds_for(7.8, 4, Spread(10.0, 0.1)) is not None


@pytest.mark.parametrize("common", [0, 20])
def test_a_measured_spread_plans_the_margin_that_was_reached(common: int) -> None:
    """Each round a gains or loses some `common` in all deals of the pod."""
    chance = random.Random(6)
    results = []
    for played in dealt(chance, 0, duplicates=True, copies=False, pods=30):
        luck = random.Random(played.pod_no).choice((-common, common))
        seat = played.entrants.index("a")
        gains = tuple(
            tuple(gain + luck * (at == seat) for at, gain in enumerate(deal)) for deal in played.gains
        )
        results.append(msgspec.structs.replace(played, gains=gains, round_no=played.pod_no, pod_no=1))
    spread = measured_spread(results, "abcd")
    assert spread is not None
    assert (spread.correlation > 0.5) == bool(common)
    rows = standings(results, "abcd").entrants
    widths = [row.high - row.low for row in rows if row.high is not None and row.low is not None]
    assert margin_after(30, 4, spread) == pytest.approx(sum(widths) / 8, rel=0.2)
    assert measured_spread([], "abcd") is None


def test_the_order_of_arrival_changes_no_byte() -> None:
    results = dealt(random.Random(7), 0, duplicates=True, copies=False, pods=3)
    for order in [results[::-1], results[3:] + results[:3]]:
        assert superiorities(order, "abcd") == superiorities(results, "dcba")
        assert seat_gains(order) == seat_gains(results)
        assert duplication(order, "abcd") == duplication(results, "abcd")


def test_seats_are_told_apart_from_entrants() -> None:
    """a is better by 6 wherever it sits: no seat is."""
    results = [
        match("".join(order), tuple(6 * (name == "a") for name in order), place=(1, n, 1))
        for n, order in enumerate(permutations("abc"), start=1)
    ]
    assert [seat.gain for seat in seat_gains(results)] == [0.0, 0.0, 0.0]
