"""Standings: ranks, ranges, scores and who is listed where, by hand."""

import random
from itertools import product

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.support.results import match
from tournaments.results import Forfeit, MatchResult
from tournaments.standings import Ranks, Standing, ranks_of, standings
from tournaments.statistics import Estimate


def test_a_small_tournament() -> None:
    """Round 1: a–b 4:0 in both seatings, c–house-1 6:0, twice. Round 2: a–c, where c crashes."""
    results = [
        match((1, 1, 1), {"a": (4, 4), "b": (0, 0)}),
        match((1, 1, 2), {"b": (0, 0), "a": (4, 4)}),
        match((1, 2, 1), {"c": (6, 6), "house-1": (0, 0)}),
        match((1, 2, 2), {"house-1": (0, 0), "c": (6, 6)}),
        match((2, 1, 1), {"a": (1, 0), "c": (1, 0)}, Forfeit(1, 2, "timeout", answered=True)),
    ]
    table = standings(results, ["c", "b", "a"])

    assert [row.name for row in table.entrants] == ["a", "c", "b"]
    # a = b + 4 and a = c (both as played and as forfeited): a 4/3, c 4/3, b −8/3; the house 6 below c.
    assert [(row.rank, row.gain) for row in table.entrants] == [(1, 1.333333), (1, 1.333333), (3, -2.666667)]
    a, c, _ = table.entrants
    assert a == Standing(
        name="a",
        rank=1,
        rank_low=1,
        rank_high=3,  # nobody sat in three pods, so there is no interval
        gain=1.333333,
        low=None,
        high=None,
        score=3.0,
        max_score=3.0,
        buchholz=0.5,  # b 0, c 1
        pods=2,
        matches=3,
        deals=6,
        forfeits={},
    )
    # c ties with house-1, twice, and has met no other entrant than a.
    assert (c.score, c.max_score, c.buchholz, c.forfeits) == (1.0, 3.0, 3.0, {"timeout": 1})
    (house,) = table.house
    assert (house.name, house.rank, house.rank_low, house.gain) == ("house-1", None, None, -4.666667)
    assert (house.score, house.max_score, house.buchholz, house.low) == (0, 0, 1.0, None)


def test_before_anything_is_played_nobody_has_a_rank() -> None:
    table = standings([], ["b", "a"])
    assert [(row.name, row.rank, row.rank_low, row.rank_high) for row in table.entrants] == [
        ("a", None, 1, 2),
        ("b", None, 1, 2),
    ]
    a = table.entrants[0]
    assert (a.gain, a.low, a.buchholz, a.score, a.max_score, a.matches) == (None, None, None, 0, 0, 0)
    assert table.house == ()


def test_nothing_orders_bots_whom_no_pod_connects() -> None:
    """Each pod has the mean 0, however strong those in it are."""
    first_round = [
        match((1, 1, 1), {"a": (9,), "b": (0,)}),
        match((1, 2, 1), {"c": (1,), "d": (0,)}),
    ]
    rows = standings(first_round, "abcd").entrants
    assert [(row.name, row.rank, row.rank_low, row.rank_high) for row in rows] == [
        (name, None, 1, 4) for name in "abcd"
    ]
    both = [*first_round, match((2, 1, 1), {"a": (0,), "d": (6,)})]
    assert [row.rank for row in standings(both, "abcd").entrants] == [1, 2, 3, 4]


def test_ranks_go_to_those_whom_pods_connect_if_they_are_the_most() -> None:
    results = [
        match((1, 1, 1), {"a": (9,), "b": (0,), "c": (3,)}),
        match((1, 2, 1), {"d": (1,), "e": (0,)}),
    ]
    rows = standings(results, "abcde").entrants
    assert [(row.name, row.rank) for row in rows] == [("a", 1), ("c", 2), ("b", 3), ("d", None), ("e", None)]
    assert [(row.rank_low, row.rank_high) for row in rows] == [(1, 5)] * 5


def test_house_bots_connect_pods_since_they_are_all_alike() -> None:
    results = [
        match((1, 1, 1), {"a": (9,), "house-1": (0,)}),
        match((1, 2, 1), {"b": (1,), "house-2": (0,)}),
    ]
    assert [row.rank for row in standings(results, "ab").entrants] == [1, 2]


def test_the_withdrawn_come_last_without_a_rank() -> None:
    results = [match((1, 1, 1), {"b": (0,), "a": (5,), "c": (1,)})]
    rows = standings(results, "abc", withdrawn=["a"]).entrants
    assert [(row.name, row.rank, row.rank_high, row.gain) for row in rows] == [
        ("c", 1, 2, 0.5),
        ("b", 2, 2, -0.5),
        ("a", None, None, 4.5),
    ]


def test_rank_ranges_count_whole_intervals() -> None:
    estimates = [
        Estimate(9.0, 8.0, 10.0, component=0),
        Estimate(7.0, 5.0, 9.0, component=0),  # touches the first and the third
        Estimate(3.0, 1.0, 5.0, component=0),
        Estimate(3.0, component=0),  # not sure at all
        Estimate(),  # nowhere yet
        Estimate(-1.0, -2.0, 0.0, component=0),
    ]
    assert ranks_of(estimates) == [
        Ranks(1, 1, 4),  # two lie wholly below
        Ranks(2, 1, 5),
        Ranks(3, 2, 5),
        Ranks(3, 1, 6),
        Ranks(None, 1, 6),
        Ranks(5, 4, 6),
    ]


