"""A season: what several tournaments are as one table, against the same matches as one tournament."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import pytest

from arena.director.entries import (
    Admitted,
    JournalEntry,
    MatchAnnulled,
    MatchPlayed,
    Replaced,
    RoundPaired,
    Withdrawn,
    match_id,
    place,
)
from arena.director.season import SeasonRecord
from arena.director.state import Record
from arena.system.errors import UserError
from protocol.messages import Limits
from protocol.outcome import Outcome
from tests.support.ahead import by_strength, play
from tests.support.seasons import EIGHT, begun, program
from tournaments.meetings import meetings
from tournaments.standings import standings
from tournaments.superiority import superiorities

LUCKY = by_strength({name: at for at, name in enumerate(EIGHT)}, luck=300)


def cut(record: Record, lengths: Sequence[int]) -> Iterator[Record]:
    """The rounds of a tournament as tournaments of their own."""
    before = 0
    for number, length in enumerate(lengths):
        settings = msgspec.structs.replace(
            record.created, rounds=length, seed=f"part {number}".replace(" ", "-")
        )
        entries: list[JournalEntry] = [settings]
        for round_no in range(1, length + 1):
            entries.append(RoundPaired(round_no, record.drawn[before + round_no - 1]))
            for played in record.played.values():
                if played.round_no == before + round_no:
                    own = match_id(round_no, *place(played.match_id)[1:])
                    entries.append(msgspec.structs.replace(played, match_id=own, round_no=round_no))
        yield Record(entries)
        before += length


def season(*records: Record, widenings: Sequence[float] = (1.0, 1.0, 1.0)) -> SeasonRecord:
    """What a draw from results does to intervals takes long to measure, and is given."""
    for record, widening in zip(records, widenings, strict=False):
        vars(record)["widening"] = widening
    return SeasonRecord(dict(zip(("spring", "summer", "autumn"), records, strict=False)))


@pytest.mark.parametrize("lengths", [(3, 3, 3), (1, 2, 6)])
def test_it_is_the_table_of_the_same_matches_as_one(lengths: Sequence[int]) -> None:
    """Only how much wider intervals are for drawing from results is each tournament's own."""
    one = play(begun(rounds=9), LUCKY)
    parts = season(*cut(one, lengths), widenings=(1.1, 1.3, 1.2))
    assert parts.table == standings(*one.fielded, widening=1.3)
    assert parts.superiority == superiorities(*one.fielded, widening=1.3)
    assert [pair.all for pair in parts.head_to_head] == [*meetings(one.results, one.names)]


@pytest.mark.thorough
def test_how_much_wider_its_intervals_are_is_measured() -> None:
    one = play(begun(rounds=6), by_strength({}, luck=600))
    parts = SeasonRecord(dict(zip(("spring", "summer"), cut(one, (3, 3)), strict=True)))
    own = [part.widening for part in parts.records]
    print(f"as one {one.widening}, in parts {own}")
    assert parts.widening == max(own) > 1
    assert parts.table == standings(*one.fielded, widening=max(own))


@pytest.mark.thorough  # 2 s of processor.
def test_a_round_that_is_played_does_not_change_how_much_wider_intervals_are() -> None:
    """So that nobody waits after each pod; once it is over, it counts."""
    whole = play(begun(rounds=4), by_strength({}, luck=600))
    last = [match for match in whole.played.values() if match.round_no == 4]
    record = begun(rounds=4)
    for round_no, pods in enumerate(whole.drawn, start=1):
        record.add(RoundPaired(round_no, pods))
        for match in whole.played.values():
            if match.round_no == round_no < 4:
                record.add(match)
    measured = record.widening
    for match in last[:-1]:
        record.add(match)
        assert record.widening == measured
    record.add(last[-1])
    assert record.widening == whole.widening != measured


def test_it_is_exactly_that_where_rounds_are_not_drawn_from_results() -> None:
    one = play(begun("abcdefghijkl", rounds=9, format="round-robin"), by_strength({"a": 2}, luck=300))
    assert len(one.drawn) >= 6
    parts = season(*cut(one, (3, len(one.drawn) - 3)))
    assert parts.table == one.standings()


def test_programs_go_by_digest() -> None:
    """b's program goes on as c, a has a new one, and d is the same all the time."""
    spring = play(begun("abd"), LUCKY)
    summer = play(
        begun("acd", seed="2", entrants=(program("a", "new"), program("c", "digest of b"), program("d"))),
        LUCKY,
    )
    found = season(spring, summer)
    rows = {one.name: (one.names, one.events, one.replaced, one.whole) for one in found.programs.values()}
    assert rows == {
        "a (spring)": (("a",), ("spring",), True, False),
        "c": (("b", "c"), ("spring", "summer"), False, True),
        "d": (("d",), ("spring", "summer"), False, True),
        "a": (("a",), ("summer",), False, False),
    }
    table = {row.name: row for row in found.table.entrants}
    assert (table["c"].pods, table["d"].pods, table["a"].pods, table["a (spring)"].pods) == (6, 6, 3, 3)
    assert table["a (spring)"].rank is None
    assert "b and c are the same program, which has one row" in found.caveats


def test_a_version_of_one_tournament_is_called_by_its_rounds() -> None:
    spring = play(begun("abcd", rounds=4), LUCKY, rounds=1)
    spring.add(Replaced(program("a", "better"), "a bug"))
    play(spring, LUCKY)
    summer = play(begun("bcda", seed="2", entrants=(program("a", "best"), *map(program, "bcd"))), LUCKY)
    assert [*season(spring, summer).programs] == [
        "a (spring, round 1)",
        "b",
        "c",
        "d",
        "a (spring, rounds 2–4)",
        "a",
    ]
    # And one that comes back is the same.
    again = play(begun("abcd", seed="3"), LUCKY)
    found = season(spring, again).programs
    assert [*found] == ["a", "b", "c", "d", "a (spring, rounds 2–4)"]
    assert found["a"].events == ("spring", "summer")


