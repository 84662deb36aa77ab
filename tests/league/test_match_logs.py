"""The logs of a league's matches, whole, for the author who asks why a bot lost."""

import json
from pathlib import Path

import pytest

from arena.commands.league import read
from arena.league import logs
from arena.league.journal import LOGS, PRIVATE
from tests.cli.calls import arena
from tests.league.leagues import bot, copied, done, founded
from tests.support.programs import Program
from tests.support.shared import shared


def play(folder: Path) -> None:
    """A bot breaks down once a file is there, which it is after the check."""
    league, broken = founded(folder), folder / "broken"
    program = Program(
        before=f"import os.path\nbroken = {str(broken)!r}",
        asked="if os.path.exists(broken): raise ValueError('bad weights')",
    )
    done("add", league, bot(folder / "bots", "mybot", program), "--author", "red")
    broken.touch()
    for _ in range(6):
        done("run", league, "--draws", 3, "--jobs", 2)
        if done("faults", league, "--json").json:
            return
    raise AssertionError("in eighteen draws it never forfeited")


@pytest.fixture(scope="module")
def broken_down(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some 15 draws, 35 s of processor."""
    return shared(tmp_path_factory, "broken-down", play) / "league"


@pytest.mark.thorough  # As the fixture says.
def test_a_fault_is_found_replayed_and_rerun_by_the_files_of_the_league(
    broken_down: Path, tmp_path: Path
) -> None:
    league = broken_down
    (first, *_) = done("faults", league, "--json").json  # type: ignore[misc]
    match = first["match"]
    told = done("faults", league, "--bot", "red", "--full").out
    assert "ValueError: bad weights" in told
    assert f"{match}, seat " in told
    data = done("faults", league, "--full", "--json").json
    assert isinstance(data, list)
    assert {row["bot"] for row in data} == {"red/mybot@1"}
    log = tmp_path / "match.jsonl"
    log.write_text(done("log", league, match).out)
    assert arena("replay", "--verify", log).status == 0
    assert done("replay", league, match, "--print").out == arena("replay", log, "--print").out
    seat = next(row["seat"] for row in data if row["match"] == match)
    again = arena("rerun", log, "--seat", seat, league.parent / "bots" / "mybot.py", "--sandbox", "none")
    assert again.status == 1
    assert "the recorded fault again" in again.out
    done("replay", league, match, "--html", tmp_path / "match.html")
    assert (tmp_path / "match.html").read_text().startswith("<!doctype html>")


@pytest.mark.thorough  # The same.
def test_without_the_private_part_it_says_so(broken_down: Path, tmp_path: Path) -> None:
    copy = copied(broken_down, tmp_path)
    match = arena("league", "faults", copy, "--json").json[0]["match"]  # type: ignore[index]
    state = read(copy)
    no = int(match.partition("-")[0])
    own, foreign = (logs.log_path(copy, state.draws[one].day, one, PRIVATE) for one in (no, no % 2 + 1))
    for other in (b"junk", foreign.read_bytes()):
        own.write_bytes(other)
        assert "only the public part of the log is here" in done("log", copy, match).err
    done("prune", copy, "--to", read(copy).last_draw, "--private")
    call = done("log", copy, match)
    assert "only the public part of the log is here" in call.err
    assert json.loads(call.out.splitlines()[-1])["type"] == "outcome"
    assert "bad weights" not in call.out
    done("prune", copy, "--to", read(copy).last_draw)
    gone = arena("league", "log", copy, match)
    assert (gone.status, "it was pruned" in gone.err) == (2, True)
    rest = done("faults", copy, "--full")
    assert "it was pruned" in rest.err


def test_a_log_that_is_not_what_was_played_is_not_shown(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    state = read(copy)
    one, other = (logs.log_path(copy, state.draws[no].day, no, LOGS) for no in (2, 3))
    one.write_bytes(other.read_bytes())
    call = arena("league", "log", copy, "2-1-1")
    assert (call.status, "the log of draw 2 is not what was played" in call.err) == (2, True)


@pytest.mark.parametrize(
    ("match", "told"),
    [
        ("7", "a match is DRAW-VERSION-SEATING"),
        ("1-1-9", "the matches of draw 1 are 1-1-1 to 1-1-4 and 1-2-1 to 1-2-4"),
        ("999-1-1", "no log of draw 999 may be shown: the last one is {last}"),
        ("../../etc/passwd", "a match is DRAW-VERSION-SEATING"),
    ],
)
def test_a_wrong_name_of_a_match_is_told_the_right_one(league: Path, match: str, told: str) -> None:
    for command in ("log", "replay"):
        call = arena("league", command, league, match)
        assert call.status == 2
        assert told.format(last=read(league).last_draw) in call.err


def test_a_part_of_a_log_is_not_read_as_a_log_but_named(league: Path) -> None:
    state = read(league)
    part = logs.log_path(league, state.draws[3].day, 3, LOGS)
    call = arena("replay", part)
    assert call.status == 2
    assert "is a part of the log of a draw: arena league log" in call.err
    assert "3-1-1 > match.jsonl joins the parts" in call.err


def test_while_it_is_frozen_nobody_reads_what_came_after(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    later = read(copy).last_draw + 1
    done("freeze", copy, "--reason", "the last days")
    done("run", copy, "--draws", 1, "--jobs", 1)
    call = arena("league", "log", copy, f"{later}-1-1")
    assert (call.status, f"no log of draw {later} may be shown" in call.err) == (2, True)
    assert done("log", copy, f"{later}-1-1", "--hidden").out.startswith('{"type":"match"')
