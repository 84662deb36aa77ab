"""What beginners get wrong, as tiny real programs, and what the check tells them."""

from pathlib import Path

import pytest

from arena.checking import probe
from arena.checking.findings import Verdict
from arena.checking.pace import ReplyTimes, pace
from arena.checking.steps import check
from arena.entrants.entrant import Entrant
from arena.games import GAMES
from arena.process.launch import Launch
from arena.process.obstacle import Obstacle, ObstacleKind
from arena.process.sandbox import Level, Sandbox
from protocol.messages import Limits
from tests.support.checked import CLASSIC, LIMITS, READY, STICHELN, Mistake, asked, checked, first_failure
from tests.support.programs import Program

PATIENT = Limits(start_ms=30_000, decision_ms=10_000, bank_ms=0)
"""For bots that must pass however busy the machine is."""


# As C's fread does. It greets once.
READS_BLOCKS = f"""
def lines(blocks, rest=b""):
    while block := blocks.read(1 << 12):
        *whole, rest = (rest + block).split(b"\\n")
        yield from whole
came = lines(sys.stdin.buffer)
next(came)
say({READY!r})
sys.stdin = (line for line in came if b'"hello"' not in line)
"""


FURTHER = {
    "no-newline": Mistake(
        asked("print(answer, end='', flush=True); time.sleep(60)"), "reply", "end every line with \\n"
    ),
    "unfinished-line": Mistake(
        Program(before="print('> ', end='', flush=True); time.sleep(60)"), "ready", "don't print a prompt"
    ),
    "prompt": Mistake(asked("answer = 'Your move: ' + answer"), "reply", "don't print a prompt"),
    "second-line": Mistake(
        Program(before=f"sys.stdin.readline(); sys.stdin.readline(); say({READY!r})"),
        "ready",
        "one more line",
    ),
    "busy": Mistake(asked("while True: pass"), "reply", "infinite loop"),
    "slow": Mistake(asked("time.sleep(60)"), "reply", "is it sleeping"),
    "waiting": Mistake(Program(before="while sys.stdin.readline(): pass"), "ready", "waiting for something"),
    "not-reading": Mistake(Program(before="time.sleep(60)"), "ready", "read nothing: is it sleeping"),
    "reads-blocks": Mistake(Program(before=READS_BLOCKS), "ready", "block of input"),
    "ended-for-a-child": Mistake(
        Program(before="if os.fork(): os._exit(0)\ntime.sleep(60)"), "ready", "do not go into the background"
    ),
    "ended-at-once": Mistake(Program(before="sys.exit(0)"), "ready", "wrote nothing"),
    "program-not-found": Mistake(
        Program(before="os.execvp('python3', ['python3', 'boot.py'])"), "ready", "`command` in a bot.toml"
    ),
    "module-not-found": Mistake(Program(before="import numpyy"), "ready", "the standard library"),
    "no-such-field": Mistake(asked("m['view']['saets']"), "reply", "did you mean `seats`?"),
    "json-error": Mistake(asked("json.loads('')"), "reply", "read one whole line"),
    "signal": Mistake(asked("os.kill(os.getpid(), signal.SIGSEGV)"), "reply", "SIGSEGV"),
    "half-a-line": Mistake(
        asked("print(answer[:9], end='', flush=True); os._exit(0)"), "reply", "in the middle"
    ),
    "closed-pipes": Mistake(asked("os.close(1); time.sleep(60)"), "reply", "keep both open"),
    "exit": Mistake(asked("sys.exit(2)"), "reply", "exited with status 2"),
    "utf-16": Mistake(asked("sys.stdout.reconfigure(encoding='utf-16')"), "reply", "UTF-16"),
    "not-utf-8": Mistake(asked("os.write(1, b'gr\\xfc\\xdfe\\n')"), "reply", "set the encoding"),
    "echo": Mistake(asked("answer = line.strip()"), "reply", "our own line"),
    "several-on-a-line": Mistake(asked("answer += answer"), "reply", "newline after each"),
    "bytes-repr": Mistake(asked("answer = str(answer.encode())"), "reply", "message.decode()"),
    "object-object": Mistake(asked("answer = '[object Object]'"), "reply", "JSON.stringify"),
    "unquoted-keys": Mistake(asked("answer = '{type: \"reply\"}'"), "reply", "double quotes"),
    "action-alone": Mistake(asked("answer = m['legal'][0]"), "reply", "only the action"),
    "index-alone": Mistake(asked("answer = '0'"), "reply", "only a number"),
    "encoded-twice": Mistake(asked("answer = json.dumps(answer)"), "reply", "only once"),
    "bad-json": Mistake(asked("answer = answer[:-1] + ',}'"), "reply", "your language's library"),
    "not-an-object": Mistake(asked("answer = '[]'"), "reply", "not an object"),
    "no-type": Mistake(asked("answer = '{}'"), "reply", "no `type`"),
    "ready-to-request": Mistake(asked(f"answer = {READY!r}"), "reply", "with a `reply`"),
    "other-type": Mistake(asked("answer = answer.replace('reply', 'Reply')"), "reply", "exactly"),
    "protocol": Mistake(Program(before='say(\'{"type":"ready","protocol":2}\')'), "ready", "integer 1"),
    "no-name": Mistake(Program(before='say(\'{"type":"ready"}\')'), "ready", "needs a `name`"),
    "empty-name": Mistake(
        Program(before=f"say({READY!r}.replace('x', ' ')); sys.stdin.readline()"), "name", "1 to 32"
    ),
    "no-id": Mistake(asked('answer = \'{"type":"reply"}\''), "reply", "no `id`"),
    "id-no-integer": Mistake(asked("answer = answer.replace(': 1', ': 1.0')"), "reply", "7.0"),
    "no-action": Mistake(asked('answer = \'{"type":"reply","id":1}\''), "reply", "no `action`"),
    "action-no-text": Mistake(
        asked("answer = answer.replace('\"' + m['legal'][0] + '\"', 'true')"), "reply", "not a string"
    ),
    "null": Mistake(asked("answer = answer[:-1] + ', \"note\": null}'"), "reply", "leave out"),
    "index": Mistake(asked("answer = answer.replace(m['legal'][0], '0')"), "reply", "an index"),
    "other-order": Mistake(
        asked("a = m['legal'][0]; answer = answer.replace(a, a[1:] + a[0])"), "reply", "letter followed by"
    ),
    "from-memory": Mistake(
        Program(
            before="kept = None",
            asked="kept = kept or m['legal'][0]\nanswer = answer.replace(m['legal'][0], kept)",
        ),
        "sticheln 3",
        "was legal earlier",
    ),
    "illegal": Mistake(asked("answer = answer.replace(m['legal'][0], 'joker')"), "reply", "“joker” is not"),
    "flood": Mistake(asked("while True: sys.stdout.write('\\n' * 999)"), "reply", "an infinite loop"),
    "long-line": Mistake(asked("while True: sys.stdout.write('x' * 999)"), "reply", "without a newline"),
    "unasked": Mistake(
        Program(before=f"sys.stdin.readline(); say({READY!r} + '\\nhi')"), "unasked", "not asked for"
    ),
    "memory": Mistake(Program(before="hog = b'x' * (600 << 20); time.sleep(60)"), "ready", "keeps growing"),
    "stays": Mistake(Program(end="time.sleep(60)"), "end", "leave your loop"),
}


