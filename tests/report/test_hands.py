"""No page shows a hand of deals that are played again, whatever a bot wrote it to; and the way back, where a
match is annulled and something stands in the way.
"""

import contextlib
import html
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from arena.director.entries import MatchAnnulled, RoundPaired, match_id
from arena.director.journal import Journal
from arena.director.state import Record
from arena.report import REPORT, ROW_FILES
from arena.report.files import write_report
from arena.report.hands import over, remove_report
from arena.report.updates import LivePages
from arena.system.errors import UserError
from tests.cli.calls import BOTS, ROOT, arena
from tests.support.journals import CREATED, played
from tests.support.programs import Program

TELLS = """
hand = "HAND " + "-".join(m["view"]["hand"])
if m["id"] == 2: answer = json.dumps({"type": "reply", "id": 2, "action": hand})
if m["id"] == 4: answer = hand
if m["id"] == 6:
    print(hand, file=sys.stderr, flush=True)
    raise SystemExit(hand)
"""
"""Writes its hand in place of an action, of a reply, and to standard error."""
ANNULLED = "r01-p001-s02"
REMEMBERS = """
import json, sys
name = "I know nothing"
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print(json.dumps({"type": "ready", "name": name, "language": name}), flush=True)
    elif m["type"] == "request":
        name = "HAND " + "-".join(m["view"]["hand"][:5])
        print(json.dumps({"type": "reply", "id": m["id"], "action": m["legal"][0]}), flush=True)
"""
"""Calls itself by the last hand of its match before."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of one pod, in which a bot tells its hands."""
    base = tmp_path_factory.mktemp("told")
    (base / "teller.py").write_text(Program(asked=TELLS).source())
    run = base / "run"
    words = ("--seats", 3, "--rounds", 1, "--deals", 1, "--faults", 100, "--seed", 1, "--out", run, "--quiet")
    call = arena("tournament", base / "teller.py", *BOTS[:2], *words)
    assert call.status == 0, call.err
    return run


@pytest.fixture
def run(told: Path, tmp_path: Path) -> Path:
    return shutil.copytree(told, tmp_path / "run")


