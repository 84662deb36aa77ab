"""The laws in a process of their own, in which a game's code may hang, print, or end the program."""

import faulthandler
import itertools
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final, NoReturn, TypeAlias

import msgspec

from arena.laws.judge import LAWS, Law, LawResult, judge, name_of, promise_of
from arena.laws.trial import TRACE_LINES, Broken, Trial, Variant, call
from arena.system.interruption import SIGNALS, held
from arena.system.lines import write_line

CALL: Final = re.compile(r'File "(.*)", line (\d+) in (.*)')
TIMED_OUT: Final = "Timeout ("
"""What faulthandler writes when time is up begins with this."""


class LawStarted(msgspec.Struct, frozen=True, tag=True):
    """A law is now judged in a variant."""

    law: str
    variant: str


class LawJudged(msgspec.Struct, frozen=True, tag=True):
    """A law has been judged in all variants."""

    judged: LawResult


Said: TypeAlias = LawStarted | LawJudged
OnBegun: TypeAlias = Callable[[LawStarted], None]


def judged_apart(
    matches: Sequence[Sequence[Trial]],
    seconds: float,
    on_begun: OnBegun = lambda begun: None,
    laws: Sequence[Law] = LAWS,
) -> Iterator[LawResult]:
    """Judge every law in the matches of each variant. A law is broken if it takes longer than `seconds` in a
    variant, or if the game's code ends the process. The laws after it are then judged in a new process; but
    not after the first law, which only plays: without a match no other can be judged."""
    left = list(laws)
    while left:
        last = LawStarted(name_of(left[0]), str(matches[0][0].variant))
        with tempfile.TemporaryFile() as trace:
            for said in _said(left, matches, seconds, trace):
                if isinstance(said, LawStarted):
                    last = said
                    on_begun(said)
                else:
                    yield said.judged
                    left.pop(0)
            if not left:
                return
            trace.seek(0)
            broken = _ended(trace.read().decode(errors="replace"), seconds, last.variant)
        law = left.pop(0)
        yield LawResult(name_of(law), promise_of(law), (broken,))
        if law is laws[0]:
            why = "no match could be played"
            yield from (LawResult(name_of(other), promise_of(other), untried=why) for other in left)
            return


def _ended(trace: str, seconds: float, variant: str) -> Broken:
    """Why a game's code did not return. `trace` is what faulthandler wrote, the innermost call first."""
    calls = CALL.findall(trace)
    theirs = itertools.takewhile(lambda frame: Path(frame[0]).parent != Path(__file__).parent, calls)
    innermost = [call(file, int(line), function) for file, line, function in theirs][:TRACE_LINES]
    lines = tuple(reversed(innermost))
    if trace.startswith(TIMED_OUT):
        found = f"there was no end after {seconds:g} s"
        return Broken(found, "find out what takes so long, or give it more time", "", lines, variant)
    return Broken("the process ended in the game's code", "rules never end the program", "", lines, variant)


def _said(
    laws: Sequence[Law], matches: Sequence[Sequence[Trial]], seconds: float, trace: IO[bytes]
) -> Iterator[Said]:
    """What a child process says while it judges these laws one after the other."""
    ours, theirs = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = None
    try:
        with held():
            if (pid := os.fork()) == 0:
                _look(laws, matches, seconds, trace, theirs)
            # A process group of its own, set by parent and child: Ctrl-C is for us, and its children end
            # with it.
            os.setpgid(pid, pid)
        os.close(theirs)
        with open(ours, "rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    yield msgspec.json.decode(line, type=Said)
    finally:
        with held():
            if pid is not None:
                os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _look(
    laws: Sequence[Law], matches: Sequence[Sequence[Trial]], seconds: float, trace: IO[bytes], theirs: int
) -> NoReturn:
    """Judge in this process, which is a child, and end it."""
    try:
        os.setpgid(0, 0)
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.dup2(2, 1)  # What the game prints is not our output.
        faulthandler.enable(trace)

        def say(said: Said) -> None:
            write_line(theirs, msgspec.json.encode(said))

        for law in laws:

            def on_variant(variant: Variant, law: Law = law) -> None:
                faulthandler.dump_traceback_later(seconds, exit=True, file=trace)
                say(LawStarted(name_of(law), str(variant)))

            say(LawJudged(judge(law, matches, on_variant)))
    finally:
        os._exit(0)