@pytest.mark.parametrize("name", CLASSIC)
async def test_a_classic_mistake_is_told_by_its_name(name: str, tmp_path: Path) -> None:
    await told_by_its_name(name, CLASSIC[name], tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("name", FURTHER)
async def test_a_further_mistake_is_told_by_its_name(name: str, tmp_path: Path) -> None:
    await told_by_its_name(name, FURTHER[name], tmp_path)


async def told_by_its_name(name: str, mistake: Mistake, folder: Path) -> None:
    found = await checked(folder, mistake.program)
    failure = first_failure(found)
    assert (failure.diagnosis, failure.step) == (name, mistake.step), failure
    assert mistake.mend in failure.mend
    # Whoever reads it sees neither the dialogue nor, unless that is why it ended, a word of the bot.
    assert failure.happened.startswith(("it ", "its ", "nothing ", "in a trial match of "))
    assert "joker" not in failure.happened
    assert not found.passed


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("name", ["busy", "slow"])
async def test_an_endless_loop_is_told_from_a_nap_behind_a_wall_too(name: str, tmp_path: Path) -> None:
    """Whose processes are none of our children."""
    mistake = FURTHER[name]
    found = await checked(tmp_path, mistake.program, sandbox=Sandbox(Level.BWRAP))
    assert first_failure(found).diagnosis == name
    assert mistake.mend in first_failure(found).mend


async def test_a_good_bot_passes_every_step(tmp_path: Path) -> None:
    found = await checked(tmp_path, Program(), limits=PATIENT)
    assert [finding for finding in found.findings if finding.verdict is not Verdict.PASSED] == []
    assert len(found.findings) >= 20
    assert found.pace is not None
    assert found.pace.replies == 45 + 60 + 75 + 90
    assert found.transcript[0].startswith('<- {"type":"hello"')
    assert found.transcript[1] == '-> {"type":"ready","name":"test"}'
    assert found.transcript[-1].startswith('<- {"type":"end"')


async def test_with_all_games_there_are_more_than_thirty_steps(tmp_path: Path) -> None:
    broken = await checked(tmp_path, CLASSIC["banner"].program, tuple(GAMES.values()))
    assert len(broken.findings) > 30
    assert [finding.verdict for finding in broken.findings[:2]] == [Verdict.PASSED, Verdict.FAILED]
    assert {finding.verdict for finding in broken.findings[2:]} == {Verdict.SKIPPED}
    assert broken.findings[2].remark == "needs the step “ready”"


async def test_what_is_odd_passes(tmp_path: Path) -> None:
    """A byte order mark, carriage returns."""
    odd = Program(before="os.write(1, b'\\xef\\xbb\\xbf')", asked="answer += '\\r'")
    assert (await checked(tmp_path, odd, limits=PATIENT)).of(Verdict.FAILED) == []


async def test_what_an_author_should_know_is_noted(tmp_path: Path) -> None:
    strange = Program(
        before=f"import random; say({READY!r}.replace('x', 'x' * 40)); sys.stdin.readline(); seen = 0",
        asked=(
            "m['view']['pain']; seen += 1; assert seen > 1 or len(m['legal']) == 15\n"
            "print('x' * 9999, file=sys.stderr); "
            "answer = json.dumps({'type': 'reply', 'id': m['id'], 'action': random.choice(m['legal']),"
            " 'note': 'x' * 201})"
        ),
        end="sys.exit(3)",
    )
    found = await checked(tmp_path, strange, limits=PATIENT)
    assert found.passed
    # How quick it is depends on the machine.
    noted = [finding.step for finding in found.of(Verdict.NOTED) if finding.step != "pace"]
    assert noted == ["name", "memory", "unknown game", "same seed", "end", "stderr", "notes"]


DEMANDING = {
    "news": Program(before="sys.stdin = (line for line in sys.stdin if len(line) < 9999)"),
    "pieces": Program(before="sys.stdin = iter(lambda: os.read(0, 65536).decode(), '')"),
    "cut off": Program(
        before="import atexit\nended = 0\natexit.register(lambda: ended or time.sleep(60))", end="ended = 1"
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("step", DEMANDING)
async def test_odd_situations_find_what_matches_do_not(step: str, tmp_path: Path) -> None:
    found = await checked(tmp_path, DEMANDING[step])
    assert [finding.step for finding in found.of(Verdict.FAILED)] == [step]


async def test_a_bot_is_led_to_decisions_that_it_avoids(tmp_path: Path) -> None:
    program = Program(asked="assert m['decision'] != 'top'")
    found = await checked(tmp_path, program, (GAMES["ole"],))
    assert [finding.step for finding in found.of(Verdict.FAILED)][-1] == "ole decisions"


async def test_a_bot_that_fails_the_first_game_is_tried_at_the_others(tmp_path: Path) -> None:
    program = Program(asked="assert 'pain' not in m['view'] or m['id'] == 1")
    found = await checked(tmp_path, program, tuple(GAMES.values()))
    assert [finding.step for finding in found.of(Verdict.FAILED)] == ["sticheln 3", "sticheln-1993 3"]
    assert "ole decisions" in [finding.step for finding in found.of(Verdict.PASSED)]
    assert found.transcript[-1].startswith('<- {"type":"request","id":2,"decision":"play"')


async def test_a_bot_that_the_system_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that only root could read, in the sandbox."""
    monkeypatch.setattr(probe, "spawn", lambda *_: Obstacle(ObstacleKind.UNREADABLE, "it is closed"))
    found = await checked(tmp_path, Program())
    failure = first_failure(found)
    assert (failure.step, failure.diagnosis) == ("ready", "unreadable")
    assert "it is closed" in failure.mend
    assert found.transcript == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("#!/no/such/interpreter\n", "no-interpreter"),
        ("#!/bin/sh\r\n", "carriage-return"),
        (None, "no-executable-bit"),
    ],
)
async def test_what_cannot_be_executed(text: str | None, name: str, tmp_path: Path) -> None:
    path = tmp_path / "bot"
    path.write_text(text or "")
    path.chmod(0o755 if text else 0o644)
    bot = Entrant("bot", Launch((str(path),), str(tmp_path)), "")
    found = await check(bot, "bot", STICHELN, LIMITS, Sandbox(), lambda step: None)
    assert first_failure(found).diagnosis == name
    assert {finding.verdict for finding in found.findings[1:]} == {Verdict.SKIPPED}


@pytest.mark.parametrize("words", ["no executable bit", "a; try chmod", "its interpreter is not on the PATH"])
async def test_words_of_ours_in_a_path_do_not_choose_the_diagnosis(words: str, tmp_path: Path) -> None:
    path = tmp_path / words / "bot"
    bot = Entrant("bot", Launch((str(path),), str(tmp_path)), "")
    found = await check(bot, "bot", STICHELN, LIMITS, Sandbox(), lambda step: None)
    assert first_failure(found).diagnosis == "not-there"
    assert str(path) in first_failure(found).mend


async def test_a_command_whose_first_word_is_empty_is_the_manifest_s_mistake(tmp_path: Path) -> None:
    bot = Entrant("bot", Launch(("", "bot.py"), str(tmp_path)), "")
    found = await check(bot, "bot", STICHELN, LIMITS, Sandbox(), lambda step: None)
    assert first_failure(found).diagnosis == "manifest"


async def test_the_transcript_is_that_of_the_first_failure(tmp_path: Path) -> None:
    found = await checked(tmp_path, CLASSIC["wrong-id"].program)
    assert found.transcript[-1].startswith('-> {"type": "reply", "id": 4')
    assert found.transcript[-2].startswith('<- {"type":"request","id":3,')


async def test_a_finding_keeps_the_dialogue_whole(tmp_path: Path) -> None:
    failure = first_failure(await checked(tmp_path, Program(before="say('tell me ' * 500)")))
    assert failure.sent.endswith('"}')
    assert failure.came == ("tell me " * 500).strip()


async def test_after_a_timeout_no_other_match_is_waited_for(tmp_path: Path) -> None:
    """An answer that did not come counts for nothing, and no limit is said to be safe."""
    found = await checked(tmp_path, CLASSIC["stale-id"].program, tuple(GAMES.values()))
    assert [finding.step for finding in found.of(Verdict.FAILED)] == ["sticheln 3"]
    (other,) = [finding for finding in found.findings if finding.step == "ole 3"]
    assert (other.verdict, other.remark) == (Verdict.SKIPPED, "it timed out in “sticheln 3”")
    assert found.pace is not None
    assert (found.pace.replies, found.pace.safe) == (2, None)
    assert found.pace.slowest < LIMITS.decision_ms


ALWAYS_G3 = "answer = answer.replace(m['legal'][0], 'G3')"
FOUR_ONLY = "assert m['view']['seats'] == 4"


@pytest.mark.parametrize(
    ("code", "guess"),
    [
        (ALWAYS_G3, ""),
        (FOUR_ONLY, "since it gets further with 4"),
        (f"if m['view']['seats'] == 3: m['view']['sates']; {ALWAYS_G3}", "did you mean `seats`?"),
    ],
)
async def test_one_number_of_seats_is_no_proof(code: str, guess: str, tmp_path: Path) -> None:
    """A first action may be legal at another by chance."""
    mend = first_failure(await checked(tmp_path, asked(code))).mend
    assert guess in mend
    assert ("number of seats" in mend) == guess.startswith("since it gets")


async def test_what_fails_once_is_not_blamed_on_the_number_of_seats(tmp_path: Path) -> None:
    seen = str(tmp_path / "seen")
    once = f"import os; first = not os.path.exists({seen!r}); open({seen!r}, 'a').close(); assert not first"
    failed = first_failure(await checked(tmp_path, asked(once)))
    assert "seats" not in failed.mend


def test_a_limit_is_safe_where_half_as_fast_would_do() -> None:
    times = [1.0] * 90 + [5.0] * 9 + [40.0]
    assert pace(times) == ReplyTimes(replies=100, p50=1.0, p95=5.0, p99=5.0, slowest=40.0, safe=100)
    assert pace([70_000.0]) == ReplyTimes(1, 70_000.0, 70_000.0, 70_000.0, 70_000.0, None)
    assert pace([70.0], timed_out=True) == ReplyTimes(1, 70.0, 70.0, 70.0, 70.0, None)
    assert pace([]) is None
