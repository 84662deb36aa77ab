"""While a league is frozen, all but its organiser see what there was at the freeze, by every way out."""

import contextlib
import sqlite3
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.commands.league import read, verify
from arena.league.entries import DrawPlayed
from arena.league.journal import LeagueJournal, segment_file
from arena.league.shown import last_shown
from tests.cli.calls import arena
from tests.league import quick
from tests.league.leagues import copied, done

REASON = "the last days"


def as_json(*words: object) -> Any:
    return done(*words, "--json").json


@pytest.fixture(
    scope="module",
    # A quarter of a minute of processor.
    params=["league", pytest.param("in_segments", marks=pytest.mark.thorough)],
)
def frozen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A league that was played on after it was frozen, and its standings just before."""
    league = copied(request.getfixturevalue(request.param), tmp_path_factory.mktemp("frozen"))
    before = as_json("standings", league)
    assert done("freeze", league, "--reason", REASON).out == f"frozen: {REASON}\n"
    assert done("freeze", league, "--reason", "again").out == "that is already the case\n"
    if request.param == "league":
        quick.play(league, 1)
    else:
        done("run", league, "--draws", 1, "--jobs", 1)
    return league, before


@pytest.mark.needs("perl")
def test_all_that_is_shown_is_as_it_was_and_says_so(frozen: tuple[Path, Any]) -> None:
    league, before = frozen
    now = as_json("standings", league)
    assert now.pop("frozen")["reason"] == REASON
    assert before.pop("frozen", None) is None
    assert now == before
    call = done("standings", league)
    assert REASON in call.err
    assert "frozen since" in call.err
    last = before["draws"]
    assert done("why", league, last).out
    call = arena("league", "why", league, last + 1)
    assert call.status == 2
    assert f"there is no draw {last + 1}" in call.err
    versions = as_json("versions", league, "house")
    assert sum(row["pods"] for row in versions) < sum(
        row["pods"] for row in as_json("versions", league, "house", "--hidden")
    )
    assert as_json("faults", league) == []


def test_what_is_shown_can_still_be_verified(frozen: tuple[Path, Any]) -> None:
    league, _ = frozen
    call = arena("league", "prune", league, "--to", 1)
    assert call.status == 2
    assert "the league is frozen" in call.err
    assert "--private" in call.err
    assert as_json("verify", league)["wrong"] == []


def test_the_organiser_sees_what_is_hidden(frozen: tuple[Path, Any]) -> None:
    league, before = frozen
    call = done("standings", league, "--hidden", "--json")
    assert call.json["draws"] == before["draws"] + 1  # type: ignore[call-overload,index]
    assert "hidden" in call.err
    assert done("why", league, before["draws"] + 1, "--hidden").out
    found = as_json("verify", league, "--hidden")
    assert (found["draws"], found["wrong"], found["held_back"]) == (before["draws"] + 1, [], False)


def test_an_export_holds_digests_of_what_is_hidden_and_nothing_else(
    frozen: tuple[Path, Any], tmp_path: Path
) -> None:
    league, before = frozen
    call = done("export", league, tmp_path / "public")
    assert "only the digests" in call.err
    found = as_json("verify", league)
    assert found == as_json("verify", tmp_path / "public") | {"held_back": True}
    assert (found["wrong"], found["held_back"]) == ([], True)
    number = last_shown(league).number
    assert not (tmp_path / "public" / segment_file(number + 1)).exists()
    bytes_of_all = b"".join(path.read_bytes() for path in (tmp_path / "public").rglob("*") if path.is_file())
    shown = all_results(tmp_path / "public")
    logs = {path.name.partition(".")[0] for path in (tmp_path / "public" / "logs").rglob("*.gz")}
    held = msgspec.json.decode((tmp_path / "public" / "frozen.json").read_bytes())
    results = all_results(league)
    for result in results:
        hidden = result.no > before["draws"]
        assert (result in shown) is not hidden
        assert (result.private.encode() in bytes_of_all) is not hidden
        assert (str(result.no) in logs) is not hidden
        assert held["logs"].get(str(result.no)) == (result.public if hidden else None)
    assert sum(result.no > before["draws"] for result in results) == 1


def all_results(league: Path) -> list[DrawPlayed]:
    results = []
    for number in range(1, 1 + max(int(path.name[7:11]) for path in league.glob("league-*.db"))):
        with LeagueJournal(league, number=number) as journal:
            results += [entry for entry in journal.entries if isinstance(entry, DrawPlayed)]
    return results


def test_once_it_is_revealed_the_digest_is_that_of_the_true_journal(
    frozen: tuple[Path, Any], tmp_path: Path
) -> None:
    league = copied(frozen[0], tmp_path)
    done("export", league, tmp_path / "public")
    held = msgspec.json.decode((tmp_path / "public" / "frozen.json").read_bytes())["digest"]
    early = arena("league", "verify", league, "--digest", held)
    assert (early.status, "was frozen before" in early.out) == (1, True)
    assert done("reveal", league).out == "no longer frozen\n"
    assert done("reveal", league).out == "that is already the case\n"
    assert as_json("standings", league)["draws"] == frozen[1]["draws"] + 1
    done("verify", league, "--digest", held)
    assert arena("league", "verify", league, "--digest", "0" * 64).status == 1


def test_a_freeze_that_is_lifted_hides_nothing(league: Path, tmp_path: Path) -> None:
    """The same words twice, and a second freeze later than the first."""
    league = copied(league, tmp_path)
    for _ in range(2):
        done("freeze", league, "--reason", REASON)
        done("pause", league, "red/mybot@1", "--reason", "x")
        done("reveal", league)
        done("restore", league, "red/mybot@1", "--reason", "x")
    done("pause", league, "red/mybot@1", "--reason", "x")
    done("freeze", league, "--reason", REASON)
    done("restore", league, "red/mybot@1", "--reason", "x")
    assert read(league).versions["red/mybot@1"].status == "paused"
    assert read(league, hidden=True).versions["red/mybot@1"].status == "current"
    assert verify(league, hidden=True).wrong == ()


def test_a_freeze_hides_no_deadline_but_the_versions_that_came_after_it(league: Path, tmp_path: Path) -> None:
    league, next_year = copied(league, tmp_path), time.gmtime().tm_year + 1
    done("close", league, "--at", f"{next_year}-06-01T00:00Z", "--reason", "far")
    done("freeze", league, "--reason", REASON)
    done("author", league, "green")
    done("close", league, "--at", f"{next_year}-05-01T00:00Z", "--reason", "sooner")
    done("report", league, "--out", tmp_path / "site")
    for shown in (done("standings", league).out, (tmp_path / "site" / "index.html").read_text()):
        assert f"{next_year}-05-01 00:00 UTC" in shown
    assert "green" not in done("authors", league).out
    assert REASON in done("authors", league).err
    assert "green" in done("authors", league, "--hidden").out
    done("close", league, "--reason", "now")
    done("report", league, "--out", tmp_path / "site")
    assert as_json("standings", league)["closed"]
    assert "closed: now" in (tmp_path / "site" / "index.html").read_text()


def test_a_backup_holds_everything(frozen: tuple[Path, Any], tmp_path: Path) -> None:
    done("export", frozen[0], tmp_path / "backup", "--backup")
    assert verify(tmp_path / "backup", hidden=True) == verify(frozen[0], hidden=True)
    with contextlib.closing(sqlite3.connect(tmp_path / "backup" / segment_file(1))) as db:
        assert db.execute("SELECT tag FROM made_here").fetchone()


def test_pages_show_what_there_was(frozen: tuple[Path, Any], tmp_path: Path) -> None:
    league, before = frozen
    done("report", league, "--out", tmp_path / "site")
    index = (tmp_path / "site" / "index.html").read_text()
    assert "as it was when it was frozen, " in index
    assert REASON in index
    shown = msgspec.json.decode((tmp_path / "site" / "standings.json").read_bytes())
    assert shown == as_json("standings", league)
    last = before["draws"]
    for path in (tmp_path / "site").rglob("*.html"):
        assert int(path.name.partition("-")[0]) <= last if path.parent.name == "replays" else True
        assert f">{last + 1}</th>" not in path.read_text()
    told = msgspec.json.decode((tmp_path / "site" / "live.json").read_bytes())
    assert (told["draws"], told["playing"]) == (last, [])
