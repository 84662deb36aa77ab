"""The classic mistakes of beginners: each is told something else, and it is what would have helped."""

from pathlib import Path

import pytest

from arena.checking.findings import Verdict
from arena.checking.steps import check
from arena.entrants.entrant import Entrant
from arena.games import GAMES
from arena.process.launch import Launch, base_interpreter
from arena.process.sandbox import Sandbox
from protocol.messages import Limits
from tests.checking import beginners

LIMITS = Limits(start_ms=1500, decision_ms=500, bank_ms=0)

TOLD = {
    "DEBUG_TEXT": "where only replies belong: send debugging text to standard error (Python: print(…, file=",
    "NO_FLUSH": "stayed in your output buffer until that was full: flush after every line",
    "READS_TO_THE_END": "came only after the input had ended: read line by line (Python: for line",
    "COUNTS_FROM_ZERO": "you answered request 1 with id 0: don't keep your own count",
    "INDEX": "your `action` is a number: send the string itself, legal[i], not its index",
    "CARD_OBJECT": 'a card is sent as a single string, the one for it in `legal` ("action":"R1")',
    "TWO_LINES": "a message is one line, so print it without indentation",
    "NO_READY": 'the answer to it is {"type":"ready","name":"…"}',
    "ONE_KIND_OF_DECISION": "it crashed at request 2, the first with the decision `play`, with “NameError",
    "FOUR_SEATS": "It gets further with 4, 5, 6 seats than with 3: do not rely on a fixed number",
    "ONE_GAME": "It plays Sticheln (NSV): do you rely on something that only that game has?",
    "SLEEPS": "it used little CPU time: is it sleeping",
    "REPLIES_TWICE": "it sent 45 answers to requests that it had already answered",
    "UTF_16": "we send UTF-8 (in fact only ASCII), so read standard input as UTF-8",
    "BYTE_ORDER_MARKS": "write UTF-8 without a mark (Python: utf-8, not utf-8-sig)",
    "ONE_DEAL": "after answering `hello` and 15 requests: one process plays a whole match, so read lines",
}


async def told(program: str, folder: Path, *games: str) -> str:
    """The first thing that a check has to say of a program."""
    path = folder / "bot.py"
    path.write_text(program)
    bot = Entrant("bot", Launch((base_interpreter(), "-S", "-E", "-P", str(path)), str(folder)), "")
    found = await check(bot, "bot", [GAMES[game] for game in games], LIMITS, Sandbox(), lambda step: None)
    first = (found.of(Verdict.FAILED) or found.of(Verdict.NOTED))[0]
    return first.mend or first.remark


@pytest.mark.parametrize("name", TOLD)
async def test_a_beginner_is_told_what_to_mend(name: str, tmp_path: Path) -> None:
    games = ["sticheln", "ole"] if name == "ONE_GAME" else ["sticheln"]
    words = await told(getattr(beginners, name), tmp_path, *games)
    assert [other for other, mend in TOLD.items() if mend in words] == [name], words


async def test_a_second_answer_that_is_stopped_halfway_is_one_too(tmp_path: Path) -> None:
    """It sleeps between its two, so that it is frozen there, and the last of all comes after `end`."""
    halfway = 'reply["action"]'
    slow = beginners.REPLIES_TWICE.replace(halfway, f"__import__('time').sleep(0.003); {halfway}")
    assert TOLD["REPLIES_TWICE"] in await told(slow, tmp_path, "sticheln")


def test_the_classic_mistakes_are_ten_at_least() -> None:
    assert len(TOLD) >= 10
    assert set(TOLD) == {name for name in vars(beginners) if name.isupper()}