@pytest.fixture(scope="module")
def told_of(told: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with its report."""
    run = shutil.copytree(told, tmp_path_factory.mktemp("reported") / "run")
    assert arena("report", run).status == 0
    return run


@pytest.fixture
def reported(told_of: Path, tmp_path: Path) -> Path:
    return shutil.copytree(told_of, tmp_path / "run")


def hands(run: Path) -> set[str]:
    """The hands that the report shows: those that the bot wrote, and those that it was sent."""
    page = html.unescape((run / REPORT).read_text())
    return {word for word in ("HAND ", '"hand"') if word in page}


@pytest.mark.parametrize("options", [(), pytest.param(("--with-stderr",), marks=pytest.mark.thorough)])
def test_a_report_tells_no_hand_of_an_open_pod(run: Path, options: tuple[str, ...]) -> None:
    assert arena("report", run, *options).status == 0
    assert hands(run) == {"HAND ", '"hand"'}
    assert arena("annul", run, ANNULLED, "--reason", "a wrong clock").status == 0
    assert arena("report", run, *options).status == 0
    assert hands(run) == set()
    assert "it may reveal cards" in (run / REPORT).read_text()
    assert not list((run / "replays").iterdir())


def test_the_latest_match_comes_first_after_a_hundred_rounds_too() -> None:
    created = msgspec.structs.replace(CREATED, rounds=100, duplicates=False)
    drawn = [RoundPaired(round_no, (("ada", "bob", "cy"),)) for round_no in range(1, 101)]
    results = [
        msgspec.structs.replace(played(1), match_id=match_id(round_no, 1, 1), round_no=round_no)
        for round_no in (9, 100, 11, 99)
    ]
    assert over(Record([created, *drawn, *results])) == [match_id(no, 1, 1) for no in (100, 99, 11, 9)]


def test_a_report_without_replays_leaves_none_of_an_open_pod(reported: Path) -> None:
    """Whoever annulled a match may have been killed before it removed them."""
    with Journal(reported, write=True) as journal:
        journal.add(MatchAnnulled(ANNULLED, "a wrong clock"))
    assert list((reported / "replays").iterdir())
    assert arena("report", reported, "--no-replays").status == 0
    assert not list((reported / "replays").iterdir())
    assert hands(reported) == set()


def test_annulling_takes_the_report_away_that_quotes_hands(run: Path) -> None:
    assert arena("report", run, "--title", "Spring").status == 0
    call = arena("annul", run, ANNULLED, "--reason", "a wrong clock")
    assert call.status == 0
    removed = f"{run / REPORT} was removed, since it may show hands that will be played again"
    assert f"{removed}; to write it again: arena report {run}" in call.err
    assert not (run / REPORT).exists()


def test_annul_killed_before_its_entry_leaves_no_hand(reported: Path) -> None:
    """Pages go before the entry. It is killed while it waits to write that."""
    command = [sys.executable, "-m", "arena", "annul", str(reported), ANNULLED, "--reason", "a wrong clock"]
    with contextlib.closing(sqlite3.connect(reported / "tournament.db", isolation_level=None)) as held:
        held.execute("BEGIN IMMEDIATE")
        with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) as annul:
            while (reported / REPORT).exists() and annul.poll() is None:
                time.sleep(0.01)
            annul.kill()
    with Journal(reported) as journal:
        assert not any(isinstance(entry, MatchAnnulled) for entry in journal.entries)
    assert not (reported / REPORT).exists()
    assert not list((reported / "replays").iterdir())


@pytest.mark.thorough  # 3 s of processor.
def test_a_bot_that_is_kept_tells_no_hand_by_what_it_calls_itself(tmp_path: Path) -> None:
    (tmp_path / "recalls.py").write_text(REMEMBERS)
    run = tmp_path / "run"
    words = ("--seats", 3, "--rounds", 2, "--deals", 1, "--seed", 1, "--keep-bots", "--jobs", 1, "--out", run)
    call = arena("tournament", tmp_path / "recalls.py", *BOTS[:2], *words, "--quiet")
    assert call.status == 0, call.err
    logs = sorted((run / "matches").glob("*.jsonl"))
    assert any("HAND " in log.read_text() for log in logs)
    assert arena("report", run, "--no-replays").status == 0
    assert "I know nothing" in (run / REPORT).read_text()
    for match in ("r01-p001-s02", "r01-p001-s01"):
        assert arena("annul", run, match, "--reason", "a wrong clock").status == 0
        assert arena("report", run, "--no-replays").status == 0
        assert "HAND " not in (run / REPORT).read_text()


def test_annul_names_a_link_in_the_place_of_the_files_that_a_report_reads(run: Path, tmp_path: Path) -> None:
    """Somebody may have moved them, so that they are still served."""
    (tmp_path / "moved").mkdir()
    (run / "report").symlink_to(tmp_path / "moved")
    call = arena("annul", run, ANNULLED, "--reason", "a wrong clock")
    assert call.status == 2
    assert f"{run / 'report'}: expected a folder, got a symbolic link" in call.err


def test_annul_that_cannot_enter_says_what_writes_the_pages_again(reported: Path) -> None:
    with contextlib.closing(sqlite3.connect(reported / "tournament.db", isolation_level=None)) as held:
        held.execute("BEGIN IMMEDIATE")
        call = arena("annul", reported, ANNULLED, "--reason", "a wrong clock")
    assert call.status == 2
    assert f"to write the removed pages again: arena report {reported}" in call.err
    assert arena("report", reported).status == 0


def test_the_files_that_a_report_reads_go_with_it(run: Path) -> None:
    with Journal(run) as journal:
        write_report(journal, one_file=1)
        assert list((run / ROW_FILES).iterdir())
        assert remove_report(journal) == {}
    assert not list((run / ROW_FILES).iterdir())
    assert not (run / REPORT).exists()


def test_while_it_is_played_a_report_goes_at_once(reported: Path) -> None:
    annulled = MatchAnnulled(ANNULLED, "a wrong clock")
    with Journal(reported, write=True) as journal:
        pages = LivePages(journal, pytest.fail)
        assert hands(reported)
        journal.add(annulled)
        pages.on_entry(annulled)
        assert not (reported / REPORT).exists()


def test_who_goes_on_begins_without_a_report_of_before(reported: Path) -> None:
    """The arena may have been killed after the entry and before it removed the page."""
    with Journal(reported, write=True) as journal:
        journal.add(MatchAnnulled(ANNULLED, "a wrong clock"))
        assert hands(reported)
        LivePages(journal, pytest.fail)
    assert not (reported / REPORT).exists()


def test_what_was_read_before_a_match_was_annulled_does_not_stay(run: Path) -> None:
    with Journal(run) as journal:
        assert journal.entries
        assert arena("annul", run, ANNULLED, "--reason", "a wrong clock").status == 0
        with pytest.raises(UserError, match="a match was annulled in the meantime"):
            write_report(journal)
    assert not (run / REPORT).exists()
    assert not list((run / "replays").iterdir())
    assert arena("report", run).status == 0
    assert hands(run) == set()


def test_a_report_that_is_stopped_leaves_no_hand_of_a_pod_that_was_annulled_meanwhile(run: Path) -> None:
    """It would have removed the replays at its end."""

    class StoppedError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 1:
            assert arena("annul", run, ANNULLED, "--reason", "a wrong clock").status == 0
        else:
            raise StoppedError

    with Journal(run) as journal, pytest.raises(UserError, match="a match was annulled in the meantime"):
        write_report(journal, progress=stop)
    assert not list((run / "replays").iterdir())


def as_stranger(*words: object) -> "subprocess.CompletedProcess[str]":
    """The command, run by somebody who may write only where permissions allow that."""
    command = [sys.executable, "-m", "arena", *map(str, words)]
    if os.geteuid() == 0:
        command = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", *command]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)


@pytest.mark.thorough  # 2 s of processor.
def test_a_log_that_cannot_be_set_aside_keeps_no_hands_and_no_run(reported: Path) -> None:
    logs = reported / "matches"
    logs.chmod(0o500)
    try:
        annulled = as_stranger("annul", reported, ANNULLED, "--reason", "a wrong clock")
        refused = as_stranger("resume", reported, "--quiet")
    finally:
        logs.chmod(0o700)
    assert annulled.returncode == 0, annulled.stderr
    assert not list((reported / "replays").iterdir())
    assert not (reported / REPORT).exists()
    assert refused.returncode == 2
    assert f"{logs}" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert arena("resume", reported, "--quiet").status == 0
    verified = arena("verify", reported)
    assert verified.status == 0, verified.out


def test_without_the_right_to_write_replays_there_is_a_report(run: Path) -> None:
    replays = run / "replays"
    replays.mkdir()
    replays.chmod(0o500)
    try:
        call = as_stranger("report", run)
    finally:
        replays.chmod(0o700)
    assert call.returncode == 2
    assert f"{replays}" in call.stderr
    assert "is written without them" in call.stderr
    assert (run / REPORT).exists()


def test_a_picture_that_cannot_be_written_costs_no_report(run: Path) -> None:
    (run / "preview.png").mkdir()
    call = arena("report", run, "--address", "https://club.example/spring/")
    assert call.status == 2
    assert f"{run / 'preview.png'}: a folder is there" in call.err
    assert (run / REPORT).exists()


def test_a_file_of_the_users_own_stays(run: Path) -> None:
    own = run / "replay.html"
    own.write_text("mine")
    (run / "replays").mkdir()
    (run / "replays" / "notes").mkdir()
    call = arena("report", run)
    assert call.status == 0, call.err
    assert own.read_text() == "mine"
    assert len(list((run / "replays").glob("*.html"))) == 6


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.needs("root")
@pytest.mark.parametrize("kilobytes", [50, 400, 700])
def test_on_a_full_disk_the_report_comes_without_further_replays(
    told: Path, tmp_path: Path, kilobytes: int
) -> None:
    """Each replay is some 100 kB, and so is the report."""
    small = tmp_path / "small"
    small.mkdir()
    size = sum(path.stat().st_size for path in told.rglob("*") if path.is_file()) // 1024 + kilobytes
    inside = (
        f"mount -t tmpfs -o size={size}k small {small} && cp -r {told} {small}/run && "
        f"{shlex.quote(sys.executable)} -m arena report {small}/run; echo status $?; "
        f"ls {small}/run {small}/run/replays"
    )
    call = subprocess.run(
        ["unshare", "--mount", "sh", "-c", inside], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    if "permission denied" in call.stderr.lower() or "not permitted" in call.stderr.lower():
        pytest.skip("nothing may be mounted here")
    assert "status 2" in call.stdout, call.stderr
    if kilobytes < 100:
        assert REPORT not in call.stdout.split()
        assert "the report cannot be written (No space left on device; make room)" in call.stderr
        return
    assert REPORT in call.stdout.split()
    assert "No space left on device; make room, or leave out replays with --no-replays" in call.stderr
    assert "-s0" not in call.stdout.partition("replays")[2]


@pytest.mark.thorough  # 1 s of processor.
def test_without_the_right_to_write_a_report_says_what_it_needs(reported: Path) -> None:
    reported.chmod(0o500)
    try:
        call = as_stranger("report", reported)
    finally:
        reported.chmod(0o700)
    assert call.returncode == 2
    why = "the report cannot be written (Permission denied; it needs permission to write there)"
    assert f"{reported}" in call.stderr
    assert why in call.stderr
