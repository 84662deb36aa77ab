"""`arena faults`: why did my bot lose?"""

import re
from pathlib import Path

import msgspec
import pytest

from arena.director.entries import Created
from arena.director.journal import Journal
from tests.cli.calls import ROOT, arena
from tests.support.programs import ECHO, MISBEHAVING, Program

TEN = (
    "exits-before-ready",
    "banner",
    "two-objects",
    "exits",
    "killed",
    "half-a-line",
    "nonsense",
    "never-asked",
    "lacks-the-card",
    "floods",
)
"""Misbehaving bots that do not take long."""


def test_every_fault_of_a_tournament_is_explained(tmp_path: Path) -> None:
    for name in TEN:
        (tmp_path / f"{name}.py").write_text(MISBEHAVING[name].source())
    for name in ("ada", "bob"):
        (tmp_path / f"{name}.py").write_text(ECHO.source())
    bots = sorted(tmp_path.glob("*.py"))
    run = tmp_path / "run"
    words = ("--rounds", 1, "--deals", 1, "--no-duplicates", "--time", "1s", "--out", run, "--quiet")
    call = arena("tournament", *bots, *words)
    assert call.status == 0, call.err

    rows = arena("faults", run, "--json").json["faults"]  # type: ignore[index]
    assert {row["bot"]: row["kind"] for row in rows} == {name: MISBEHAVING[name].fault for name in TEN}
    assert all(row["detail"] and row["forfeits"] for row in rows)
    by_bot = {row["bot"]: row for row in rows}
    assert by_bot["exits-before-ready"]["stderr"] == "no licence\n"
    assert by_bot["exits-before-ready"]["status"] == 3
    assert by_bot["killed"]["status"] == -11
    assert by_bot["nonsense"]["reply"] == "hmm, let me think"
    assert msgspec.json.decode(by_bot["nonsense"]["sent"])["id"] == by_bot["nonsense"]["request"] == 9

    full = arena("faults", run, "--full").out
    assert full.count("forfeits the match") == len(rows)
    assert "  came    hmm, let me think\n" in full
    assert "  ended   signal 11\n" in full
    grouped = arena("faults", run).out
    assert all(name in grouped for name in TEN)
    assert "no licence" in grouped


def test_faults_of_one_log_forgiven_ones_too(tmp_path: Path) -> None:
    twice = Program(asked="if m['id'] in (3, 5): answer = 'nonsense'")
    (tmp_path / "twice.py").write_text(twice.source())
    log = tmp_path / "log.jsonl"
    assert arena("match", tmp_path / "twice.py", "--deals", 1, "--faults", 3, "--log", log).status == 0
    full = arena("faults", log, "--full").out
    assert full.count("forgiven; the substitute chose one action") == 2
    assert "seat 0, twice: malformed, deal 1, request 3" in full


def test_a_misdeed_is_told_once_with_an_example_whatever_card_it_was_about(tmp_path: Path) -> None:
    wrong = "if m['id'] in (2, 3): answer = answer.replace(m['legal'][0], m['legal'][0].lower())\n"
    chatty = "if m['id'] in (4, 5): answer = f'hand is {m[\"view\"][\"hand\"]} and I think of it'"
    (tmp_path / "ada.py").write_text(Program(asked=wrong + chatty).source())
    log = tmp_path / "log.jsonl"
    call = arena("match", "ada.py", "--deals", 1, "--faults", 9, "--log", log, folder=tmp_path)
    assert call.err.splitlines()[-2:] == [
        f"arena check {tmp_path / 'ada.py'} says how to fix it",
        f"arena faults {log} --full shows what was sent",
    ]
    illegal, malformed = [line for line in arena("faults", log).out.splitlines() if " ada " in line]
    assert illegal.split()[1:3] == ["illegal", "2"]
    assert illegal.endswith(" is not legal")
    assert malformed.split()[1:3] == ["malformed", "2"]
    assert "“hand is ['" in malformed
    assert malformed.endswith("…”")
    assert len(arena("faults", log, "--json").json["faults"]) == 4  # type: ignore[index]


@pytest.mark.needs("node")
def test_the_reason_of_a_crash_is_the_error_and_not_the_end_of_the_stack(tmp_path: Path) -> None:
    (tmp_path / "ada.js").write_text("throw new TypeError('no card');")
    log = tmp_path / "log.jsonl"
    call = arena("match", tmp_path / "ada.js", "--deals", 1, "--log", log)
    for table in (call.out, arena("faults", log).out):
        assert "stderr: TypeError: no card" in table
        assert "Node.js" not in table


def test_a_log_of_a_stranger_with_a_seat_too_many(tmp_path: Path) -> None:
    (tmp_path / "bob.py").write_text(MISBEHAVING["nonsense"].source())
    log = tmp_path / "log.jsonl"
    assert arena("match", tmp_path / "bob.py", "--deals", 1, "--log", log).status == 0
    fault = '"type":"fault","seat":'
    assert fault in log.read_text()
    log.write_text(log.read_text().replace(f"{fault}0", f"{fault}7"))
    call = arena("faults", log)
    assert (call.status, call.err.endswith(": there is no seat 7\n")) == (2, True), call.err


