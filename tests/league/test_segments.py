"""The journal of a league goes on in further files: each begins with the state to which the one before has
led."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.calls.league import read, verify
from arena.league.entries import Continued, LeagueJournal, segment_file
from arena.league.state import State
from tests.league.leagues import NEW, Row, copied, done, rewritten


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One draw in a file of the journal, and three in all."""
    league = tmp_path_factory.mktemp("segments") / "league"
    done("new", league, *NEW, "--segment", 1)
    done("author", league, "red", "--title", "Team Red")
    done("run", league, "--draws", 3, "--jobs", 1)
    return league


def test_all_of_it_is_verified(league: Path) -> None:
    assert sorted(path.name for path in league.glob("*.db")) == [segment_file(n) for n in (1, 2, 3)]
    found = verify(league)
    assert (found.draws, found.wrong) == (3, ())
    assert read(league).last_draw == 3
    assert "draw 1 on sticheln:4" in done("why", league, 1).out
    assert read(league).authors["red"].title == "Team Red"


def test_what_is_carried_is_all_that_there_was(league: Path) -> None:
    entries = []
    for number in (1, 2, 3):
        with LeagueJournal(league, number=number) as journal:
            entries += journal.entries
    whole = State(entries)
    assert whole.carried() == read(league).carried()
    without = State([entry for entry in entries if not isinstance(entry, Continued)])
    assert msgspec.json.encode(without.carried()) == msgspec.json.encode(whole.carried())


@pytest.mark.thorough
def test_a_backup_of_all_files_goes_on(league: Path, tmp_path: Path) -> None:
    done("export", league, tmp_path / "backup", "--backup")
    done("run", tmp_path / "backup", "--draws", 1, "--jobs", 1)
    assert verify(tmp_path / "backup").wrong == ()


FORGERIES: dict[str, Callable[[list[Row]], object]] = {
    "another strength": lambda rows: rows[0]["carried"]["boards"]["sticheln:4"].update(
        known={"house/x@1": 1.0}
    ),
    "another version": lambda rows: rows[0]["carried"]["versions"].pop(),
    "fewer draws": lambda rows: rows[0]["carried"].update(last_draw=0),
    "another clock": lambda rows: rows[0]["carried"].update(at=0),
    "another beginning": lambda rows: rows[0].update(before="0" * 64),
    "other settings": lambda rows: rows[0]["founded"].update(alpha=0.5),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_state_is_found(league: Path, tmp_path: Path, forgery: str) -> None:
    copy = copied(league, tmp_path)
    rewritten(copy, FORGERIES[forgery], segment_file(3))
    assert verify(copy).wrong


def test_a_missing_file_is_found(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    (copy / segment_file(2)).unlink()
    assert verify(copy).wrong
    (copy / segment_file(3)).rename(copy / segment_file(2))
    assert verify(copy).wrong == (f"{copy / segment_file(2)}: it is segment 3",)
