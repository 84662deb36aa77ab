"""What comes late, and what does not come at all: told apart by their causes, whose cures differ."""

import shutil
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from arena.checking import probe
from arena.checking.cures import diagnose
from arena.checking.findings import Finding, Verdict
from arena.checking.steps import check
from arena.checking.symptoms import Symptoms
from arena.entrants.entrant import Entrant
from arena.games import GAMES
from arena.process.launch import Launch
from arena.process.sandbox import Level, Sandbox
from protocol.faults import FaultKind
from protocol.messages import Limits
from tests.support.checked import LIMITS, PLAIN, READY, STICHELN, asked, checked, first_failure
from tests.support.needs import require
from tests.support.programs import Program, entrant

COMPUTES = "end = time.process_time() + 0.5\nwhile time.process_time() < end: pass"
SLEEPS = "time.sleep(0.8)"
UNFLUSHED = "print(answer); continue"


class Late(NamedTuple):
    program: Program
    diagnosis: str
    mend: str


BY_ITSELF = {
    "computes": Late(asked(COMPUTES), "late-computing", "and had only 400 ms"),
    "sleeps": Late(asked(SLEEPS), "late-waiting", "used little CPU time"),
    "says-limits": Late(asked(SLEEPS), "late-waiting", "--time 2s would be enough"),
    "loads": Late(Program(before="time.sleep(1.8)"), "late-start-waiting", "--startup 5s would be enough"),
    "answers-twice": Late(
        asked(f"if m['id'] > 1:\n    {SLEEPS}\nsay(answer); time.sleep(0.01)"), "late-waiting", "used little"
    ),
    "crashes": Late(asked(f"{SLEEPS}\nm['xyzzy']"), "crashed", "KeyError: 'xyzzy'"),
    "ends": Late(asked(f"{SLEEPS}; sys.exit()"), "one-shot", "in a loop"),
    "without-newline": Late(
        asked(f"{SLEEPS}; print(answer, end='', flush=True); time.sleep(60)"),
        "no-newline",
        "without a newline",
    ),
}
"""What comes when nothing is sent, however late."""

STIRRED = {
    "unflushed": Late(asked(UNFLUSHED), "no-flush", "flush after every line"),
    "unflushed-and-computes": Late(asked(f"{COMPUTES}\n{UNFLUSHED}"), "no-flush", "flush after every line"),
    "unflushed-and-sleeps": Late(asked(f"{SLEEPS}\n{UNFLUSHED}"), "no-flush", "flush after every line"),
    "greets-unflushed-and-sleeps": Late(
        Program(before="def say(text): print(text)", asked=SLEEPS), "no-flush", "flush after every line"
    ),
    "greets-unflushed-only": Late(
        Program(
            before=f"line = sys.stdin.readline(); print({READY!r}); sys.stdin = iter(sys.stdin.readline, '')"
        ),
        "no-flush",
        "flush after every line",
    ),
    "flushes-before-it-reads": Late(
        Program(
            before="def say(text): print(text)\n"
            "sys.stdin = iter(lambda: (sys.stdout.flush(), sys.__stdin__.readline())[1], '')\n"
            "line = sys.stdin.__next__(); json.loads(line); line = sys.__stdin__.readline()\n"
            f"print({READY!r}, flush=True)"
        ),
        "second-line",
        "flush only before you read the next",
    ),
    "looks-ahead-and-sleeps": Late(
        Program(before=f"sys.stdin.readline(); sys.stdin.readline(); time.sleep(0.3); say({READY!r})"),
        "second-line",
        "one more line",
    ),
    "answers-some": Late(
        asked("if m['decision'] == 'play': continue"), "unanswered", "whatever its `decision`"
    ),
}
"""What has to be told by sending more."""


@pytest.fixture(autouse=True)
def _a_busy_machine_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "HEARD_SECONDS", 2.0)


async def late(folder: Path, program: Program, sandbox: Sandbox = PLAIN) -> Finding:
    return first_failure(await checked(folder, program, sandbox=sandbox))


def told_of(failure: Finding, mistake: Late) -> None:
    """Where others keep the cores busy, that may be what it was too late by."""
    if failure.diagnosis != "busy-machine":
        assert failure.diagnosis == mistake.diagnosis, failure
        assert mistake.mend in failure.mend