def test_no_faults_and_no_tournament(tmp_path: Path) -> None:
    (tmp_path / "echo.py").write_text(ECHO.source())
    log = tmp_path / "log.jsonl"
    assert arena("match", tmp_path / "echo.py", "--deals", 1, "--log", log).status == 0
    assert arena("faults", log).out == "no faults\n"
    assert arena("faults", log, "--json").json == {"faults": [], "excess": []}
    assert arena("faults", tmp_path / "gone").status == 2
    assert arena("faults", tmp_path / "echo.py").status == 2


def test_who_computes_in_the_time_of_the_others_is_named(tmp_path: Path) -> None:
    """A little, which is no fault yet."""
    for name in ("ann", "bob", "helped"):
        (tmp_path / f"{name}.py").write_text(ECHO.source())
    log = tmp_path / "log.jsonl"
    assert arena("match", *sorted(tmp_path.glob("*.py")), "--deals", 1, "--log", log).status == 0
    outcome = '{"type":"outcome"'
    excess = '{"type":"excess","seat":2,"us":120000}\n'
    log.write_text(log.read_text().replace(outcome, excess + outcome))
    told = arena("faults", log).out
    assert "no faults" in told
    assert "Used CPU time while frozen" in told
    assert "helped" in told
    assert "ann" not in told
    (row,) = arena("faults", log, "--json").json["excess"]  # type: ignore[index]
    assert (row["bot"], row["match"], row["seconds"] > 0) == ("helped", "match", True)
    assert "helped" not in arena("faults", log, "--bot", "ann").out
    assert "helped" in arena("faults", log, "--bot", "helped").out


@pytest.mark.thorough  # 1 s of processor.
def test_the_first_of_many_is_that_of_the_first_match_whichever_ended_first(tmp_path: Path) -> None:
    programs = {"ada": MISBEHAVING["nonsense"], "bob": ECHO, "cy": ECHO}
    for name, program in programs.items():
        (tmp_path / f"{name}.py").write_text(program.source())
    run = tmp_path / "run"
    call = arena(
        "tournament", *sorted(tmp_path.glob("*.py")), "--seats", 3, "--rounds", 1, "--deals", 1, "--out", run
    )
    assert call.status == 0, call.err
    told = arena("faults", run).out
    with Journal(run) as journal:
        created, drawn, *played = journal.entries
        assert isinstance(created, Created)
        with Journal.create(tmp_path / "other", created) as other:
            other.add(drawn, *reversed(played))
    (run / "matches").rename(tmp_path / "other" / "matches")
    assert arena("faults", tmp_path / "other").out == told
    assert "r01-p001-s01, deal 1" in told


def test_the_faults_of_some_bots(tmp_path: Path) -> None:
    for name, program in (("ada", "nonsense"), ("bob", "exits"), ("cy", "never-asked")):
        (tmp_path / f"{name}.py").write_text(MISBEHAVING[program].source())
    log = tmp_path / "log.jsonl"
    assert arena("match", *sorted(tmp_path.glob("*.py")), "--deals", 1, "--log", log).status == 0
    rows = arena("faults", log, "--bot", "ada", "--bot", "cy", "--json").json["faults"]  # type: ignore[index]
    assert {row["bot"] for row in rows} == {"ada", "cy"}
    assert "bob" not in arena("faults", log, "--bot", "ada", "--full").out
    wrong = arena("faults", log, "--bot", "adda")
    assert (wrong.status, wrong.out) == (2, "")
    assert wrong.err.endswith(f"--bot adda: no bot in {log} has this name; did you mean 'ada'?\n")


def test_whose_time_ran_out_is_told_what_it_got_of_the_machine(tmp_path: Path) -> None:
    sleepy = Program(asked="if m['id'] == 3: time.sleep(9)")
    for name, program in (("sleepy", sleepy), ("ann", ECHO), ("bob", ECHO)):
        (tmp_path / f"{name}.py").write_text(program.source())
    run, bots = tmp_path / "run", sorted(tmp_path.glob("*.py"))
    words = ("--seats", 3, "--rounds", 1, "--deals", 1, "--no-duplicates", "--time", "300ms", "--out", run)
    assert arena("tournament", *bots, *words).status == 0
    full = arena("faults", run, "--bot", "sleepy", "--full").out
    (told,) = [line for line in full.splitlines() if line.startswith("  machine ")]
    assert re.search("the machine was at most .* late; .* core", told)
    (row,) = arena("faults", run, "--json").json["faults"]  # type: ignore[index]
    assert set(row["measured"]) == {"us", "cpu_us", "queued_us", "lag_us", "own_core"}
    assert "measured" not in arena("faults", run).out, "tables are the same on every machine"
    assert arena("report", run, "--no-replays").status == 0
    page = (run / "report.html").read_text()
    assert "<dt>machine</dt>" in page
    assert re.search(r"times that ran out.*\b1, of which [0-9] on a core", page, re.DOTALL)


@pytest.mark.thorough  # 2 s of processor.
def test_who_is_withdrawn_is_told_when_it_happens(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text("raise SystemExit(3)")
    bots = (tmp_path / "dies.py", *(ROOT / "bots" / name for name in ("greedy.py", "random.py")))
    words = ("--seats", 3, "--rounds", 4, "--deals", 1, "--no-duplicates", "--out", tmp_path / "run")
    call = arena("tournament", *bots, *words)
    assert call.err.count("dies is withdrawn: it died in 3 matches before its first reply") == 1
