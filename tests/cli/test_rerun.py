"""`arena rerun` and `arena rematch`: the deal that was lost, once more."""

import os
import re
import shlex
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import arena.cli.rerun as rerun
from arena.director.entries import Replaced
from arena.director.journal import Journal
from arena.director.state import Record
from arena.entrants.find import NAME_LENGTH
from arena.log.entries import Acted, parse
from arena.log.retrace import of_entries
from arena.log.transcript import transcript
from arena.process.launch import base_interpreter, bot_environment
from arena.process.sandbox import Level
from tests.cli.calls import ROOT, arena
from tests.support.programs import ECHO, MISBEHAVING, Program

NOISY = Program(asked="print(line.strip(), file=sys.stderr)", end="print(line.strip(), file=sys.stderr)")
"""Tells on its standard error what it was told."""
ONE_ROUND = ("--rounds", 1, "--deals", 1, "--no-duplicates", "--quiet")
LEAVES = Program(
    before="""\
for sessions in (0, 1):
    pid = os.fork()
    if pid == 0:
        if sessions: os.setsid()
        time.sleep(600)
    print(pid, file=sys.stderr, flush=True)"""
)
"""Has helpers, one of them in a session of its own, and says their numbers."""
LAST = Program(asked="answer = json.dumps({'type': 'reply', 'id': m['id'], 'action': m['legal'][-1]})")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "echo.py").write_text(ECHO.source())
    (tmp_path / "last.py").write_text(LAST.source())
    (tmp_path / "noisy.py").write_text(NOISY.source())
    (tmp_path / "nonsense.py").write_text(MISBEHAVING["nonsense"].source())
    return tmp_path


def played(place: Path, *bots: str, game: str = "sticheln") -> Path:
    log = place / "log.jsonl"
    words = ("--game", game, "--seed", 7, "--log", log)
    call = arena("match", *(place / f"{bot}.py" for bot in bots), *words)
    assert call.status == 0, call.err
    return log