@pytest.mark.parametrize("name", BY_ITSELF)
async def test_what_comes_by_itself_is_late(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "LATE_SECONDS", (30.0, 30.0))
    mistake = BY_ITSELF[name]
    if name == "without-newline":
        monkeypatch.setattr(probe, "LATE_SECONDS", (3.0, 3.0))
    failure = await late(tmp_path, mistake.program)
    told_of(failure, mistake)


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("name", ["computes", "sleeps"])
async def test_so_it_is_behind_a_wall(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "LATE_SECONDS", (30.0, 30.0))
    told_of(await late(tmp_path, BY_ITSELF[name].program, Sandbox(Level.BWRAP)), BY_ITSELF[name])


@pytest.mark.parametrize("name", STIRRED)
async def test_what_comes_only_behind_more_lines_is_not(name: str, tmp_path: Path) -> None:
    mistake = STIRRED[name]
    failure = await late(tmp_path, mistake.program)
    assert failure.diagnosis == mistake.diagnosis, failure
    assert mistake.mend in failure.mend


def test_three_times_too_slow_is_heard_out_at_the_default_limits() -> None:
    limits = Limits()
    most = (limits.decision_ms + limits.bank_ms) / 1000
    given = probe._between(probe.LATE_FACTOR * most, probe.LATE_SECONDS)
    # The bank is used up by then.
    assert 3 * limits.decision_ms / 1000 < limits.decision_ms / 1000 + given
    assert most + given < 60


def test_what_the_machine_was_too_busy_for_is_not_the_bots_mistake() -> None:
    """The bot stood in the queue for a core."""
    seen = Symptoms(FaultKind.TIMEOUT, "", request_id=1, had=0.6, took=1.4, queued=1.0, busy=0.9)
    assert diagnose(seen).name == "busy-machine"
    assert "no free core to run it on for 1 s" in diagnose(seen).advice
    assert diagnose(msgspec.structs.replace(seen, queued=0.5)).name == "late-computing"


@pytest.mark.parametrize(
    ("queued", "computed", "diagnosis"),
    [
        (28.0, 0.05, "starved"),
        (2.0, 0.92, "busy-start"),
        (22.0, 2.0, "busy-start"),
        (17.0, 0.4, "busy-start"),
    ],
    ids=["no core", "an infinite loop", "eight endless loops on two cores", "one with half a core"],
)
def test_a_bot_without_a_core_did_not_compute(queued: float, computed: float, diagnosis: str) -> None:
    seen = Symptoms(
        FaultKind.HANDSHAKE, "", had=10.0, waited=20.0, queued=queued, computed=computed, busy=0.9
    )
    assert diagnose(seen).name == diagnosis


async def test_who_goes_late_by_itself_does_not_stay(tmp_path: Path) -> None:
    failure = await late(tmp_path, Program(end="time.sleep(2)"))
    assert (failure.step, failure.diagnosis) == ("end", "slow-to-go")
    assert "do less at the end" in failure.mend


# ── other mistakes that look alike ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("newline", ["\\n", "\\r\\n"])
async def test_wide_characters_are_told_in_every_flavour(encoding: str, newline: str, tmp_path: Path) -> None:
    wide = Program(before=f"sys.stdout.reconfigure(encoding='{encoding}', newline='{newline}')")
    failure = await late(tmp_path, wide)
    assert (failure.step, failure.diagnosis) == ("ready", "utf-16"), failure


@pytest.mark.parametrize("end", ["\\0\\n", "\\n\\0"])
async def test_the_zero_at_the_end_of_a_c_string_is_no_utf_16(end: str, tmp_path: Path) -> None:
    failure = await late(tmp_path, Program(before=f"def say(text): os.write(1, (text + '{end}').encode())"))
    assert failure.diagnosis == "zero-bytes", failure


async def test_wide_characters_that_stay_in_the_buffer_are_a_missing_flush_first(tmp_path: Path) -> None:
    wide = Program(before="sys.stdout.reconfigure(encoding='utf-16-le')\ndef say(text): print(text)")
    assert (await late(tmp_path, wide)).diagnosis == "no-flush"


