"""`arena check` on values: a bot checked by real matches."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from arena.checking.findings import Checked, Finding, Verdict
from arena.checking.steps import check
from arena.games import GAMES
from arena.games.game import Game
from arena.process.sandbox import Sandbox
from protocol.messages import Limits
from tests.support.programs import Program, entrant

LIMITS = Limits(start_ms=1500, decision_ms=400, bank_ms=0)


STICHELN = (GAMES["sticheln"],)


PLAIN = Sandbox()


READY = '{"type":"ready","name":"x"}'


class Mistake(NamedTuple):
    """The echo bot with a mistake in it, the step at which that shows, and what is said of it."""

    program: Program
    step: str
    mend: str


def asked(code: str) -> Program:
    return Program(asked=code)


CLASSIC = {
    "banner": Mistake(
        Program(before="say('MyBot 1.0 by Ada')"), "ready", "first line has to be your `ready`"
    ),
    "python-repr": Mistake(
        asked("answer = str({'type': 'reply', 'id': m['id'], 'action': m['legal'][0]})"),
        "reply",
        "print(json.dumps(message), flush=True)",
    ),
    "id-as-text": Mistake(
        asked("answer = json.dumps({'type': 'reply', 'id': str(m['id']), 'action': m['legal'][0]})"),
        "reply",
        "without quotes",
    ),
    "other-case": Mistake(
        asked("answer = answer.replace(m['legal'][0], m['legal'][0].lower())"), "reply", "including case"
    ),
    "reply-to-hello": Mistake(
        Program(before="""say('{"type":"reply","id":1,"action":"R1"}')"""),
        "ready",
        "answer `hello` with `ready`",
    ),
    "crashed": Mistake(asked("m['xyzzy']"), "reply", "KeyError: 'xyzzy'"),
    "one-shot": Mistake(asked("say(answer); sys.exit()"), "sticheln 3", "in a loop until the input ends"),
    "wrong-id": Mistake(
        asked("answer = answer.replace('\"id\": 3', '\"id\": 4')"), "sticheln 3", "request 3 with id 4"
    ),
    "stale-id": Mistake(
        asked("answer = answer.replace('\"id\": 3', '\"id\": 2')"), "sticheln 3", "id of an earlier request"
    ),
}


async def checked(
    folder: Path,
    program: Program,
    games: Sequence[Game] = STICHELN,
    sandbox: Sandbox = PLAIN,
    limits: Limits = LIMITS,
) -> Checked:
    return await check(entrant(folder, "bot", program), "bot", games, limits, sandbox, lambda step: None)


def first_failure(found: Checked) -> Finding:
    return found.of(Verdict.FAILED)[0]
