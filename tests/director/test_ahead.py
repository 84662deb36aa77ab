"""The sentence that says who is ahead, and the bands of the table: of tournaments that are drawn as real
ones, with gains as each test wants them.
"""

from arena.director.ahead import bands, who_is_ahead, winners
from arena.director.entries import Admitted
from arena.director.state import Record
from tests.support.ahead import bot, by_strength, created, play
from tests.support.results import match
from tournaments.standings import standings
from tournaments.statistics import FEWEST_PODS


def said(record: Record) -> str:
    # What a draw from results does to the width of intervals takes long, and is not asked for here.
    return who_is_ahead(record, record.standings(exact=False))


def won_by(record: Record) -> tuple[str, ...]:
    return winners(record, record.standings(exact=False))


def test_before_the_first_match() -> None:
    assert said(Record([created("abcd", 5)])) == "No match has been played yet."


def test_a_clear_winner() -> None:
    gains = by_strength({"a": 9, "b": 5, "c": 1}, luck=20)
    record = play(Record([created("abcd", 6)]), gains, rounds=4)
    assert said(record) == "a leads in round 4 of 6; its interval lies above those of all other ranked bots."
    assert won_by(record) == ()
    assert said(play(record, gains)) == "a won; its interval lies above those of all other ranked bots."
    assert won_by(record) == ("a",)


def test_those_that_are_not_apart_are_named_by_their_titles() -> None:
    entrants = (bot("a", "Ada <b>"), *map(bot, "bcd"))
    settings = created("abcd", 9, entrants=entrants)
    record = play(Record([settings]), by_strength({"a": 9, "b": 9, "c": 1}, luck=30))
    sentence = said(record)
    assert sentence.partition(" won; ")[2] in (
        "either of Ada <b> and b could be the best.",
        "either of b and Ada <b> could be the best.",
    )


def test_equal_bots_are_not_told_apart() -> None:
    record = play(Record([created("abcdefgh", 6)]), by_strength({}, luck=50))
    assert said(record).endswith(" won; any of the 8 bots could be the best.")


def test_the_named_could_each_be_first_and_overlap() -> None:
    """What the sentence rests on, for tables of all kinds of luck."""
    for luck in (1, 20, 60, 150, 400):
        strength = {name: at for at, name in enumerate("abcdefgh")}
        record = play(Record([created("abcdefgh", 5)]), by_strength(strength, luck))
        rows = record.standings(exact=False).entrants
        first = [row for row in rows if row.rank_low == 1]
        assert rows[0] in first
        for one in first:
            assert all((one.low or 0) <= (other.high or 0) for other in first)
            assert all((one.high or 0) >= (other.low or 0) for other in rows)


def test_ties_share_the_first_place() -> None:
    gains = {"a": 5, "b": 5, "c": 1, "d": 0}
    record = play(Record([created("abcd", 2)]), lambda name, _: gains[name])
    assert said(record) == "a and b share first place; too little was played to say how certain that is."
    assert won_by(record) == ("a", "b")


def test_too_few_rounds_for_an_interval() -> None:
    gains = by_strength({"a": 9, "b": 5}, luck=20)
    record = play(Record([created("abcd", 6)]), gains, rounds=FEWEST_PODS - 1)
    assert said(record) == "a leads in round 2 of 6; too little was played to say how certain that is."
    short = play(Record([created("abcd", FEWEST_PODS - 1)]), gains)
    assert said(short) == "a won; too little was played to say how certain that is."


def test_a_late_bot_that_gains_more_is_not_passed_over() -> None:
    gains = by_strength({"late": 9, "a": 5, "b": 1}, luck=20)
    record = play(Record([created("abc", 7)]), gains, rounds=4)
    record.add(Admitted(bot("late")))
    assert said(play(record, gains)) == "a won; late gained more, but joined too late to be first."


def test_a_late_bot_without_an_interval_is_named() -> None:
    gains = by_strength({"a": 5, "b": 3, "c": 1}, luck=20)
    record = play(Record([created("abc", 6)]), gains, rounds=4)
    record.add(Admitted(bot("late")))
    assert said(play(record, gains)) == (
        "a won; its interval lies above those of all other ranked bots; late has no interval."
    )


def test_gains_that_cannot_be_compared() -> None:
    record = Record([created("abcdefgh", 3)])
    assert said(play(record, by_strength({}, luck=9), rounds=1)) == (
        "Nobody leads yet: the gains of the bots cannot be compared."
    )
    assert won_by(record) == ()


def test_a_knockout_is_won_in_the_final() -> None:
    gains = by_strength({name: at for at, name in enumerate("hgfedcba")}, luck=10)
    record = play(Record([created("abcdefgh", 2, format="knockout")]), gains, rounds=1)
    assert said(record) == "a, b, c, d and 4 more play round 1 of 2."
    final = play(record, gains)
    assert said(final) == "a won the final; too little was played to say how certain that is."


def test_a_knockout_winner_that_did_not_gain_most() -> None:
    def gains(name: str, round_no: int) -> int:
        if round_no == 1:
            return {"a": 900, "b": 50}.get(name, 0)
        return 10 if name == "b" else 0

    record = play(Record([created("abcd", 2, format="knockout")]), gains)
    assert said(record).startswith("a won the final")  # of one pod, round 1 is the final
    eight = play(Record([created("abcdefgh", 2, format="knockout")]), gains)
    assert said(eight).startswith("b won the final; a gained most per deal; ")
    assert won_by(eight) == ("b",)


def test_a_gauntlet_tells_the_place_of_its_challenger() -> None:
    settings = created("abcdefgh", 6, format="gauntlet", challengers=("c",))
    record = play(Record([settings]), by_strength({"a": 9, "b": 8, "c": 4}, luck=50))
    assert "; the challenger c is 3 of 8" in said(record)
    alone = play(Record([settings]), by_strength({"c": 9}, luck=50))
    assert "challenger" not in said(alone)


def test_bands_part_only_what_is_apart() -> None:
    results = [
        match((n, 1, 1), {"a": (90 + n % 3,), "b": (91 - n % 3,), "c": (50 + n % 2,), "d": (n % 2,)})
        for n in range(1, 9)
    ]
    rows = standings(results, "abcd").entrants
    assert bands(rows) == (2, 3)
    assert min(row.low or 0 for row in rows[:2]) > (rows[2].high or 0)
    assert bands(standings(results[:2], "abcd").entrants) == ()  # no intervals
    assert bands(()) == ()
