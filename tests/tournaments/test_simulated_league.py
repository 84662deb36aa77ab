"""The numbers of a league together, on simulated boards."""

import pytest

from tests.tournaments.simulated_league import Bot, League

HOURS = 3_600_000


def test_two_identical_bots_settle_and_the_board_sleeps() -> None:
    league = League([Bot("a/x", program="x"), Bot("b/x", program="x"), Bot("c/y", 6.0)])
    assert league.run(10 * HOURS)
    assert not league.ahead("a/x", "b/x")
    assert not league.ahead("b/x", "a/x")
    assert league.ahead("c/y", "a/x") or league.ahead("c/y", "b/x")


def test_neighbours_of_one_author_are_settled() -> None:
    league = League([Bot("h/zero"), Bot("a/old", 5.0), Bot("a/new", 8.0, before="a/old")])
    assert league.run(10 * HOURS)
    assert league.ahead("a/new", "a/old")


def test_a_newcomer_wakes_it() -> None:
    league = League([Bot("h/zero"), Bot("a/one", 3.0), Bot("b/two", 6.0, comes=8 * HOURS)])
    assert league.run(20 * HOURS)
    assert league.asked["b/two"]
    assert league.now > 8 * HOURS
    assert all(forecast == (0, 0) for now, forecast in league.forecasts if HOURS < now < 8 * HOURS)


@pytest.mark.thorough
def test_nobody_waits_longer_than_was_promised() -> None:
    bots = [Bot("h/zero"), Bot("h/other", 2.0), Bot("one/x", 1.0), Bot("slow/x", 3.0, cost=30_000)]
    bots += [Bot(f"many/{number}", number / 10, comes=60_000) for number in range(15)]
    league = League(bots)
    league.run(2 * HOURS)
    assert not league.over_bound
