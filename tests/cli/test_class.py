"""A class in a file, as a teacher enters it: checked, played, with a table for each group."""

import csv
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.cli.calls import ROOT, arena

GOOD = ROOT / "bots" / "careful.py"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of three bots, one of them in an archive, one that was not handed in, one that is
    no bot, and a row that names none."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "in").mkdir()
    for name in ("ada", "bob"):
        shutil.copy(GOOD, tmp_path / "in" / f"{name}.py")
    with zipfile.ZipFile(tmp_path / "in" / "cy.zip", "w") as archive:
        archive.write(GOOD, "handed in/bot.py")
    (tmp_path / "in" / "Fay_81201_assignsubmission_file_").mkdir()
    (tmp_path / "in" / "Fay_81201_assignsubmission_file_" / "essay.pdf").touch()
    (tmp_path / "class.csv").write_text(
        "Group;Title;Author;Bot;Mark\r\n7a;Ada;Lovelace;in/ada.py;1\r\n7b;;Lovelace;in/bob.py\r\n"
        "7a;;=1+1;in/cy.zip\r\n7b;;;in/eve.py\r\n7b;;;in/Fay_81201_assignsubmission_file_/essay.pdf\r\n;x\r\n"
    )
    return tmp_path


@pytest.mark.thorough  # 2 s of processor.
def test_a_tournament_with_groups(place: Path) -> None:
    words = ("--rounds", 1, "--deals", 1, "--seats", 3, "--no-duplicates", "--out", "run", "--quiet")
    played = arena("tournament", "class.csv", *words, folder=place)
    assert played.status == 0, played.err
    assert "unused columns: mark" in played.err
    assert "class.csv, line 5, column bot: there is no file in/eve.py" in " ".join(played.err.split())
    assert "class.csv, line 7, column bot: it is empty" in " ".join(played.err.split())
    assert played.out.index("Group 7a") < played.out.index("Group 7b")
    found = arena("standings", "run", "--json", folder=place).json
    assert isinstance(found, dict)
    groups = {group["group"]: group["entrants"] for group in found["groups"]}
    ranks = {row["name"]: row["rank"] for row in found["entrants"]}
    assert sorted(row["name"] for row in groups["7a"]) == ["ada", "cy"]
    assert [row["name"] for row in groups["7b"]] == ["bob"]
    assert [row["overall"] for row in groups["7b"]] == [ranks["bob"]]
    assert groups["7b"][0]["rank"] == 1
    config = arena("config", "run", folder=place).out
    assert '[group]\nada = "7a"\nbob = "7b"\ncy = "7a"\n' in config
    assert '[author]\nada = "Lovelace"\nbob = "Lovelace"\ncy = "=1+1"\n' in config
    assert arena("verify", "run", folder=place).status == 0
    assert arena("report", "run", folder=place).status == 0
    page = (place / "run" / "report.html").read_text()
    assert page.index("Group 7a, by rank") < page.index("Group 7b, by rank")
    more = arena("resume", "run", "--rounds", "+1", "--quiet", folder=place)
    assert more.status == 0, more.err


@pytest.mark.thorough  # 3 s of processor; tests/cli/test_check.py has the pages.
def test_a_check_with_a_page_for_each(place: Path) -> None:
    words = ("--game", "sticheln", "--budget", "1s", "--html", "pages")
    checked = arena("check", "class.csv", *words, folder=place)
    assert checked.status == 1, checked.err
    assert "6 bots in" in checked.err
    pages = {path.name for path in (place / "pages").iterdir()}
    assert pages >= {"index.html", "ada.html", "bob.html", "cy.html", "eve.html", "Fay.html"}
    assert "essay.pdf is not a bot: it has no executable bit" in (place / "pages" / "Fay.html").read_text()
    assert "there is no file in/eve.py" in (place / "pages" / "eve.html").read_text()
    with (place / "pages" / "results.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["bot"]: row for row in csv.DictReader(file)}
    assert {row["page"] for row in rows.values()} <= pages
    assert (rows["ada"]["result"], rows["ada"]["author"], rows["ada"]["group"]) == (
        "passed",
        "Lovelace",
        "7a",
    )
    fay = rows["Fay"]
    assert (fay["result"], fay["author"], fay["group"], fay["number"]) == ("to mend", "Fay", "7b", "81201")
    assert [row["result"] for row in rows.values()].count("to mend") == 3
    assert (rows["eve"]["result"], rows["eve"]["group"]) == ("to mend", "7b")
    assert rows["cy"]["author"] == "'=1+1"  # No spreadsheet computes it.


def test_two_archives_of_one_name_keep_their_authors(tmp_path: Path) -> None:
    for number, author in (("1", "Anna"), ("2", "Ben")):
        (tmp_path / number).mkdir()
        (tmp_path / number / "x.zip").write_text(f"no archive, but of {author}")
        (tmp_path / f"{number}.csv").write_text(f"bot,author,group\n{number}/x.zip,{author},{number}a\n")
    arena("check", "1.csv", "2.csv", "--html", "pages", folder=tmp_path)
    with (tmp_path / "pages" / "results.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [(row["author"], row["group"]) for row in csv.DictReader(file)] == [
            ("Anna", "1a"),
            ("Ben", "2a"),
        ]


def test_where_one_bot_is_wanted(place: Path) -> None:
    one = arena("compare", "class.csv", "in/ada.py", folder=place)
    assert one.status == 2
    assert "class.csv: it contains 6 bots" in one.err
    played = arena("match", "in/cy.zip", "in/ada.py", "dan=in/cy.zip", "--deals", 1, folder=place)
    assert played.status == 0, played.err


def test_a_group_must_be_one_of_somebody(place: Path) -> None:
    words = ("--rounds", 1, "--deals", 1, "--seats", 3)
    nobody = arena("tournament", "class.csv", *words, "--group", "eva=7a", folder=place)
    assert nobody.status == 2
    assert "--group eva=7a: no bot is called 'eva'" in nobody.err
    empty = arena("tournament", "class.csv", *words, "--group", "ada=", folder=place)
    assert "--group ada=: which one is it in? --group ada=GROUP" in empty.err
