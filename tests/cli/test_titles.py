"""Titles from the command line to the page: where people read, the title; where something is typed, the name;
for a machine both.
"""

import html
import json
import re
import sqlite3
import tomllib
from pathlib import Path

import pytest

from tests.cli.calls import ROOT, Call, arena

ECHO = (ROOT / "tests" / "bench" / "echo.py").read_text()
GROSSER, KARTE, BOT = "grosser-45fbf6a6", "bot-a586e52c", "my-bot-ccb0931f"
SHORT = ("--deals", 1, "--sandbox", "rlimits", "--seed", "titles")
CRASH = "raise SystemExit(3)\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for stem in ("größer", "my bot", "カード", "ada"):
        (tmp_path / f"{stem}.py").write_text(ECHO)
    for version in ("mybot", "v3"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "bot.py").write_text(ECHO)
        (tmp_path / version / "bot.toml").write_text('command = "python3 bot.py"\nname = "mybot"\n')
    return tmp_path


def ok(*words: object, folder: Path) -> Call:
    call = arena(*words, folder=folder)
    assert call.status == 0, call.err
    return call


@pytest.mark.thorough  # 2 s of processor.
def test_a_tournament_of_titles(place: Path) -> None:
    (place / "カード.py").write_text(CRASH)
    (place / "Größer.py").write_text(ECHO)
    words = ("größer.py", "Größer.py", "カード.py", "ada.py", "--title", "ada=Ада Лавлейс")
    settings = ("--rounds", 1, "--seats", 4, "--no-duplicates", *SHORT)
    run = ok("tournament", *words, *settings, "--out", "run", "--report", folder=place)

    assert "Grosser-5108d348: shown under its name, since its title 'Größer' looks like the title" in run.err
    table, faults = run.out.split("Faults")
    for seen in ("größer", "カード", "Ада Лавлейс", "Grosser-5108d348"):
        assert f"  {seen}  " in table
    assert "カード" in faults
    assert f"{KARTE} forfeits" not in run.err
    assert "カード forfeits" in run.err
    assert not any(name in run.out for name in (GROSSER, KARTE))

    rows = json.loads(ok("standings", "run", "--json", folder=place).out)["entrants"]
    assert {row["name"]: row.get("title") for row in rows} == {
        GROSSER: "größer",
        KARTE: "カード",
        "ada": "Ада Лавлейс",
        "Grosser-5108d348": None,
    }
    fault = json.loads(ok("faults", "run", "--json", folder=place).out)["faults"][0]
    assert (fault["bot"], fault["title"]) == (KARTE, "カード")
    assert "カード" in ok("pairings", "run", "--explain", folder=place).out
    ok("verify", "run", folder=place)

    written = ok("config", "run", folder=place).out
    assert tomllib.loads(written)["title"] == {GROSSER: "größer", KARTE: "カード", "ada": "Ада Лавлейс"}
    (place / "run.toml").write_text(written)
    again = ok("tournament", "--config", "run.toml", "--out", "again", "--quiet", folder=place)
    assert again.out == run.out

    report = html.unescape((place / "run" / "report.html").read_text())
    assert f'<th scope="row"><a class="of-bot" href="#bot={GROSSER}">größer</a></th>' in report
    assert f' <span class="soft">{GROSSER}</span>' in report
    replay = next((place / "run" / "replays").iterdir()).read_text()
    assert "Ада Лавлейс" in replay
    assert GROSSER not in replay