def test_who_was_not_there_for_half_of_the_rounds_is_not_first() -> None:
    gains = by_strength({"x": 99}, luck=30)
    spring, summer = play(begun("abcd", rounds=5), gains), play(begun("abcx", seed="2"), gains)
    found = season(spring, summer)
    assert [(row.name, row.rank) for row in found.table.entrants][:2] == [
        (found.table.entrants[0].name, 1),
        ("x", 2),
    ]
    assert "x gained more, but in fewer than half of the rounds" in found.ahead
    # It is if it is there for long enough.
    assert season(summer, play(begun("abcx", seed="4"), gains)).table.entrants[0].name == "x"


def test_who_left_by_the_organisers_hand_has_no_rank() -> None:
    spring, summer = play(begun("abcd"), LUCKY), play(begun("abcd", seed="2"), LUCKY, rounds=2)
    summer.add(Withdrawn("b", "its author's wish"))
    rows = {row.name: row.rank for row in season(spring, summer).table.entrants}
    assert rows["b"] is None
    assert sorted(rank for name, rank in rows.items() if name != "b") == [1, 2, 3]
    # Who comes back is in again.
    rows = {row.name: row.rank for row in season(summer, play(begun("abcd", seed="5"), LUCKY)).table.entrants}
    assert None not in rows.values()


def test_twins_in_one_pod_are_one_program() -> None:
    """Also where they meet each other; its gain is that of both."""
    twins = (program("a", "x"), program("b", "x"), program("c"), program("d"))
    gains = by_strength({"a": 3, "b": 1, "c": -2, "d": -2}, luck=0)
    found = season(*(play(begun("abcd", seed=str(seed), entrants=twins), gains) for seed in (1, 2)))
    table = {row.name: row for row in found.table.entrants}
    assert [*table] == ["a", "c", "d"]
    assert round((table["a"].gain or 0) - (table["c"].gain or 0)) == 400
    assert found.programs["a"].names == ("a", "b")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"pod_size": 3}, "summer has seats 3, spring 4"),
        ({"limits": Limits(decision_ms=5)}, "summer has time for a decision 5 ms, spring 1000 ms"),
        ({"faults": 2}, "summer has faults that forfeit 2, spring 1"),
        ({"ponder": True}, "summer has thinking on others' time allowed, spring not allowed"),
        ({"seed": "1"}, "summer has the same seed as spring, so its cards are the same"),
    ],
)
def test_other_conditions_have_no_common_table(changed: Mapping[str, object], said: str) -> None:
    found = season(begun(), begun(**{"seed": "2", **changed}))  # type: ignore[arg-type]
    assert found.differences == (said,)
    with pytest.raises(UserError, match="count only points"):
        _ = found.table


def test_all_that_differs_is_said_at_once() -> None:
    """Whoever looks for what to leave out sees everything."""
    found = season(begun(), begun(seed="1", faults=2, pod_size=3))
    with pytest.raises(UserError) as raised:
        _ = found.table
    assert len(found.differences) == 3
    assert all(said in str(raised.value) for said in found.differences)


def test_other_formats_deals_and_rounds_do() -> None:
    other = begun(rounds=5, seed="2", format="round-robin", deals=4, duplicates=True)
    assert season(begun(), other).differences == ()


def test_a_season_is_of_one_game() -> None:
    with pytest.raises(UserError, match="summer is a tournament of ole, but spring is one of sticheln"):
        season(begun(), begun(game="ole", seed="2"))


def test_a_name_that_never_entered_is_nobodys() -> None:
    """A stranger's journal can say so. Were it taken by its name, it would move another run's program."""
    forged = begun("abcd", seed="2")
    forged.add(RoundPaired(1, (("a", "b", "c", "z"),)))
    deal = ((9, -3, -3, -3),)
    forged.add(
        MatchPlayed("r01-p001-s01", 7, 1, 1, ("z", "b", "c", "d"), Outcome(deal, deal, (1, 2, 2, 2)), (), "")
    )
    found = season(play(begun("abcz"), LUCKY), forged)
    assert {row.name: row.pods for row in found.table.entrants}["z"] == 3
    assert [row.name for row in found.table.house] == ["house-z"]


def test_head_to_head_goes_by_name_over_time() -> None:
    spring = play(begun("abcd"), by_strength({"a": 1}, luck=0))
    summer = play(
        begun("abcd", seed="2", entrants=(program("a", "new"), *map(program, "bcd"))),
        by_strength({"b": 4}, luck=0),
    )
    pair = next(
        pair for pair in season(spring, summer).head_to_head if (pair.all.one, pair.all.other) == ("a", "b")
    )
    assert (pair.all.pods, pair.all.difference) == (6, -150)
    assert [event and event.difference for event in pair.events] == [100, -400]
    assert pair.all.low is not None
    assert pair.all.low < -150
    assert {event and event.low for event in pair.events} == {None}  # Nothing varies.


def test_late_and_annulled() -> None:
    spring = play(begun("abc", rounds=4, pod_size=3), LUCKY, rounds=2)
    spring.add(Admitted(program("d")))
    play(spring, LUCKY)
    spring.add(MatchAnnulled("r01-p001-s01", "the machine slept"))
    found = season(spring, play(begun("abcd", seed="2", pod_size=3), LUCKY))
    rows = {row.name: row.joined for row in found.table.entrants}
    assert rows == {"a": None, "b": None, "c": None, "d": 3}
    assert sum(row.matches for row in found.table.entrants) == sum(
        name in "abcd" for one in found.records for result in one.results for name in result.entrants
    )
