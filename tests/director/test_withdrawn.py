"""An entrant that was withdrawn plays on with its author's next program: under its name, with its points."""

from pathlib import Path

import msgspec
import pytest

from arena.director.entries import Admitted, Created, MatchPlayed, Replaced, RoundPaired, Withdrawn
from arena.director.organiser import decided
from arena.director.points import season_points
from arena.director.state import Record
from arena.entrants.entrant import Entrant
from arena.process.launch import Launch
from arena.system.errors import UserError
from protocol.messages import Limits
from protocol.outcome import Forfeit, Outcome, best_first
from tournaments.formats import format_named

HERE = Path("spring 2")


def program(name: str, digest: str = "") -> Entrant:
    return Entrant(name, Launch(("true",), "/"), digest or f"digest of {name}", f"/bots/{name}.py")


def begun(rounds: int = 3) -> Record:
    settings = Created(
        arena="0", seed="7", game="sticheln", rules=1, options={}, format="swiss", rounds=rounds, pod_size=4,
        duplicates=True, deals=1, limits=Limits(), faults=1, entrants=tuple(map(program, "abcd")),
        left_out=(),
    )  # fmt: skip
    return Record([settings])


def play(record: Record, *dying: str, matches: int = 4) -> None:
    """So many matches of the round that is due, in which some die before their first reply."""
    if not record.due():
        pods = format_named("swiss").draw(record.field())
        assert pods is not None
        record.add(RoundPaired(len(record.drawn) + 1, pods))
    for job in record.due()[:matches]:
        names = tuple(one.name for one in job.entrants)
        gains = tuple(-9 if name in dying else "dcba".find(name) for name in names)
        forfeits = tuple(
            Forfeit(names.index(name), 0, "handshake", answered=False) for name in dying if name in names
        )
        outcome = Outcome((gains,), (gains,), best_first(list(gains)))
        row = MatchPlayed(job.match_id, len(record.drawn), 1, job.seating_no, names, outcome, forfeits, "")
        record.add(row)


def replaced(record: Record, digest: str = "better") -> str:
    decision = decided(Replaced(program("a", digest), "her next one"), record, HERE)
    if decision.done.new:
        record.add(decision.entry)
    return decision.done.text


def test_who_died_too_often_plays_on_with_its_next_program() -> None:
    record = begun()
    play(record, "a")
    assert record.withdrawn == ("a",)
    assert replaced(record) == "a plays again, in its new version from the next round on, round 2"
    assert record.withdrawn == ()
    assert replaced(record) == "a already plays with this program"
    play(record)
    play(record)
    rows = {row.name: row for row in record.standings(exact=False).entrants}
    assert (rows["a"].matches, rows["a"].rank, rows["a (round 1)"].rank) == (8, 1, None)
    # Three more deaths are its own.
    assert record.died() == ()
    again = begun()
    play(again, "a")
    replaced(again)
    play(again, "a")
    assert again.withdrawn == ("a",)


def test_in_a_season_its_points_stay_in_one_row() -> None:
    record = begun(rounds=2)
    play(record, "a")
    replaced(record)
    play(record)
    assert record.over
    table = {row.name: row.total for row in season_points([record], (5, 3, 1))}
    assert table == {"a": 5, "b": 3, "c": 1, "d": 0}


def test_whom_the_organiser_took_out_comes_back_with_the_same_program() -> None:
    record = begun()
    play(record)
    record.add(decided(Withdrawn("a", "ill"), record, HERE).entry)
    assert replaced(record, "digest of a").startswith("a plays again, as the same program from the next")
    assert record.withdrawn == ()
    assert record.fielded.entrants == ("a", "b", "c", "d")
    # The same reason once more is another entry.
    assert decided(Withdrawn("a", "ill"), record, HERE).done.new


def test_a_program_answers_for_its_own_deaths() -> None:
    """Where it is replaced before it has died too often, and its last matches are still to be played."""
    record = begun()
    play(record, "a", matches=2)
    replaced(record)
    play(record, "a")
    assert record.withdrawn == ()
    # Rounds that earlier arenas have drawn are drawn in the same way.
    record = begun()
    play(record, "a", matches=2)
    record.add(Replaced(program("a", "better"), "of an earlier arena"))
    play(record, "a")
    assert record.withdrawn == ("a",)


def test_admit_names_the_way_back() -> None:
    record = begun()
    play(record, "a")
    with pytest.raises(
        UserError, match=r"'a' has already entered; .*: arena replace 'spring 2' a=/bots/a.py"
    ):
        decided(Admitted(program("a", "better")), record, HERE)
    late = msgspec.structs.replace(program("e"), source="/bots/e.py")
    record.add(Admitted(late))
    record.add(Withdrawn("e", "ill"))
    with pytest.raises(
        UserError, match=r"to let it play again: arena replace 'spring 2' e=/bots/e.py --reason"
    ):
        decided(Admitted(late), record, HERE)
