"""`arena standings`, `export` and `report` over several runs, as a person calls them."""

import csv
import io
import pickle
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

import arena as library
from arena.director.entries import Created
from arena.director.journal import Journal
from tests.cli.calls import arena
from tests.support.programs import Program

SHORT = ("--seats", 3, "--deals", 1, "--no-duplicates", "--sandbox", "none")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tournaments of three echoes; in the second cy has a new program, and bob's is called eve. A third
    one has another clock."""
    folder = tmp_path_factory.mktemp("season")
    for name in ("ada", "bob", "cy"):
        (folder / f"{name}.py").write_text(Program().source())
    (folder / "new").mkdir()
    (folder / "new" / "cy.py").write_text(f"{Program().source()}\n# better\n")
    runs = {
        "spring": ("ada.py", "bob.py", "cy.py", "--rounds", 3),
        "summer": ("ada.py", "eve=bob.py", "new/cy.py", "--rounds", 1),
        "other": ("ada.py", "bob.py", "cy.py", "--rounds", 1, "--time", "2s+10s"),
    }
    for seed, (run, words) in enumerate(runs.items(), 1):
        call = arena("tournament", *words, *SHORT, "--seed", seed, "--out", run, folder=folder)
        assert call.status == 0, call.err
    return folder


@pytest.mark.thorough  # 3 s of processor.
def test_a_season_as_tables(place: Path) -> None:
    call = arena("standings", "spring", "summer", "--points", "5,3", "--full", folder=place)
    assert call.status == 0, call.err
    assert "Sticheln (NSV) · spring, summer · 4 matches" in call.out
    rows = [line.split() for line in call.out.splitlines()]
    assert ["spring", "spring"] in [row[-4:-2] for row in rows if row[1:3] == ["cy", "(spring)"]]
    assert any(row[1:2] == ["eve"] and "also bob" in " ".join(row) for row in rows)
    for heading in ("Points by place: 5, 3", "Who gains more than whom", "Who met whom"):
        assert heading in call.out


@pytest.mark.thorough  # 2 s of processor.
def test_a_season_as_json(place: Path) -> None:
    found: Any = arena(
        "standings", "spring", "summer", "--json", "--points", "5,3,1", "--full", folder=place
    ).json
    assert [event["event"] for event in found["events"]] == ["spring", "summer"]
    entrants = {row["name"]: row for row in found["entrants"]}
    assert entrants["eve"]["names"] == ["bob", "eve"]
    assert (entrants["cy (spring)"]["replaced"], entrants["cy (spring)"]["rank"]) == (True, None)
    assert (entrants["ada"]["first"], entrants["ada"]["last"], entrants["ada"]["pods"]) == (
        "spring",
        "summer",
        4,
    )
    names = {row["name"]: row for row in found["points"]["names"]}
    assert sum(row["total"] for row in names.values()) == 18
    assert names["bob"]["points"][1] is None
    assert names["cy"]["programs"] == ["cy (spring)", "cy"]
    assert {row["event"] for row in found["meetings"]} == {"", "spring", "summer"}


def test_runs_that_cannot_be_compared_give_points(place: Path) -> None:
    refused = arena("standings", "spring", "other", folder=place)
    assert refused.status == 2
    assert "other has time for a decision 2000 ms, spring 1000 ms" in refused.err
    assert "count only points (--points" in refused.err
    counted = arena("standings", "spring", "other", "--points", "2,1", folder=place)
    assert counted.status == 0, counted.err
    assert "only points are shown, since other has time for a decision 2000 ms, spring 1000 ms" in counted.out
    assert "gain/deal" not in counted.out
    found: Any = arena("standings", "spring", "other", "--points", "2,1", "--json", folder=place).json
    assert len(found["differences"]) == 1
    assert "entrants" not in found


def test_rows_tell_their_tournament_and_program(place: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(arena("export", "spring", "summer", folder=place).out)))
    assert len(rows) == 12
    programs = {(row["event"], row["bot"]): row["program"] for row in rows}
    assert programs["spring", "bob"] == programs["summer", "eve"] != programs["spring", "ada"]
    assert programs["spring", "cy"] != programs["summer", "cy"]
    one = list(csv.DictReader(io.StringIO(arena("export", "spring", folder=place).out)))
    assert [{key: row[key] for key in one[0]} for row in rows if row["event"] == "spring"] == one


def test_a_copy_is_the_same_tournament(place: Path) -> None:
    shutil.copytree(place / "spring", place / "copy", dirs_exist_ok=True)
    call = arena("standings", "spring", "copy", folder=place)
    assert (call.status, call.err) == (2, "arena: copy: the same tournament as spring; name each only once\n")


def test_a_strangers_run_is_counted_and_named(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "summer", tmp_path / "summer")
    with sqlite3.connect(tmp_path / "summer" / "tournament.db") as db:
        db.execute("DELETE FROM made_here")
    call = arena("standings", "spring", tmp_path / "summer", folder=place)
    assert call.status == 0, call.err
    assert call.err.startswith("summer: this run does not say where it was made")
    assert call.err.endswith("which programs played is only what it says\n")


def test_a_season_as_a_page(place: Path) -> None:
    words = ("spring", "summer", "--points", "5,3,1", "--title", "<b>Club", "--out", "club.html")
    call = arena("report", *words, folder=place)
    assert (call.status, call.out) == (0, "club.html\n"), call.err
    page = (place / "club.html").read_text()
    assert "<h1>&lt;b&gt;Club</h1>" in page
    for heading in ("Programs by strength", "Points", "Who met whom"):
        assert f"<h2>{heading}</h2>" in page
    assert "cy (spring)" in page
    assert "also bob" in page


def test_a_page_of_points_alone_says_why(place: Path) -> None:
    call = arena("report", "spring", "other", "--points", "5,3,1", "--out", "points.html", folder=place)
    assert call.status == 0, call.err
    page = (place / "points.html").read_text()
    assert "other has time for a decision 2000 ms, spring 1000 ms." in page
    assert "<h2>Points</h2>" in page
    assert "<h2>Programs by strength</h2>" not in page
    refused = arena("report", "spring", "other", "--out", "refused.html", folder=place)
    assert refused.status == 2
    assert not (place / "refused.html").exists()


def test_a_season_without_a_point_has_no_winner(place: Path, tmp_path: Path) -> None:
    words = (*SHORT, "--rounds", 2, "--seed", 9, "--out", tmp_path / "run")
    assert arena("tournament", "ada.py", "bob.py", *words, folder=place).status == 0
    with Journal(tmp_path / "run") as journal:
        first, *others = journal.entries
        assert isinstance(first, Created)
        with Journal.create(tmp_path / "open", first) as copy:
            copy.add(others[0])
    call = arena(
        "report", tmp_path / "open", place / "spring", "--points", "0", "--out", tmp_path / "page.html"
    )
    assert call.status == 0, call.err
    page = (tmp_path / "page.html").read_text()
    assert "Nobody has points yet." in page
    assert 'class="medal"' not in page
    assert "A tournament that is not over gives no points yet." in page


def plain(rows: library.Rows[Any]) -> Any:
    """The rows as JSON has them."""
    return msgspec.json.decode(msgspec.json.encode(rows.to_dicts()))


def test_the_same_in_python(place: Path, tmp_path: Path) -> None:
    season = library.season(place / "spring", place / "summer")
    found: Any = arena(
        "standings", "spring", "summer", "--json", "--points", "5,3", "--full", folder=place
    ).json
    assert season.standings_data([5, 3], full=True) == found
    assert [row.name for row in season.standings] == [row["name"] for row in found["entrants"]]
    assert "cy (spring)" in season.standings._repr_html_()
    assert plain(season.points([5, 3])) == found["points"]["names"]
    assert plain(season.meetings) == found["meetings"]
    rows = season.export(tmp_path / "rows.csv").read_text()
    assert rows == arena("export", "spring", "summer", folder=place).out
    assert season.report(tmp_path / "page.html", points=[5, 3]).exists()
    assert len(pickle.loads(pickle.dumps(season)).standings) == len(season.standings)
    with pytest.raises(library.UserError, match="no place can give more"):
        season.points([3, 5])
    apart = library.season(place / "spring", place / "other")
    assert len(apart.differences) == 1
    with pytest.raises(library.UserError, match="time for a decision"):
        _ = apart.meetings
