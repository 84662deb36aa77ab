"""`arena rerun`: what one seat of a logged match was told, told to a program again, without a clock."""

import contextlib
import os
import resource
import select
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import click

from arena.cli import DONE, NO
from arena.cli.options import json_option, sandbox_options
from arena.cli.output import Column, counted, print_json, print_table, say, stdout
from arena.cli.replay import checked_seat, read_log
from arena.cli.terms import playable
from arena.entrants.find import LENT
from arena.log.retrace import Mismatch
from arena.log.transcript import SentLine, transcript
from arena.process.launch import Launch, bot_environment
from arena.process.sandbox import (
    Level,
    Sandbox,
    bounds,
    calls_refused,
    inherited,
    outside_limits,
    seat_uid,
    unreadable,
)
from arena.process.sandbox import command as walled
from arena.process.tree import tree, usage
from arena.system.errors import UserError
from arena.system.machine import MIB
from arena.system.text import caption, visible
from protocol.codec import decode_from_referee
from protocol.dialogue import Phase
from protocol.faults import ENDED, FORGIVABLE, Fault, illegal
from protocol.inbox import Inbox
from protocol.messages import End, Hello, Ready, Reply, Request

READ_SIZE: Final = 64 * 1024
LOOK_SECONDS: Final = 0.05
GOODBYE_SECONDS: Final = 1.0
"""How long a program may stay behind the last line, as in a match."""
PATIENCE_SECONDS: Final = 5.0
"""After so long without an answer somebody is told what we are waiting for, once."""


class Row(NamedTuple):
    """A request, and what was and is answered to it. `faulted`, `faults`: it was and is a fault."""

    request: int
    deal: int
    before: str
    now: str
    faulted: bool
    faults: bool

    @property
    def mended(self) -> bool:
        return self.faulted and not self.faults

    @property
    def differs(self) -> bool:
        return self.before != self.now and not self.mended


@click.command("rerun", context_settings={"ignore_unknown_options": True})
@click.argument("path", metavar="LOG", type=click.Path(path_type=Path))
@click.option("--seat", type=click.IntRange(0), required=True, help="The seat whose requests are told again.")
@sandbox_options
@json_option
@click.argument("words", nargs=-1, required=True, metavar="BOT | -- COMMAND...", type=click.UNPROCESSED)
def command(
    path: Path, seat: int, sandbox: Sandbox, sandbox_line: str, as_json: bool, words: tuple[str, ...]
) -> int:
    """Tell a program what SEAT was told in LOG, byte for byte, and show where it answers otherwise. Whatever
    it answers, the next request is the recorded one. There is no clock before the last line. What it writes
    to its standard error is shown.

    A BOT is started as in a match, in its folder, with its environment and behind the same walls; so is a
    COMMAND of several words, in this folder. With --sandbox none your own program is started as your shell
    would start it, so that COMMAND may be a debugger.

    Exits with 0 if all answers are those of the log, or answers where the log has a fault; with 1 if one
    differs, or is a fault, also the recorded one.

    \b
    arena rerun match.jsonl --seat 0 mybot
    arena rerun match.jsonl --seat 0 --sandbox none -- python3 -m pdb mybot/bot.py
    """
    log = read_log(path)
    checked_seat(log, seat, path)
    try:
        lines = list(transcript(log, seat))
    except Mismatch as mismatch:
        raise UserError(f"{path}: {mismatch}") from None
    with _started(words, log.game.id, sandbox) as process:
        rows = list(_answers(lines, process))
    if as_json:
        _print_json(rows)
    else:
        _print(rows, cut_off=bool(lines[-1].fault))
    return NO if any(row.differs or row.faults for row in rows) else DONE


@contextlib.contextmanager
def _started(words: Sequence[str], game: str, sandbox: Sandbox) -> Iterator["subprocess.Popen[bytes]"]:
    """The program, a bot like any other or a command line, until it is no longer wanted. Raises UserError."""
    is_bot = len(words) == 1 and not _is_program(words[0])
    if sandbox.level is Level.NONE and not is_bot:
        process = _popen(words, stderr=None)
    else:
        (bot,) = playable(words if is_bot else [f"COMMAND={shlex.join(words)}"], game, sandbox)
        process = _behind_walls(bot.launch, sandbox)
    relay = threading.Thread(target=_relay, args=(process.stderr,), daemon=True)
    relay.start()
    over = threading.Event()
    guard = threading.Thread(target=_guard, args=(process, sandbox, over), daemon=True)
    guard.start()
    try:
        yield process
    finally:
        over.set()
        guard.join()
        process.kill()
        process.wait()
        relay.join(GOODBYE_SECONDS)
        if process.stderr is not None and not relay.is_alive():
            process.stderr.close()


def _behind_walls(launch: Launch, sandbox: Sandbox) -> "subprocess.Popen[bytes]":
    """Raises UserError."""
    uid = seat_uid() if sandbox.level is Level.BWRAP else None
    if uid is not None and (reason := unreadable(launch)):
        raise UserError(reason)
    with calls_refused(sandbox.level) as refused:
        argv = walled(launch, sandbox.level, bounds(sandbox), uid=uid, refused=refused)
        process = _popen(
            argv,
            stderr=subprocess.PIPE,
            cwd=launch.folder,
            env=bot_environment(),
            pass_fds=inherited(refused),
        )
    if sandbox.level is not Level.BWRAP and hasattr(resource, "prlimit"):
        with contextlib.suppress(ProcessLookupError):
            for limit, number in outside_limits(sandbox).items():
                resource.prlimit(process.pid, limit, (number, number))
    return process