def test_who_came_late_is_first_only_with_half_of_the_rounds() -> None:
    """Of ten rounds c plays the last four, and is the best by far; with the last five it is first."""
    for begins, ranks in ((7, {"a": 1, "c": 2, "b": 3}), (6, {"c": 1, "a": 2, "b": 3})):
        results = [
            match((n, 1, 1), {"a": (3,), "b": (0,), **({"c": (90 + n,)} if n >= begins else {})})
            for n in range(1, 11)
        ]
        rows = standings(results, "abc", joined={"c": begins}).entrants
        assert {row.name: row.rank for row in rows} == ranks
        assert {row.name: row.joined for row in rows} == {"a": None, "b": None, "c": begins}
        c = next(row for row in rows if row.name == "c")
        assert (c.rank_low, c.rank_high) == (1, 1) if begins == 6 else (2, 2)
        rows = standings(results, "abc", joined={"c": begins}, may_win=["c"]).entrants
        assert rows[0].name == "c"


def by_hand(gains: list[float], late: list[bool]) -> list[int]:
    """Each one's rank, in words: the best of those in time is first; then all by gain."""
    of_gain = sorted(range(len(gains)), key=lambda at: -gains[at])
    first = next(at for at in of_gain if not late[at])
    order = [first, *(at for at in of_gain if at != first)]
    return [order.index(at) + 1 for at in range(len(gains))]


@given(
    st.integers(2, 4).flatmap(
        lambda count: st.tuples(
            st.permutations(range(2 * count)),
            st.lists(st.booleans(), min_size=count, max_size=count).filter(lambda late: not all(late)),
        )
    )
)
def test_ranges_are_exactly_the_ranks_that_gains_within_the_intervals_give(
    drawn: tuple[list[int], list[bool]],
) -> None:
    """All gains are tried out; no two entrants have the same."""
    ends, late = drawn
    intervals = [sorted(pair) for pair in zip(ends[::2], ends[1::2], strict=True)]
    estimates = [
        Estimate((low + high) / 2 + at / 10, low, high, component=0)
        for at, (low, high) in enumerate(intervals)
    ]
    possible = [
        by_hand([gain + at / 10 for at, gain in enumerate(gains)], late)
        for gains in product(*(range(low, high + 1) for low, high in intervals))
    ]
    for at, ranks in enumerate(ranks_of(estimates, late)):
        seen = [one[at] for one in possible]
        assert (ranks.low, ranks.high) == (min(seen), max(seen))
        assert ranks.rank in seen


def test_who_came_late_is_behind_all_that_share_the_first_place() -> None:
    estimates = [Estimate(gain, gain - 1, gain + 1, component=0) for gain in (2.0, 2.0, 9.0)]
    assert ranks_of(estimates, [False, False, True]) == [Ranks(1, 1, 3), Ranks(1, 1, 3), Ranks(3, 2, 3)]


def test_where_all_came_late_nobody_is_first() -> None:
    """Those who played before have withdrawn."""
    results = [match((n, 1, 1), {"a": (3,), "b": (n,)}) for n in range(1, 6)]
    results += [match((n, 1, 1), {"c": (9 - n,), "d": (n % 2,)}) for n in range(6, 9)]
    rows = standings(results, "abcd", "ab", joined={"c": 6, "d": 6}).entrants[:2]
    assert [(row.name, row.rank) for row in rows] == [("c", 2), ("d", 3)]
    assert all(2 <= (row.rank_low or 0) <= (row.rank or 0) <= (row.rank_high or 0) <= 3 for row in rows)


def test_house_bots_are_listed_by_number() -> None:
    pod = {"a": (1,), "house-10": (0,), "house-9": (0,)}
    assert [row.name for row in standings([match((1, 1, 1), pod)], ["a"]).house] == ["house-9", "house-10"]


def test_buchholz_counts_an_opponent_once_a_round() -> None:
    results = [
        match((1, 1, 1), {"a": (1,), "b": (0,)}),
        match((1, 1, 2), {"b": (0,), "a": (1,)}),
        match((2, 1, 1), {"a": (1,), "b": (0,)}),
        match((2, 2, 1), {"c": (1,), "d": (0,)}),
        match((3, 1, 1), {"a": (0,), "c": (1,)}),
    ]
    by_name = {row.name: row.buchholz for row in standings(results, "abcd").entrants}
    # Scores: a 3, b 0, c 2, d 0; a met b, b and c.
    assert by_name == {"a": 0.666667, "b": 3.0, "c": 1.5, "d": 2.0}


def test_forfeits_are_counted_by_kind() -> None:
    def fallen(seating_no: int, kind: str) -> MatchResult:
        return match((1, 1, seating_no), {"a": (1,), "b": (1,)}, Forfeit(1, 1, kind, answered=True))

    rows = standings([fallen(1, "timeout"), fallen(2, "exited"), fallen(3, "timeout")], "ab").entrants
    assert msgspec.json.encode([row.forfeits for row in rows]) == b'[{},{"exited":1,"timeout":2}]'


def test_the_order_of_arrival_changes_no_byte() -> None:
    rng = random.Random(2)
    results = [
        match((r, 1, s), {name: (rng.randrange(99), rng.randrange(99)) for name in rng.sample("abc", 3)})
        for r in (1, 2, 3)
        for s in (1, 2)
    ]
    first = msgspec.json.encode(standings(results, "abc"))
    for _ in range(5):
        rng.shuffle(results)
        assert msgspec.json.encode(standings(iter(results), "bca")) == first
    assert msgspec.json.decode(first)["entrants"][0]["rank"] == 1
