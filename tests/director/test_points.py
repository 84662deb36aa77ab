"""Points of a season: places, shared places, and what a knockout is played for."""

from arena.director.points import Points, places, points_for, season_points
from arena.director.state import Record
from tests.support.ahead import by_strength, play
from tests.support.seasons import begun

GAINS = by_strength({"a": 4, "b": 3, "c": 2, "d": 1}, luck=0)


def test_who_shares_a_place_shares_its_points() -> None:
    assert points_for({"a": 1, "b": 2, "c": 2, "d": 4, "e": 5}, (10, 8, 6, 5)) == {
        "a": 10, "b": 7, "c": 7, "d": 5, "e": 0,
    }  # fmt: skip
    assert points_for({"a": 2, "b": 2, "c": 2}, (10, 8)) == {"a": 2.666667, "b": 2.666667, "c": 2.666667}


def test_a_season_of_points() -> None:
    spring, summer = play(begun("abcd"), GAINS), play(begun("abce", seed="2"), GAINS)
    table = season_points([spring, summer], (5, 3, 1))
    assert [(row.place, row.name, row.total) for row in table] == [
        (1, "a", 10), (2, "b", 6), (3, "c", 2), (4, "d", 0), (4, "e", 0),
    ]  # fmt: skip
    assert table[3].events[1] is None
    assert table[3].events[0] is not None
    assert table[3].events[0].place == 4


def test_nothing_before_the_end() -> None:
    half = play(begun("abcd", rounds=4), GAINS, rounds=2)
    assert season_points([half], (5, 3))[0] == Points(1, "a", 0.0, (None,))


def knockout() -> Record:
    return play(begun("abcdefgh", format="knockout", rounds=2), GAINS)


def test_the_place_in_a_knockout_is_how_far_a_bot_came() -> None:
    record = knockout()
    assert record.course is not None
    assert record.course.winner == "a"
    found = places(record)
    assert sorted(found.values()) == [1, 2, 2, 2, 5, 5, 5, 5]
    assert found["a"] == 1
