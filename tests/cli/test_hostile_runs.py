"""Run directories that strangers hand in, made so that looking at them does harm: each is refused in one line
that names the place, nothing outside of it is touched, and none is waited for.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from click.testing import CliRunner

import arena.cli as cli
from arena.director.journal import FILE
from arena.journal.database import ENTRY_LIMIT
from arena.system.errors import UserError
from tests.cli.calls import arena
from tests.cli.hostile_folders import listening, sparse
from tests.support.hostile_runs import SECRET, honest, rewritten, run

__all__ = ["honest", "run"]

MATCH: Final = "r01-p001-s01"
LOG: Final = f"matches/{MATCH}.jsonl"
ERRORS: Final = f"stderr/{MATCH}-0.txt"


def refused(run: Path, words: str) -> str:
    """The line with which a command refuses; nothing outside of the run is other than it was."""
    result = CliRunner().invoke(cli.arena, words.replace("DIR", str(run)).split())
    assert isinstance(result.exception, UserError), (words, result.output, result.exception)
    assert (run.parent / "victim").read_text() == SECRET
    assert not list((run.parent / "elsewhere").iterdir())
    return str(result.exception)


def placed(path: Path) -> Path:
    """Where something hostile can be made instead of what is there."""
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return path


def link(path: Path) -> None:
    placed(path).symlink_to(path.parents[1 if path.parent.name == "run" else 2] / "victim")


def folder_link(path: Path) -> None:
    placed(path).symlink_to(path.parent.parent / "elsewhere")


def pipe(path: Path) -> None:
    os.mkfifo(placed(path))


def socket(path: Path) -> None:
    listening(placed(path))


def hole(path: Path) -> None:
    sparse(placed(path))


READ: Final = ("faults DIR", "standings DIR", "report DIR", "export DIR", "pairings DIR", "verify DIR")
WRITTEN: Final = (f"annul DIR {MATCH} --reason x", "withdraw DIR ada --reason x", "resume DIR")
JOURNAL: Final = (*READ, "config DIR", "replace DIR x.py --reason x", "admit DIR x.py", *WRITTEN)
OF_A_LOG: Final = ("faults DIR", "report DIR", "export DIR --rows decisions")
THE_LOG: Final = (
    f"faults DIR/{LOG}",
    f"replay DIR/{LOG}",
    f"replay --verify DIR/{LOG}",
    f"rerun DIR/{LOG} --seat 0 -- true",
    f"rematch DIR/{LOG} --seat 0 x.py",
)
IS_A_LINK: Final = "expected a file, got a symbolic link; replace it with its target"


class Trap(NamedTuple):
    """`make` puts something in the place of `part` of a run, at which each of the `commands` says `why`."""

    part: str
    make: Callable[[Path], None]
    commands: tuple[str, ...]
    why: str


TRAPS: Final = (
    Trap(FILE, link, JOURNAL, f"{FILE}: {IS_A_LINK}"),
    Trap(FILE, pipe, JOURNAL, f"{FILE}: expected a file, got a pipe"),
    Trap(FILE, hole, JOURNAL, f"{FILE}: larger than 1024 MiB, which no journal is"),
    Trap(f"{FILE}-wal", link, JOURNAL, f"{FILE}-wal: {IS_A_LINK}"),
    Trap(f"{FILE}-wal", pipe, READ[:1], f"{FILE}-wal: expected a file, got a pipe"),
    Trap(f"{FILE}-shm", socket, READ[:1], f"{FILE}-shm: expected a file, got a socket"),
    Trap(
        f"{FILE}-journal", lambda path: path.write_bytes(b"x") and None, JOURNAL, "does not leave such a file"
    ),
    Trap(LOG, link, (*OF_A_LOG, *THE_LOG), f"{MATCH}.jsonl: "),
    Trap(LOG, pipe, (*OF_A_LOG, *THE_LOG), "expected a file, got a pipe"),
    Trap(LOG, hole, (*OF_A_LOG, *THE_LOG), "larger than 256 MiB; the arena does not write files that large"),
    Trap("matches", folder_link, (*OF_A_LOG, *WRITTEN), "expected a folder, got a symbolic link"),
    Trap("stderr", folder_link, WRITTEN, "stderr: expected a folder, got a symbolic link"),
    Trap(ERRORS, link, WRITTEN, f"{MATCH}-0.txt: {IS_A_LINK}, or remove it"),
    Trap("lock", link, WRITTEN[:1], "expected a file, got a symbolic link"),
    Trap("lock", pipe, WRITTEN[:1], "expected a file, got a pipe"),
    Trap("replays", folder_link, ("report DIR",), "replays: expected a folder, got a symbolic link"),
    Trap(f"replays/{MATCH}.html", pipe, ("report DIR",), "expected a file, got a pipe"),
    Trap("report.html", pipe, ("report DIR --no-replays",), "a pipe is there, which a file cannot replace"),
)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: f"{trap.part}-{trap.make.__name__.strip('<>')}")
def test_a_trap_is_refused_in_one_line(trap: Trap, run: Path) -> None:
    path = run / trap.part
    path.parent.mkdir(exist_ok=True)
    trap.make(path)
    for words in trap.commands:
        if words.startswith("verify") and trap.part != FILE and not trap.part.startswith(FILE):
            continue
        said = refused(run, words)
        assert trap.why in said, words
        assert "\n" not in said


def test_a_pipe_as_a_log_hangs_no_command(run: Path) -> None:
    """The real ones, which somebody would have to kill."""
    pipe(run / LOG)
    for words in (("faults", run), ("verify", run), ("replay", "--verify", run / LOG)):
        call = arena(*words)
        assert call.status == (1 if words[0] == "verify" else 2)
        assert "expected a file, got a pipe" in call.err


def test_a_million_events_in_a_log_take_no_more_memory_than_its_bytes(run: Path) -> None:
    """Forty megabytes of them, in lines that are not too long."""
    log = run / LOG
    first = log.read_bytes().splitlines()[0]
    line = b'{"type":"events","events":[' + b",".join([b"{}"] * 1_000_000) + b"]}"
    log.write_bytes(b"\n".join([first, *[line] * 14, b""]))
    words = [sys.executable, "-c", PEAK, "arena", "replay", "--verify", str(log)]
    call = subprocess.run(words, capture_output=True, text=True)
    assert "line 2: not" in call.stderr or "the log is cut off" in call.stderr, call.stderr
    assert int(call.stderr.split()[-1]) < 256 << 10, "KiB"
    log.write_bytes(b"\n".join([first, line * 2]))
    assert "line 2: this is not an entry of a match log (longer than 4 MiB)" in refused(
        run, f"replay DIR/{LOG}"
    )


PEAK: Final = """
import atexit, re, runpy, sys
status = lambda: open("/proc/self/status").read()
atexit.register(lambda: print(re.search(r"VmHWM:\\s*(\\d+) kB", status())[1], file=sys.stderr))
sys.argv = sys.argv[1:]
runpy.run_module("arena", run_name="__main__")
"""


def test_a_report_is_written_past_links_that_wait_for_it(run: Path) -> None:
    for name in ("report.html.new", "report.html", "unfinished-"):
        (run / name).symlink_to(run.parent / "victim")
    result = CliRunner().invoke(cli.arena, ["report", str(run)])
    assert result.exit_code == 0, result.exception
    assert (run.parent / "victim").read_text() == SECRET
    assert "<html" in (run / "report.html").read_text()
    assert not (run / "report.html").is_symlink()


def test_no_page_shows_what_a_link_in_its_place_leads_to(run: Path) -> None:
    link(run / ERRORS)
    page = run.parent / "page.html"
    words = ["replay", str(run / LOG), "--html", str(page), "--with-stderr"]
    assert CliRunner().invoke(cli.arena, words).exit_code == 0
    assert SECRET not in page.read_text()


def test_what_is_no_file_is_not_replaced_by_one(run: Path) -> None:
    os.mkfifo(run.parent / "page.html")
    said = refused(run, f"replay DIR/{LOG} --html {run.parent}/page.html")
    assert said.endswith("page.html: a pipe is there, which a file cannot replace; choose a different name")


ENDLESS: Final = (
    "CREATE VIEW entries(no, entry, digest) AS WITH RECURSIVE "
    "c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, x, x FROM c WHERE x < 0"
)


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        (("DROP TABLE entries", ENDLESS), "it contains tables that a journal does not have"),
        (("DROP TABLE entries",), "tables that a journal does not have"),
        (("ALTER TABLE entries RENAME COLUMN digest TO d",), "tables that a journal does not have"),
        (
            ("CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END",),
            "tables that a journal does not have",
        ),
        (("CREATE VIRTUAL TABLE v USING fts5(x)",), "tables that a journal does not have"),
        ((f"UPDATE entries SET entry = CAST(zeroblob({ENTRY_LIMIT + 1}) AS TEXT)",), "too big"),
        (("UPDATE entries SET entry = CAST(x'ff' AS TEXT)",), "Could not decode to UTF-8"),
        (("PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = 'x'"), "malformed database schema"),
    ],
    ids=["view", "none", "column", "trigger", "virtual", "text", "bytes", "schema"],
)
def test_a_hostile_database_is_one_clear_line(statements: tuple[str, ...], why: str, run: Path) -> None:
    db = sqlite3.connect(run / FILE, isolation_level=None)
    for statement in statements:
        db.execute(statement)
    db.close()
    for words in (READ[1], "config DIR", WRITTEN[1]):
        said = refused(run, words)
        assert said.startswith(f"{run / FILE}: ")
        assert why in said
        assert len(said) < 400


def test_what_does_not_fit_together_is_one_clear_line(honest: Path, tmp_path: Path) -> None:
    for number, (before, after) in enumerate(
        (
            ('"placings":[', '"placings":[1,'),
            ('"gains":[[', '"gains":[[],['),
            ('"pods":[["ada","bob","cy"]]', '"pods":[]'),
            ('"pods":[["ada","bob","cy"]]', '"pods":[[' + ",".join(['"ada"'] * 1000) + "]]"),
            ('"format":"swiss"', '"format":"x"'),
        )
    ):
        run = Path(shutil.copytree(honest, tmp_path / f"{number}" / "run"))
        (run.parent / "victim").write_text(SECRET)
        (run.parent / "elsewhere").mkdir()
        rewritten(run, before, after)
        for words in READ[:-1]:
            assert "\n" not in refused(run, words)
        found = CliRunner().invoke(cli.arena, ["verify", str(run)])
        assert isinstance(found.exception, UserError) or re.search(
            "cannot be read|1 thing wrong", found.output
        )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"pod_size":3', '"pod_size":1000000000'),
        ('"pod_size":3', '"pod_size":0'),
        ('"rounds":', '"rounds":1000000000000'),
        ('"rounds":', '"rounds":-'),
        ('"round_no":1', '"round_no":10000000000000000000000'),
    ],
)
def test_numbers_that_nobody_plays_are_one_clear_line(
    before: str, after: str, honest: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(honest, tmp_path / "run"))
    (tmp_path / "victim").write_text(SECRET)
    (tmp_path / "elsewhere").mkdir()
    rewritten(run, before, after)
    for words in READ[:-1]:
        assert "\n" not in refused(run, words)


def test_what_a_finding_quotes_reaches_no_terminal(honest: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(honest, tmp_path / "run"))
    rewritten(run, '"options":{}', '"options":{"a\\u001b]0;pwned\\u0007\\u009b2J":1}')
    for words in ("verify", "config", "standings"):
        call = CliRunner().invoke(cli.arena, [words, str(run)])
        assert not set("\x1b\x07\x9b") & set(call.output), words
