"""A league from the command line: from an empty folder to a board, with what goes wrong on the way."""

import os
import re
import time
from pathlib import Path

import pytest

from arena.commands.league import read, verify
from arena.league.inbox import REST_SECONDS
from arena.league.journal import LeagueJournal
from tests.cli.calls import arena
from tests.cli.terminals import Terminal
from tests.league.leagues import LAST, bot, copied, done, founded
from tests.support.programs import Program

BROKEN = Program(before="raise ValueError('bad weights')")


def test_what_was_played_stands_on_the_board(league: Path) -> None:
    data = arena("league", "standings", league, "--json").json
    assert isinstance(data, dict)
    rows = {row["version"]: row for row in data["boards"]["sticheln:4"]}
    assert {"red/mybot@1", "house/random@1"} <= {*rows}
    assert data["draws"] == 4
    assert sum(row["pods"] for row in rows.values()) >= 3
    shown = done("standings", league).out
    assert "red/mybot@1" in shown
    assert "┊ is 0" in shown
    assert "sticheln:4: the plot" in done("versions", league, "house").out
    with Terminal("league", "standings", league, folder=league, width=60) as terminal:
        terminal.end()
    narrow = terminal.screen
    assert "not shown at this width" in narrow
    assert "the plot goes from" not in narrow