def first_log(run: Path) -> Path:
    return min((run / "matches").iterdir())


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("game", ["sticheln", "ole"])
def test_what_is_told_again_is_what_was_told_byte_for_byte(place: Path, game: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    bots = [f"{name}={base_interpreter()} -P {place}/noisy.py" for name in "abcd"]
    words = ("--game", game, "--rounds", 1, "--deals", 1, "--no-duplicates", "--time", "2s+1s", "--quiet")
    words += ("--out", run)
    assert arena("tournament", *bots, *words).status == 0
    path = first_log(run)
    log = of_entries(parse(path.read_bytes()))
    for seat in range(4):
        heard = (run / "stderr" / f"{path.stem}-{seat}.txt").read_bytes().splitlines(keepends=True)
        lines = [line.line for line in transcript(log, seat)]
        assert lines[1:] == heard


def test_a_program_that_answers_as_it_did_has_no_differences(place: Path) -> None:
    log = played(place, "echo", "last", "echo")
    command = (sys.executable, "-P", place / "echo.py")
    same = arena("rerun", log, "--seat", 0, "--", *command)
    assert (same.status, same.out) == (0, "the same 46 answers\n")
    other = arena("rerun", log, "--seat", 1, "--json", "--", *command)
    assert other.status == 1
    assert other.json["requests"] == 46
    logged = [e for e in parse(log.read_bytes()) if isinstance(e, Acted) and e.seat == 1]
    by_request = {entry.id: entry.action for entry in logged}
    assert len(other.json["differences"]) > 20
    for row in other.json["differences"]:
        assert row["before"] == by_request[row["request"]] != row["now"]


def test_a_fault_is_told_again_up_to_where_it_happened(place: Path) -> None:
    log = played(place, "echo", "nonsense", "echo")
    again = arena("rerun", log, "--seat", 1, place / "nonsense.py")
    assert (again.status, again.out) == (1, "the same 9 answers\nthen the recorded fault again\n")
    mended = arena("rerun", log, "--seat", 1, place / "echo.py")
    assert mended.status == 0
    assert re.fullmatch(
        r"the same 9 answers\n"
        r"the log has a fault \(malformed\), but now it answers \w+; "
        r"the log has no further requests for this seat\n",
        mended.out,
    )
    told = arena("rerun", log, "--seat", 1, "--json", place / "echo.py").json
    assert (told["differences"], told["faults_again"], len(told["mended"])) == ([], [], 1)
    worse = arena("rerun", log, "--seat", 1, "--", "true")
    assert (worse.status, "1 of 1 answers differ" in worse.out) == (1, True)


@pytest.mark.thorough  # 1 s of processor.
@pytest.mark.parametrize("name", ["exits", "banner", "lacks-the-card", "exits-before-ready", "killed"])
def test_a_program_that_fails_as_it_did_is_told_so(name: str, place: Path) -> None:
    (place / f"{name}.py").write_text(MISBEHAVING[name].source())
    log = played(place, "echo", name, "echo")
    again = arena("rerun", log, "--seat", 1, "--", sys.executable, place / f"{name}.py")
    assert re.fullmatch(r"the same \d+ answers?\nthen the recorded fault again\n", again.out)
    assert again.status == 1


def test_what_was_forgiven_is_told_again_and_what_came_after(place: Path) -> None:
    (place / "twice.py").write_text(Program(asked="if m['id'] in (3, 5): answer = 'nonsense'").source())
    log = place / "log.jsonl"
    assert arena("match", place / "twice.py", "--faults", 3, "--log", log).status == 0
    again = arena("rerun", log, "--seat", 0, "--", sys.executable, place / "twice.py")
    assert (again.status, again.out) == (1, "the same 44 answers\n2 forgiven faults again\n")
    mended = arena("rerun", log, "--seat", 0, place / "echo.py")
    assert (mended.status, mended.out.count("the log has a fault (malformed), but now it answers")) == (0, 2)
    assert "no further requests" not in mended.out


def test_a_bot_is_started_as_in_a_match(place: Path) -> None:
    log = played(place, "echo", "last", "echo")
    bot = place / "folder"
    bot.mkdir()
    (bot / "bot.toml").write_text('command = "./made"\nbuild = "sh build.sh"\n')
    (bot / "build.sh").write_text("{ echo '#!/usr/bin/env python3'; cat text; } > made; chmod +x made")
    where = Program(before="import os; print(sorted(os.environ), os.path.exists('text'), file=sys.stderr)")
    (bot / "text").write_text(where.source())
    cache = {"XDG_CACHE_HOME": str(place / "cache")}
    again = arena("rerun", log, "--seat", 0, bot, env=cache)
    assert (again.status, again.out) == (0, "the same 46 answers\n"), again.err
    # The shell that stands in the walls adds where it is, and below bwrap no mark is seen.
    assert (
        again.err.replace(", 'PWD'", "").replace("'ARENA_BOT', ", "") == f"{sorted(bot_environment())} True\n"
    )
    assert arena("rerun", log, "--seat", 0, f"x={shlex.quote(sys.executable)} -P {place}/echo.py").status == 0
    lent = arena("rerun", log, "--seat", 0, "--json", "heuristic")
    assert (lent.status, lent.json["requests"], lent.json["mended"]) == (1, 46, [])


def test_who_waits_is_told_for_what_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.playing.resend.PATIENCE_SECONDS", 0.05)
    log = played(place, "echo", "last", "echo")
    slow = Program(before="time.sleep(1)", asked="time.sleep(0.1) if m['id'] < 3 else None")
    (place / "slow.py").write_text(slow.source())
    call = CliRunner().invoke(rerun.command, [str(log), "--seat", "0", str(place / "slow.py")])
    assert call.stdout == "the same 46 answers\n"
    assert call.stderr == "waiting for an answer to hello (no clock here; is the output flushed?)\n"


def test_a_program_that_takes_too_much_memory_is_ended(place: Path) -> None:
    (place / "hog.py").write_text(Program(before="hog = b'x' * (300 << 20); time.sleep(60)").source())
    log = played(place, "echo", "echo", "echo")
    again = arena("rerun", log, "--seat", 0, "--memory", 128, "--sandbox", "rlimits", place / "hog.py")
    assert again.status == 1
    assert "MB are allowed (--memory)" in again.err or "MemoryError" in again.err


def test_a_program_that_stays_holds_nobody_up(place: Path) -> None:
    (place / "stays.py").write_text(Program(end="time.sleep(600)").source())
    log = played(place, "echo", "echo", "echo")
    again = arena("rerun", log, "--seat", 0, "--", sys.executable, place / "stays.py")
    assert (again.status, again.out) == (0, "the same 46 answers\n")


@pytest.mark.parametrize("level", [Level.NONE, Level.RLIMITS])
def test_nothing_of_a_bot_stays_behind(place: Path, level: Level) -> None:
    (place / "leaves.py").write_text(LEAVES.source())
    log = played(place, "echo", "echo", "echo")
    again = arena("rerun", log, "--seat", 0, "--sandbox", level, place / "leaves.py")
    assert (again.status, again.out) == (0, "the same 46 answers\n")
    left = [int(pid) for pid in again.err.split()]
    assert len(left) == 2
    assert [pid for pid in left if os.path.exists(f"/proc/{pid}")] == []


def test_wrong_calls_of_rerun(place: Path) -> None:
    log = played(place, "echo", "echo", "echo")
    for words, why in (
        ((log, "--seat", 3, "--", "true"), "has seats 0 to 2"),
        ((log, "--seat", 0, "--", "no-such-command"), "no-such-command: there is no such file"),
        ((log, "--seat", 0, "--", "no-such-command", "-x"), "no-such-command is not on the PATH"),
        ((log, "--seat", 0, "--sandbox", "none", "--", "no-such-command", "-x"), "No such file"),
        ((log, "--seat", 0, log), "log.jsonl: not a bot"),
        ((place / "echo.py", "--seat", 0, "--", "true"), "echo.py is a bot: arena check"),
        ((log, "--seat", 0), "Missing argument"),
    ):
        call = arena("rerun", *words)
        assert (call.status, why in call.err) == (2, True), call.err
    silent = arena("rerun", log, "--seat", 0, "--", "true")
    assert silent.status == 1
    assert "1 of 1 answers differ" in silent.out
    assert "exited: the output ended without an answer" in silent.out
    (place / "cut.jsonl").write_bytes(log.read_bytes()[:-400])
    for command in (("rerun", "--seat", 0, place / "cut.jsonl", "true"), ("faults", place / "cut.jsonl")):
        assert arena(*command).status == 2


def test_a_rematch_with_the_same_bot_is_the_same_match(place: Path) -> None:
    log = played(place, "echo", "last", "noisy")
    again = place / "again.jsonl"
    call = arena("rematch", log, "--seat", 0, place / "echo.py", *place.glob("*.py"), "--log", again)
    assert call.status == 0, call.err

    def timeless(path: Path) -> list[object]:
        entries = parse(path.read_bytes())
        return [msgspec.structs.replace(e, us=0) if hasattr(e, "us") else e for e in entries]

    assert timeless(again) == timeless(log)
    assert "seat 0 was echo" in call.err
    assert f"arena replay {again} shows it trick by trick" in call.err


@pytest.mark.thorough  # 1 s of processor.
def test_a_rematch_with_another_bot_keeps_the_others_and_the_deals(place: Path) -> None:
    log = played(place, "echo", "last", "noisy")
    again = place / "again.jsonl"
    (place / "broken").write_text("#!/no/such/interpreter\n")
    (place / "broken").chmod(0o755)  # It did not sit there, so it does not matter.
    bots = (ROOT / "bots" / "random.py", place / "last.py", place / "noisy.py", place / "broken")
    assert arena("rematch", log, "--seat", 0, *bots, "--log", again, "--json").status == 0
    before, after = (of_entries(parse(path.read_bytes())) for path in (log, again))
    assert after.opened.pod_key == before.opened.pod_key
    assert [entrant.name for entrant in after.opened.entrants] == ["random", "last", "noisy"]
    assert after.opened.entrants[1:] == before.opened.entrants[1:]


@pytest.mark.thorough  # 2 s of processor.
def test_beside_a_journal_a_rematch_finds_the_others_by_itself(place: Path) -> None:
    run = place / "run"
    bots = [place / f"{name}.py" for name in ("echo", "last", "noisy")]
    assert arena("tournament", *bots, *ONE_ROUND, "--out", run).status == 0
    call = arena("rematch", first_log(run), "--seat", 1, place / "nonsense.py")
    assert call.status == 0, call.err


def test_nothing_that_a_journal_says_is_executed(place: Path) -> None:
    """Beside the log lies a journal whose entrants are a command line, and a folder that wants to be built
    and is another program than the one that sat there."""
    run, marks = place / "run", [place / "ran", place / "built"]
    touch = f"{base_interpreter()} -S {place}/echo.py"
    bots = (place / "last.py", f"echo={touch}", "lent=heuristic", place / "noisy.py")
    assert arena("tournament", *bots, *ONE_ROUND, "--out", run).status == 0
    log = first_log(run)
    seats = [entrant.name for entrant in of_entries(parse(log.read_bytes())).opened.entrants]
    folder = place / "folder"
    folder.mkdir()
    (folder / "bot.toml").write_text(f'name = "noisy"\ncommand = "true"\nbuild = "touch {marks[1]}"\n')
    with Journal(run, write=True) as journal:
        entrants = Record(journal.entries).entrants
        command = f"echo=/bin/sh -c 'touch {marks[0]}'"
        for name, source in (("echo", command), ("noisy", str(folder))):
            journal.add(Replaced(msgspec.structs.replace(entrants[name], source=source), "forged"))
    newcomer = ("rematch", log, "--sandbox", "none", "--seat", seats.index("last"), place / "nonsense.py")
    refused = arena(*newcomer)
    assert refused.status == 2
    assert "is not among the bots named after BOT" in refused.err
    assert not any(mark.exists() for mark in marks)
    given = arena(*newcomer, f"echo={touch}", place / "noisy.py")
    assert given.status == 0, given.err
    assert not any(mark.exists() for mark in marks)


def test_an_opponent_that_has_changed_is_refused(place: Path) -> None:
    log = played(place, "echo", "last", "last")
    (place / "last.py").write_text(ECHO.source() + "\n")
    changed = arena("rematch", log, "--seat", 0, place / "echo.py", place / "last.py")
    assert changed.status == 2
    assert "seat 1: the program of last has changed since" in changed.err
    passed_over = arena("rematch", log, "--seat", 0, place / "log.jsonl")
    assert "log.jsonl: not a bot (the log of a match)" in passed_over.err
    missing = arena("rematch", log, "--seat", 0, place / "echo.py")
    assert missing.status == 2
    assert "is not among the bots named after BOT" in missing.err


@pytest.mark.thorough  # 1 s of processor.
def test_a_newcomer_who_is_called_like_one_of_the_others_gets_a_name_that_is_allowed(place: Path) -> None:
    long = "x" * NAME_LENGTH
    (place / f"{long}.py").write_text(LAST.source())
    log, again = played(place, long, "echo", "last"), place / "again.jsonl"
    bot = place / f"{long}.py"
    call = arena("rematch", log, "--seat", 1, bot, bot, place / "last.py", "--log", again)
    assert call.status == 0, call.err
    names = [entrant.name for entrant in of_entries(parse(again.read_bytes())).opened.entrants]
    assert (names[0], names[1]) == (long, f"{long[:-4]}-new")
