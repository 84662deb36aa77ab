"""Calls as values: they survive the way to another process, and what was a function is not started again."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.commands.bots import CopyBots
from arena.commands.games import described
from arena.commands.new import NewBot, NewGame
from arena.commands.organiser import Admit, Annul, Replace, Withdraw
from arena.commands.rematch import Rematch
from arena.commands.replay import Contradiction, LogVerdict, VerifyLogs
from arena.commands.rerun import Rerun, RerunResult
from arena.commands.resume import Resume
from arena.director.entries import Replaced
from arena.director.journal import Journal
from arena.director.state import Record
from arena.entrants.entrant import Function
from arena.log.entries import LogWriter
from arena.playing.resend import AnswerPair
from arena.process.sandbox import Level
from arena.system.errors import UserError
from tests.cli.calls import ROOT
from tests.support.journals import CREATED
from tests.support.logs import chance_log

MINE = Function("mine", 0).entrant
CALLS = [
    Resume(folder="run", jobs=2, until="11:30", minutes=40, dask="local", trust=True, sandbox=Level.NONE),
    Withdraw(folder="run", name="ada", reason="her wish"),
    Admit(folder="run", bot="late.py", titles={"late": "Spät"}, may_win=True, sandbox=Level.BWRAP),
    Replace(folder="run", bot="ada=./ada-2", reason="a crash mended"),
    Annul(folder="run", match="r01-p001-s01", reason="asleep"),
    Rematch(log="log", seat=0, bot=Function("mine", 0), others=("a", "b"), out="new"),
    Rerun(log="log", seat=2, bot=("python3", "bot.py")),
    VerifyLogs(logs=("a", "b")),
    NewBot(language="rust", folder="mybot", game="ole"),
    NewGame(id="mygame"),
    CopyBots(folder="bots"),
]
RESULTS = [
    RerunResult((AnswerPair(1, 1, "b1", "b2", None, False),), cut_off=True),
    LogVerdict("log", Contradiction(3, 1, None, "b1 where b2 should be")),
    described("ole"),
]


def silent(text: str) -> None:
    pass


@pytest.mark.parametrize("value", [*CALLS, *RESULTS], ids=lambda value: type(value).__name__)
def test_calls_and_results_are_the_same_behind_json(value: msgspec.Struct) -> None:
    assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        (CALLS[0], {"jobs": 0}),
        (CALLS[0], {"jobs": 1025}),
        (CALLS[0], {"sandbox": "glass"}),
        (CALLS[5], {"seat": -1}),
        (CALLS[6], {"seat": -1}),
    ],
)
def test_what_the_command_line_refuses_is_refused_to_others(
    call: msgspec.Struct, wrong: dict[str, Any]
) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(msgspec.to_builtins(call) | wrong, type(call))


def test_a_run_in_which_a_function_played_does_not_go_on_before_a_program_takes_its_place(
    tmp_path: Path,
) -> None:
    created = msgspec.structs.replace(CREATED, entrants=(*CREATED.entrants[:2], MINE))
    with Journal.create(tmp_path / "run", created) as journal:
        digest = journal.digest
    with pytest.raises(UserError, match="run: mine was a function of the program that called the arena"):
        Resume(folder=str(tmp_path / "run"), trust=True).carry_out(silent)
    with Journal(tmp_path / "run", write=True) as journal:
        assert journal.digest == digest
        entrant = msgspec.structs.replace(Record(journal.entries).entrants["ada"], name="mine")
        journal.add(Replaced(entrant, "written down"))
    with pytest.raises(UserError, match=r"--sandbox none: .* plays at level rlimits"):
        Resume(folder=str(tmp_path / "run"), trust=True, sandbox=Level.NONE).carry_out(silent)


@pytest.mark.parametrize(
    ("seat", "refused"),
    [(0, "log: mine was a function"), (1, "log: mine-2 was a function"), (2, "log: mine was a function")],
)
def test_a_match_is_played_again_without_functions_only(seat: int, refused: str, tmp_path: Path) -> None:
    """A function that sat twice has a name of its own only the first time."""
    log = chance_log("sticheln", 3, deals=1, names=("bob", "mine", "mine-2"))
    bob, *functions = log.opened.entrants
    logged = (bob, *(msgspec.structs.replace(one, digest=MINE.digest) for one in functions))
    writer = LogWriter()
    for entry in (msgspec.structs.replace(log.opened, entrants=logged), *log.entries[1:]):
        writer.add(entry)
    (tmp_path / "log").write_text(writer.text())
    bot = str(ROOT / "bots" / "greedy.py")
    with pytest.raises(UserError, match=refused):
        Rematch(log=str(tmp_path / "log"), seat=seat, bot=bot, sandbox=Level.NONE).carry_out(silent)