def _popen(argv: Sequence[str], *, stderr: int | None, **others: Any) -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=stderr, bufsize=0, **others)
    except OSError as error:
        raise UserError(f"{argv[0]}: {error.strerror}") from None


def _guard(process: "subprocess.Popen[bytes]", sandbox: Sandbox, over: threading.Event) -> None:
    """Ends a program that uses more memory than a bot may in a match."""
    while sandbox.level is not Level.NONE and not over.wait(LOOK_SECONDS) and process.returncode is None:
        pids = list(tree(process.pid))
        if (memory := usage(pids).memory) > sandbox.memory_mb * MIB:
            for one in pids:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(one, signal.SIGKILL)
            say(f"ended: it used {memory // MIB} MB of memory, {sandbox.memory_mb} MB are allowed (--memory)")
            return


def _relay(stderr: IO[bytes] | None) -> None:
    """What a program behind walls says, as text and nothing else. Where there are none it says it itself."""
    while stderr is not None and (data := stderr.readline(READ_SIZE)):
        click.echo(visible(data, READ_SIZE), err=True, nl=False)


def _is_program(word: str) -> bool:
    """Whether it is one on the PATH, and no bot."""
    return "/" not in word and word not in LENT and not Path(word).exists() and shutil.which(word) is not None


def _answers(lines: Sequence[SentLine], process: "subprocess.Popen[bytes]") -> Iterator[Row]:
    """What was answered before and is answered now to every request, up to a fault."""
    assert process.stdin is not None
    assert process.stdout is not None
    inbox = Inbox()
    waiting = False

    def heard() -> bytes:
        nonlocal waiting
        assert process.stdout is not None
        if not waiting and not select.select([process.stdout], [], [], PATIENCE_SECONDS)[0]:
            waiting = True
            asked = f"request {line.request_id}" if line.request_id else "hello"
            say(f"waiting for an answer to {asked} (no clock here; is the output flushed?)")
        return process.stdout.read(READ_SIZE)

    for line in lines:
        message = decode_from_referee(line.line)
        if isinstance(message, End):
            _write(process.stdin, line.line)
            break
        inbox.open(Phase.ASKED if line.request_id else Phase.STARTING, line.request_id)
        _write(process.stdin, line.line)
        answer = _judged(_answer(inbox, heard), message)
        before = line.fault or line.action or "ready"
        fault = isinstance(answer, Fault)
        yield Row(line.request_id, line.deal_no, before, _told(answer), bool(line.fault), fault)
        if isinstance(answer, Fault) and answer.kind not in FORGIVABLE:
            break
    process.stdin.close()
    process.stdout.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GOODBYE_SECONDS)


def _write(pipe: IO[bytes], line: bytes) -> None:
    """All of it; a program that reads no more is found out when it should answer."""
    try:
        while line:
            line = line[pipe.write(line) :]
    except BrokenPipeError:
        pass


def _answer(inbox: Inbox, heard: Callable[[], bytes]) -> Ready | Reply | Fault:
    while (verdict := inbox.take()) is None:
        data = heard()
        if not data:
            return inbox.take(at_end=True) or ENDED
        inbox.feed(data)
    return verdict


def _judged(answer: Ready | Reply | Fault, asked: Hello | Request) -> Ready | Reply | Fault:
    if isinstance(answer, Reply) and isinstance(asked, Request) and answer.action not in asked.legal:
        return illegal(answer.action)
    return answer


def _told(answer: Ready | Reply | Fault) -> str:
    """The answer, or the fault that it is, as a log would tell it."""
    match answer:
        case Ready():
            return "ready"
        case Reply(action=action):
            return action
        case Fault(kind=kind, detail=detail):
            return f"{kind}: {caption(detail)}"


def _print_json(rows: Sequence[Row]) -> None:
    def data(row: Row) -> dict[str, Any]:
        return {"request": row.request, "deal": row.deal, "before": row.before, "now": row.now}

    print_json(
        {
            "requests": len(rows),
            "differences": [data(row) for row in rows if row.differs],
            "mended": [data(row) for row in rows if row.mended],
            "faults_again": [data(row) for row in rows if row.faults and not row.differs],
        }
    )


def _print(rows: Sequence[Row], *, cut_off: bool) -> None:
    """`cut_off`: the log ends for this seat with a fault."""
    differences = [row for row in rows if row.differs]
    again = [row for row in rows if row.faults and not row.differs]
    mended = [row for row in rows if row.mended]
    forfeits_again = cut_off and again[-1:] == list(rows[-1:])
    if differences:
        columns = [Column("deal", right=True), Column("request", right=True)]
        columns += [Column("in the log", folds=True), Column("now", folds=True)]
        cells = [(str(row.deal), str(row.request), row.before, row.now) for row in differences]
        print_table(f"{len(differences)} of {len(rows)} answers differ", columns, cells, stdout())
    else:
        click.echo(f"the same {counted(len(rows) - len(mended) - len(again), 'answer')}")
    if forgiven := len(again) - forfeits_again:
        click.echo(f"{counted(forgiven, 'forgiven fault')} again")
    if forfeits_again:
        click.echo("then the recorded fault again")
    for row in mended:
        kind = row.before.partition(":")[0]
        last = "; the log has no further requests for this seat" if cut_off and row is rows[-1] else ""
        click.echo(f"where the log has a fault ({kind}) it answers {row.now} now{last}")
