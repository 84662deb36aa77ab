"""What a bot needs of its own folder: a sandbox makes that read-only, and a check says so at every level."""

from pathlib import Path

import pytest

from arena.checking.cures import CURES, diagnose
from arena.checking.steps import BrokenPromise, Examination, Seen, steps
from arena.checking.symptoms import Symptoms
from arena.entrants.find import find
from arena.games import GAMES
from arena.process.sandbox import Level, Sandbox
from protocol.faults import FaultKind
from protocol.messages import Limits
from tests.support.programs import ECHO, Program

pytestmark = pytest.mark.needs("setpriv")
PATIENT = Limits(start_ms=30_000, decision_ms=10_000, bank_ms=0)
LOG = "open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'log.txt'), 'a').write('x')"
READS = "open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'weights')).read()"


async def last_seen(word: Path | str, *names: str) -> Seen:
    """What is seen in the last of these steps."""
    games, sandbox = [GAMES["sticheln"]], Sandbox(Level.NONE)
    (entrant,) = find([str(word)], "sticheln", sandbox).entrants
    exam = Examination(entrant, games, PATIENT, sandbox)
    seen: Seen = None
    for step in steps(games):
        if step.name in names:
            seen = await step.look(exam)
    return seen


async def beside(word: Path | str) -> BrokenPromise:
    """What the step “beside” finds."""
    found = await last_seen(word, "ready", "sticheln 3", "beside")
    assert isinstance(found, BrokenPromise)
    return found


async def passes(word: Path) -> bool:
    return await last_seen(word, "ready", "sticheln 3", "beside") is None


def bot(folder: Path, program: Program, *, alone: bool = False) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "bot.py").write_text(program.source())
    if alone:
        return folder / "bot.py"
    (folder / "bot.toml").write_text('command = "python3 bot.py"')
    return folder


@pytest.mark.parametrize("alone", [False, True])
async def test_a_bot_that_has_to_write_beside_itself_fails(alone: bool, tmp_path: Path) -> None:
    word = bot(tmp_path / "bot", Program(asked=f"if m['id'] == 9: {LOG}"), alone=alone)
    failed = await beside(word)
    assert failed.name == "writes-beside"
    assert "(log.txt)" in failed.what
    assert "PermissionError" in failed.what
    assert "/tmp, which is private there" in failed.mend


async def test_one_that_plays_on_where_it_cannot_passes(tmp_path: Path) -> None:
    word = bot(tmp_path / "bot", Program(before=f"try: {LOG}\nexcept OSError: pass"))
    assert await passes(word)


async def test_a_command_line_whose_program_reads_what_lies_beside_it_is_told_to_be_a_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "weights").touch()
    failed = await beside(f"x=python3 {bot(tmp_path / 'bot', Program(before=READS), alone=True)}")
    assert failed.name == "needs-more-files"
    assert "a folder with a bot.toml" in failed.mend
    assert await passes(bot(tmp_path / "bot", Program(before=READS)))


async def test_a_single_file_is_alone_and_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "weights").touch()
    found = await last_seen(bot(tmp_path / "bot", Program(before=READS), alone=True), "ready")
    assert isinstance(found, Symptoms)
    assert diagnose(found).name == "file-not-found"


@pytest.mark.parametrize(
    "error",
    [
        "OSError: [Errno 30] Read-only file system: 'log.txt'",
        "PermissionError: [Errno 13] Permission denied: 'log.txt'",
        "Error: EROFS: read-only file system, open 'log.txt'",
    ],
)
def test_in_the_sandbox_the_error_itself_says_so(error: str) -> None:
    seen = Symptoms(FaultKind.EXITED, "", request_id=1, status=1, stderr=f"Traceback\n{error}\n")
    assert diagnose(seen).name == "writes-beside"
    assert "/tmp, which is private there" in diagnose(seen).advice


async def test_carriage_returns_in_a_shell_script_are_named(tmp_path: Path) -> None:
    """Where it is named alone, and in a folder."""
    bot(tmp_path / "bot", ECHO)
    (tmp_path / "bot" / "run.sh").write_bytes(b"#!/bin/sh\r\nexec python3 bot.py\r\n")
    (tmp_path / "bot" / "bot.toml").write_text('command = "sh run.sh"')
    for word in (tmp_path / "bot", tmp_path / "bot" / "run.sh"):
        seen = await last_seen(word, "ready")
        assert isinstance(seen, Symptoms)
        failed = diagnose(seen)
        assert failed.name == "script-with-carriage-returns"
        assert "run.sh has Windows line endings (CRLF)" in failed.advice
        assert "LF" in failed.advice.partition("CRLF")[2]


def test_first_lines_as_editors_of_windows_write_them_are_told(tmp_path: Path) -> None:
    for first, said in (
        (b"#!/usr/bin/env python3\r\n", "ends in \\r\\n, a Windows line ending (CRLF)"),
        (b"\xef\xbb\xbf#!/bin/sh\n", "a byte order mark before its #!: save it as UTF-8 without one"),
    ):
        (tmp_path / "bot").write_bytes(first)
        (tmp_path / "bot").chmod(0o755)
        (out,) = find([str(tmp_path / "bot")], "sticheln", Sandbox(Level.NONE)).left_out
        assert said in out.reason
    assert "Unix line endings (LF)" in next(cure.advice for cure in CURES if cure.name == "carriage-return")