async def test_a_file_of_its_own_that_it_cannot_decode_is_not_our_line(tmp_path: Path) -> None:
    failure = await late(tmp_path, asked("b'\\xff\\xfe'.decode()"))
    assert failure.diagnosis == "crashed", failure
    assert "'utf-8' codec can't decode byte 0xff" in failure.mend


async def test_last_words_before_a_status_are_no_exception(tmp_path: Path) -> None:
    failure = await late(tmp_path, asked("print('no weights', file=sys.stderr); sys.exit(2)"))
    assert failure.diagnosis == "last-words", failure
    assert "exited with status 2" in failure.mend
    assert "“no weights”" in failure.mend


async def test_a_card_on_the_table_is_not_in_the_hand(tmp_path: Path) -> None:
    others = "seen = [c for e in m['events'] for c in [e.get('card')] if c]"
    program = asked(
        f"if m['decision'] == 'play':\n    {others}\n"
        "    if seen: answer = answer.replace(m['legal'][0], seen[-1])"
    )
    failure = await late(tmp_path, program)
    assert failure.diagnosis == "illegal", failure


@pytest.mark.parametrize("word", ["build", "executor", "PATH", "closed", "interpreter", "bot.toml"])
async def test_a_word_in_a_path_is_no_sign(word: str, tmp_path: Path) -> None:
    (tmp_path / word).mkdir()
    path = tmp_path / word / "bot"
    bot = Entrant("bot", Launch((str(path),), str(tmp_path / word)), "")
    found = await check(bot, "bot", STICHELN, LIMITS, Sandbox(), lambda step: None)
    assert first_failure(found).diagnosis == "not-there"


CRASHES = {
    "js": ("node", "throw new TypeError('no card');", "TypeError: no card"),
    "rb": ("ruby", "raise ArgumentError, 'no card'", "no card (ArgumentError)"),
    "pl": ("perl", "die 'no card';", "no card at "),
    "lua": ("lua", "error('no card')", "no card"),
    "php": ("php", "<?php throw new Exception('no card');", "no card"),
}


@pytest.mark.parametrize("suffix", CRASHES)
async def test_a_crash_is_told_by_its_error_in_every_language(suffix: str, tmp_path: Path) -> None:
    """And not by the stack or the version that stand below it."""
    interpreter, source, error = CRASHES[suffix]
    require(interpreter)
    program = str(shutil.which(interpreter))
    path = tmp_path / f"bot.{suffix}"
    path.write_text(source)
    bot = Entrant("bot", Launch((program, str(path)), str(tmp_path)), "")
    found = await check(bot, "bot", (GAMES["sticheln"],), Limits(), Sandbox(), lambda step: None)
    failure = first_failure(found)
    assert failure.diagnosis == "crashed", failure
    assert error in failure.mend


# ── a budget ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_behind_its_budget_a_slow_bot_is_not_tried_everywhere(tmp_path: Path) -> None:
    """But whole in one match, and by all that takes no time."""
    bot = entrant(tmp_path, "bot", Program())
    found = await check(bot, "bot", STICHELN, LIMITS, Sandbox(), lambda step: None, 0.0)
    passed = [finding.step for finding in found.findings if finding.verdict is not Verdict.SKIPPED]
    assert passed == [
        "program",
        "ready",
        "name",
        "unasked",
        "reply",
        "sticheln 3",
        "stderr",
        "notes",
        "once",
        "pace",
    ]
    skipped = found.of(Verdict.SKIPPED)
    assert {finding.remark for finding in skipped} == {"the 0 s for this bot were used up"}
    assert found.passed


async def test_a_match_ends_with_the_budget(tmp_path: Path) -> None:
    slow = asked("if m['view']['seats'] > 3: time.sleep(0.2)\nif m['view']['seats'] > 4: sys.exit(3)")
    bot = entrant(tmp_path, "bot", slow)
    found = await check(bot, "bot", STICHELN, LIMITS, Sandbox(), lambda step: None, 5.0)
    (match,) = [finding for finding in found.findings if finding.step == "sticheln 4"]
    assert (match.verdict, match.remark) == (Verdict.SKIPPED, "the 5 s for this bot were used up")