def test_admitted_and_replaced(place: Path) -> None:
    from_start = ("ada.py", "größer.py", "mybot", "--rounds", 2, "--seats", 3, "--no-duplicates", *SHORT)
    ok("tournament", *from_start, "--out", "run", "--quiet", folder=place)
    journal = place / "run" / "tournament.db"
    assert journal.is_file()
    cut_to_first_round(journal)
    (place / "Größer.py").write_text(ECHO)
    ours = ("--trust", "--sandbox", "rlimits")  # Since we have cut it.
    admitted = ok("admit", "run", "Größer.py", *ours, folder=place)
    assert "looks like the title 'größer' of grosser-45fbf6a6" in admitted.err
    ok("admit", "run", "カード.py", "--title", f"{KARTE}=Karte", folder=place)
    wrong = arena("admit", "run", "my bot.py", "--title", f"{BOT}=Kаrte", folder=place)
    assert wrong.status == 2
    assert f"it looks like the title 'Karte' of {KARTE}" in wrong.err
    (place / "größer-2.py").write_text(ECHO + "# mended\n")
    ok("replace", "run", f"{GROSSER}=größer-2.py", "--reason", "mended", folder=place)
    table = ok("standings", "run", folder=place).out
    assert "  Karte  " in table
    assert re.search("replaced +größer +mended", table)
    assert "  Grosser-5108d348  " in table


def cut_to_first_round(journal: Path) -> None:
    """As if it had been stopped before the second round was drawn."""
    with sqlite3.connect(journal) as db:
        rows = db.execute("SELECT no, entry FROM entries ORDER BY no").fetchall()
        second = next(no for no, entry in rows if json.loads(entry).get("round_no") == 2)
        db.execute("DELETE FROM entries WHERE no >= ?", (second,))
    db.close()


@pytest.mark.thorough  # 2 s of processor.
def test_a_match_and_its_log(place: Path) -> None:
    bots = ("größer.py", "my bot.py", "カード.py")
    match = ok("match", *bots, *SHORT, "--log", "m.jsonl", folder=place)
    assert all(f"  {title}  " in match.out for title in ("größer", "my bot", "カード"))
    first = json.loads((place / "m.jsonl").read_text().splitlines()[0])
    assert [(one["name"], one["title"]) for one in first["entrants"]] == [
        (GROSSER, "größer"),
        (BOT, "my bot"),
        (KARTE, "カード"),
    ]
    told = ok("replay", "m.jsonl", folder=place).out
    assert "  seat 0  größer  " in told
    assert "カード begins" in told or "größer begins" in told or "my bot begins" in told
    assert json.loads(ok("replay", "m.jsonl", "--json", folder=place).out)["titles"][KARTE] == "カード"
    ok("replay", "--verify", "m.jsonl", folder=place)
    seats = json.loads(ok("match", *bots, *SHORT, "--json", folder=place).out)["seats"]
    assert (seats[0]["name"], seats[0]["title"]) == (GROSSER, "größer")
    again = ok("rematch", "m.jsonl", "--seat", 0, "größer.py", *bots[1:], folder=place)
    assert "  größer  " in again.out
    other = ok(
        "rematch", "m.jsonl", "--seat", 0, "my bot.py", *bots[1:], "--sandbox", "rlimits", folder=place
    )
    assert f"{BOT}-new: shown under its name" in other.err


def test_a_log_without_titles_has_none(place: Path) -> None:
    ok("match", "ada.py", "mybot", "v3", *SHORT, "--log", "m.jsonl", folder=place)
    first = json.loads((place / "m.jsonl").read_text().splitlines()[0])
    assert [sorted(one) for one in first["entrants"]] == [["digest", "name"]] * 3
    assert [one["name"] for one in first["entrants"]] == ["ada", "mybot", "v3"]


@pytest.mark.thorough
def test_versions_are_compared_by_what_was_typed(place: Path) -> None:
    call = arena("compare", "mybot", "v3", *SHORT, "--budget", 10, "--keep-bots", "--json", folder=place)
    answer = json.loads(call.out)
    assert (answer["one"], answer["other"]) == ("mybot", "v3")
    assert "titles" not in answer


@pytest.mark.thorough
def test_titles_are_compared(place: Path) -> None:
    words = ("compare", "größer.py", "ada.py", *SHORT, "--budget", 10, "--keep-bots", "--title", "ada=Ада")
    call = arena(*words, folder=place)
    assert "größer gains " in call.out
    assert " than Ада" in call.out
    answer = json.loads(arena(*words, "--json", folder=place).out)
    assert (answer["one"], answer["other"]) == (GROSSER, "ada")
    assert answer["titles"] == {GROSSER: "größer", "ada": "Ада"}
