"""The journal of a league goes on in further files: each begins with the state to which the one before has
led."""

import platform
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena import __version__
from arena.commands.league import read, verify
from arena.league.drawing import Drawer
from arena.league.entries import Continued, Started
from arena.league.journal import LeagueJournal, last_segment, segment_file
from arena.league.office import Office, clock
from arena.league.pods import draw
from arena.league.state import LeagueState
from tests.league.leagues import Row, copied, done, rewritten


@pytest.fixture
def league(in_segments: Path) -> Path:
    return in_segments


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
    whole = LeagueState(entries)
    assert whole.carried() == read(league).carried()
    without = LeagueState([entry for entry in entries if not isinstance(entry, Continued)])
    assert msgspec.json.encode(without.carried()) == msgspec.json.encode(whole.carried())


@pytest.mark.thorough
def test_a_backup_of_all_files_goes_on(league: Path, tmp_path: Path) -> None:
    done("export", league, tmp_path / "backup", "--backup")
    done("run", tmp_path / "backup", "--draws", 1, "--jobs", 1)
    assert verify(tmp_path / "backup").wrong == ()


def test_a_journal_goes_on_after_its_9999th_file(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    rewritten(copy, lambda rows: rows[0].update(number=9999), segment_file(3))
    (copy / segment_file(3)).rename(copy / segment_file(9999))
    (copy / "league-00010000.db").touch()
    with Office(copy) as office:
        office.next_segment()
    assert last_segment(copy) == 10_000
    with LeagueJournal(copy) as journal:
        assert isinstance(journal.entries[0], Continued)
    assert read(copy).last_draw == 3


def started(arena: str) -> Started:
    return Started(arena, platform.python_version(), "Linux x86_64", 1, clock())


@pytest.fixture(scope="module")
def upgraded(in_segments: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An arena to come has begun a draw and was killed; the arena that is here has played one more."""
    league = copied(in_segments, tmp_path_factory.mktemp("upgraded"))
    with Office(league) as office:
        office.start(started("99.0"))
        found = Drawer().chosen(office.state)
        assert found is not None
        office.write(draw(office.state, found, clock(), office.seeds))
    done("run", league, "--draws", 1, "--jobs", 1)
    return league


def test_an_upgrade_begins_a_segment_that_says_so(upgraded: Path) -> None:
    firsts = []
    for number in (3, 4, 5):
        with LeagueJournal(upgraded, number=number) as journal:
            firsts.append(journal.entries[:2])
    (full, _), (newer, begun), (older, _) = firsts
    assert isinstance(full, Continued)
    assert isinstance(newer, Continued)
    assert isinstance(older, Continued)
    assert full.why == ""
    assert newer.why.startswith(f"arena 99.0 after {__version__}")
    assert older.why.startswith(f"arena {__version__} after 99.0")
    assert older.holding == (begun,)
    state = read(upgraded)
    assert (state.last_draw, state.first_draw) == (5, 5)
    assert "begun before an upgrade" in done("why", upgraded, 4).out
    assert "played by arena 99.0" in done("why", upgraded, 4).out
    assert verify(upgraded).wrong == ()


def test_the_same_arena_goes_on_in_the_segment(upgraded: Path, tmp_path: Path) -> None:
    copy = copied(upgraded, tmp_path)
    done("run", copy, "--draws", 0, "--jobs", 1)
    assert last_segment(copy) == last_segment(upgraded)


UPGRADES: dict[str, Callable[[list[Row]], object]] = {
    "another reason": lambda rows: rows[0].update(why="arena 98.0 after 1.0"),
    "no reason": lambda rows: rows[0].update(why=""),
    "another arena before": lambda rows: rows[0]["holding"][0].update(arena="98.0"),
    "another arena now": lambda rows: rows[1].update(arena="98.0"),
    "another arena later": lambda rows: rows.append(rows[1] | {"arena": "98.0"}),
    "nobody who plays": lambda rows: rows.pop(1),
}


@pytest.mark.parametrize("forgery", UPGRADES)
def test_a_forged_upgrade_is_found(upgraded: Path, tmp_path: Path, forgery: str) -> None:
    copy = copied(upgraded, tmp_path)
    rewritten(copy, UPGRADES[forgery], segment_file(last_segment(copy)))
    assert verify(copy).wrong


FORGERIES: dict[str, Callable[[list[Row]], object]] = {
    "another strength": lambda rows: rows[0]["carried"]["boards"]["sticheln:4"].update(
        known={"house/x@1": 1.0}
    ),
    "another version": lambda rows: rows[0]["carried"]["versions"].pop(),
    "fewer draws": lambda rows: rows[0]["carried"].update(last_draw=0),
    "another clock": lambda rows: rows[0]["carried"].update(at=0),
    "another beginning": lambda rows: rows[0].update(before="0" * 64),
    "a freeze that never was": lambda rows: rows[0]["holding"].append(
        {"type": "frozen", "reason": "x", "at": 0}
    ),
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
