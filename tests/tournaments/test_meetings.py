"""Who met whom: pods, differences and their intervals."""

from protocol.outcome import Forfeit
from tests.tournaments.test_standings import match
from tournaments.clustered import clustered_mean
from tournaments.meetings import Meeting, meetings


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