def test_a_new_token_leaves_the_title_as_it_is(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    done("author", copy, "red", "--title", "The Reds")
    first = read(copy).authors["red"]
    assert "no longer valid" in done("author", copy, "red").err
    second = read(copy).authors["red"]
    assert second.title == first.title == "The Reds"
    assert second.token != first.token


@pytest.mark.thorough  # 4 s of processor.
def test_authors_are_listed_and_join_the_next_season(league: Path, tmp_path: Path) -> None:
    listed = done("authors", league, "--json").json
    assert listed == [
        {"author": "blue", "title": "", "versions": 0, "current": []},
        {"author": "red", "title": "", "versions": 1, "current": ["red/mybot@1"]},
    ]
    assert "red/mybot@1" in done("authors", league).out
    paused = copied(league, tmp_path)
    done("pause", paused, "red/mybot@1", "--reason", "x")
    assert "red/mybot@1" not in done("authors", paused).out
    assert "red/mybot@1 is paused: x" in done("standings", paused).out
    made = done("new", tmp_path / "next", "--after", league, "--with-authors")
    assert made.err.endswith(f"next: arena league run {tmp_path / 'next'}\n")
    before, after = read(league), read(tmp_path / "next")
    assert after.authors == before.authors
    assert after.current["red/mybot"] == "red/mybot@1"
    assert after.versions["red/mybot@1"].digest == before.versions["red/mybot@1"].digest
    assert done("verify", tmp_path / "next").out.endswith(f"digest {verify(tmp_path / 'next').digest}\n")
    done("run", tmp_path / "next", "--draws", 1, "--jobs", 1)
    assert verify(tmp_path / "next").wrong == ()
    refused = arena("league", "new", tmp_path / "third", "--board", "sticheln:4", "--with-authors")
    assert (refused.status, "--with-authors needs --after DIR" in refused.err) == (2, True)


def test_of_a_bot_that_is_not_there_no_forfeits_are_told(league: Path) -> None:
    assert (
        "no bot or author is called 'rde'; did you mean"
        in arena("league", "faults", league, "--bot", "rde").err
    )
    assert done("faults", league, "--bot", "red").out == "no version has forfeited a match\n"


def test_why_a_draw_was_played(league: Path) -> None:
    said = done("why", league, 1).out
    assert "companions drawn by lot from the panel: house/" in said
    assert "gained" in said
    assert re.search(r"the seed of \d{4}-\d\d-\d\d, which is not revealed yet", said)
    assert arena("league", "why", league, 99).err == "arena: there is no draw 99; the last one is 4\n"


@pytest.mark.thorough
def test_a_broken_version_is_refused_and_the_one_before_stays(tmp_path: Path) -> None:
    league = founded(tmp_path)
    good, broken = (bot(tmp_path / name, "mybot", what) for name, what in (("a", LAST), ("b", BROKEN)))
    done("add", league, good, "--author", "red")
    call = arena("league", "add", league, broken, "--author", "red")
    assert call.status == 1
    assert call.out.startswith("red/mybot@2: refused, ")
    assert "ValueError: bad weights" in call.out or "exit" in call.out
    state = read(league)
    assert state.current["red/mybot"] == "red/mybot@1"
    assert "\nred/mybot@2: refused, " in done("versions", league, "red").out
    assert "refused" in (league / "inbox" / "red" / "answers.txt").read_text()
    done("add", league, bot(tmp_path / "c", "mybot", Program()), "--author", "red")
    assert read(league).current["red/mybot"] == "red/mybot@3"
    again = done("add", league, good, "--author", "red")
    assert again.out == "red/mybot@1: current\n", "an earlier program becomes current again"
    assert read(league).versions["red/mybot@3"].status == "resting"
    told = done("add", league, good, "--author", "blue")
    assert "blue/mybot@1 is the same program as red/mybot@1" in told.err


def test_the_organisers_hand(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    assert done("pause", league, "red/mybot@1", "--reason", "why not").out == "red/mybot@1: paused, why not\n"
    again = "red/mybot@1 is already {} ({}); to let it play again, use `arena league restore`\n"
    told = again.format("paused", "why not")
    assert done("pause", league, "red/mybot@1", "--reason", "another reason").out == told
    assert read(league).versions["red/mybot@1"].status == "paused"
    done("restore", league, "red/mybot@1", "--reason", "enough")
    assert read(league).versions["red/mybot@1"].status == "current"
    before = read(league).numbers["sticheln:4"].pods
    asked = read(league).draws[1].versions
    done("annul", league, 1, "--reason", "the machine slept")
    after = read(league).numbers["sticheln:4"].pods
    assert all(after.get(version, 0) == before[version] - 1 for version in asked)
    assert "counts for nobody: the machine slept" in done("why", league, 1).out
    assert done("verify", league, "--json").json["wrong"] == []  # type: ignore[index]
    rows = arena("league", "versions", league, "red", "--json").json
    assert isinstance(rows, list)
    assert [(row["version"], row["status"]) for row in rows] == [("red/mybot@1", "current")]


def test_no_title_of_an_author_is_cut_unasked(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    call = arena("league", "author", league, "red", "--title", "Die Zahlenschieber der Oberstufen")
    assert (call.status, call.out) == (2, "")
    assert "Oberstufen: 33 columns wide; a title has at most 32" in call.err
    done("author", league, "red", "--title", "Die Zahlenschieber der Oberstufe")
    assert read(league).authors["red"].title == "Die Zahlenschieber der Oberstufe"


def test_who_has_left_leaves_no_second_time_and_a_panel_keeps_enough(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    done("retire", league, "red/mybot@1", "--reason", "a wish")
    with LeagueJournal(league) as journal:
        before = journal.digest
    told = "red/mybot@1 is already retired (a wish); to let it play again, use `arena league restore`\n"
    for command in ("pause", "retire"):
        assert done(command, league, "red/mybot@1", "--reason", "again").out == told
        unknown = arena("league", command, league, "red/mybot@2", "--reason", "again")
        assert (unknown.status, "did you mean 'red/mybot@1'?" in unknown.err) == (2, True)
    plays = done("restore", league, "house/greedy@1", "--reason", "again").out
    assert plays == "house/greedy@1 already plays: it is current\n"
    with LeagueJournal(league) as journal:
        assert journal.digest == before
    state = read(league)
    board, panel = state.boards["sticheln:4"], state.panels["sticheln:4"]
    others = [one for one in panel.members if one != panel.zero]
    spare = len(panel.members) - board.seats
    for version in others[:spare]:
        done("pause", league, version, "--reason", "to see it")
    call = arena("league", "retire", league, others[spare], "--reason", "to see it")
    assert call.status == 2
    assert "the panel of sticheln:4 has only 3 versions that play, but it needs 4; name others" in call.err


def test_a_closed_league_takes_nothing_and_draws_nothing(tmp_path: Path) -> None:
    league = founded(tmp_path)
    assert "is sealed" in done("close", league, "--reason", "the term is over").err
    call = arena("league", "add", league, bot(tmp_path / "a", "mybot", LAST), "--author", "red")
    assert (call.status, call.err) == (2, "arena: the league is closed: the term is over\n")
    assert "the league is sealed" in done("run", league, "--until-asleep").err
    assert not read(league).draws
    assert done("verify", league, "--json").json["wrong"] == []  # type: ignore[index]


@pytest.mark.thorough
def test_a_version_that_forfeits_too_often_is_paused(tmp_path: Path) -> None:
    league = founded(tmp_path)
    mark = tmp_path / "die"
    dies = Program(asked=f"if os.path.exists({str(mark)!r}): sys.exit(1)")
    done("add", league, bot(tmp_path / "a", "mybot", dies), "--author", "red")
    mark.touch()
    said = done("run", league, "--draws", 24).err
    state = read(league)
    assert state.versions["red/mybot@1"].status == "paused"
    assert "faulty matches" in state.versions["red/mybot@1"].why
    answers = (league / "inbox" / "red" / "answers.txt").read_text()
    assert "paused" in answers
    for told in (said, answers):
        assert len(re.findall(r"red/mybot@1: forfeited match \d+-\d-\d \(exited\)", told)) == 1, told
    rows = arena("league", "faults", league, "--bot", "red", "--json").json
    assert isinstance(rows, list)
    assert {row["kind"] for row in rows} == {"exited"}


@pytest.mark.thorough
def test_a_program_in_the_inbox_is_taken_while_it_is_played(tmp_path: Path) -> None:
    league = founded(tmp_path)
    path = bot(tmp_path / "a", "mybot", LAST)
    sent = league / "inbox" / "red" / "mybot.py"
    sent.write_bytes(path.read_bytes())
    (league / "inbox" / "red" / "!.py").write_text("")
    time.sleep(REST_SECONDS + 0.1)
    for draws in (2, 4, 8, 16, 32, 64):  # On a busy machine they may be over before the check is.
        done("run", league, "--draws", draws)
        if read(league).current.get("red/mybot") == "red/mybot@1":
            break
    answers = (league / "inbox" / "red" / "answers.txt").read_text()
    assert "!.py: this cannot become a name" in answers
    assert "red/mybot@1: current" in answers
    assert not sent.exists()


def test_a_prune_that_was_killed_is_finished_by_another(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    logs = sorted((copy / "logs").glob("*/[12].jsonl.gz"))
    kept = {path: path.read_bytes() for path in logs}
    (logs[0].parent / "2x.jsonl.gz").write_bytes(b"of somebody")
    done("prune", copy, "--to", 2)
    for path, data in kept.items():  # As a kill leaves them, before they are deleted.
        path.write_bytes(data)
    assert done("prune", copy, "--to", 2).out == "that is already the case\n"
    assert sorted(path.name for path in (copy / "logs").rglob("*.gz")) == [
        "2x.jsonl.gz",
        "3.jsonl.gz",
        "4.jsonl.gz",
    ]
    assert done("verify", copy, "--json").json["wrong"] == []  # type: ignore[index]


@pytest.mark.parametrize("option", ["--deals 2", "--time 1s", "--startup 1s", "--margin 2", "--sandbox none"])
def test_a_season_takes_no_options_that_it_would_ignore(league: Path, tmp_path: Path, option: str) -> None:
    call = arena("league", "new", tmp_path / "next", "--after", league, *option.split())
    assert call.status == 2
    assert f"{option.split()[0]} cannot be used here: the boards of" in call.err
    assert not (tmp_path / "next").exists()
    done("new", tmp_path / "next", "--after", league, "--board", "sticheln:3", *option.split())


@pytest.mark.thorough  # 1 s of processor.
def test_the_folder_may_be_named_from_within_another(tmp_path: Path) -> None:
    league = founded(tmp_path)
    sent = bot(tmp_path / "a", "mybot", LAST)
    call = arena("league", "add", league.name, sent, "--author", "red", folder=tmp_path)
    assert call.out == "red/mybot@1: current\n"


def test_a_pipe_or_a_file_is_no_league(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "bundle.tar").write_text("")
    for name, kind in (("pipe", "a pipe"), ("bundle.tar", "a file")):
        call = arena("league", "verify", tmp_path / name)
        assert call.status == 2
        assert f"{name}: a league is a folder, but this is {kind}; unpack it" in call.err
