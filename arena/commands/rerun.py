"""The logged lines of one seat, sent to a program again without a clock: `arena rerun`."""

import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from arena.commands.replay import SeatNumber, checked_seat, read_log
from arena.entrants.find import BUILTIN_BOTS
from arena.log.retrace import Mismatch
from arena.log.transcript import transcript
from arena.playing.arguments import Argument
from arena.playing.resend import AnswerPair, answers, started
from arena.playing.spellings import PathText, Words, words_of
from arena.playing.terms import Say, Walls, playable
from arena.process.launch import Launch
from arena.process.sandbox import Level, Sandbox
from arena.system.errors import UserError
from arena.system.places import PlaceKind


class RerunResult(msgspec.Struct, frozen=True):
    """The answers of a program to the requests in a log."""

    rows: tuple[AnswerPair, ...]
    """Each request with the answer in the log and the answer now."""
    cut_off: bool
    """Whether the log ends for this seat with a fault."""

    @property
    def differences(self) -> list[AnswerPair]:
        """Answers that differ from those in the log, and do not fix a fault."""
        return [row for row in self.rows if row.differs]

    @property
    def mended(self) -> list[AnswerPair]:
        """Answers that are legal where the log has a fault."""
        return [row for row in self.rows if row.mended]

    @property
    def faults_again(self) -> list[AnswerPair]:
        """Answers that are the same fault as in the log."""
        return [row for row in self.rows if row.faults and not row.differs]


class Rerun(Walls, frozen=True):
    """The lines that a seat got in a log are sent to a program, byte for byte, whatever is answered. A bot is
    started as in a match, a command line too, in this folder; in a sandbox of level `none` a command line is
    started as a shell would start it."""

    log: Annotated[
        PathText, Argument("The log of a match.", metavar="LOG", positional=True, kind=(PlaceKind.LOG,))
    ]
    seat: Annotated[SeatNumber, Argument("The seat whose requests are sent again.")]
    bot: Annotated[
        Words,
        Argument(
            "A bot, named as on the command line, or a command as a list of words.",
            metavar="BOT | -- COMMAND...",
            positional=True,
            kind="words",
        ),
    ]

    def carry_out(self, say: Say, on_stderr: Callable[[str], None]) -> RerunResult:
        """Starts the program and compares its answers. `on_stderr` gets a bot's standard error, made
        harmless, from another thread; a command line that a shell could start has ours. Raises UserError."""
        sandbox, _ = self.walled()
        path = Path(self.log)
        log = read_log(path, say)
        checked_seat(log, self.seat, path)
        try:
            lines = list(transcript(log, self.seat))
        except Mismatch as mismatch:
            raise UserError(f"{path}: {mismatch}") from None
        program = _program(words_of("bot", self.bot), log.game.id, sandbox)
        with started(program, sandbox, say, on_stderr) as process:
            rows = tuple(answers(lines, process, say))
        return RerunResult(rows, cut_off=lines[-1].fault is not None)


def _program(words: Sequence[str], game: str, sandbox: Sandbox) -> Launch | Sequence[str]:
    """The program of a bot, or the words of a command line that our shell would start. Raises UserError."""
    is_bot = len(words) == 1 and not _is_program(words[0])
    if sandbox.level is Level.NONE and not is_bot:
        return words
    words = words if is_bot else [f"COMMAND={shlex.join(words)}"]
    (bot,) = playable(words, game, sandbox, one_each=True)
    return bot.launch


def _is_program(word: str) -> bool:
    """Whether the word names a program on the PATH, and no bot."""
    return (
        "/" not in word
        and word not in BUILTIN_BOTS
        and not os.path.exists(word)
        and shutil.which(word) is not None
    )
