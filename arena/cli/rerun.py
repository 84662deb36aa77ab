"""`arena rerun`: sends the logged lines of one seat to a program again, without a clock."""

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
from arena.match.conversation import judged
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
from arena.process.sandbox import command as sandbox_command
from arena.process.tree import tree, usage
from arena.system.errors import UserError
from arena.system.machine import MIB
from arena.system.text import caption, visible
from protocol.codec import decode_from_referee
from protocol.dialogue import Phase
from protocol.faults import ENDED, FORGIVABLE, Fault
from protocol.inbox import Inbox
from protocol.messages import End, Ready, Reply, Request

READ_SIZE: Final = 64 * 1024
MEMORY_CHECK_SECONDS: Final = 0.05
GOODBYE_SECONDS: Final = 1.0
"""How long a program may run after the last line, as in a match."""
PATIENCE_SECONDS: Final = 5.0
"""After this time without an answer we say once what we are waiting for."""


class Compared(NamedTuple):
    """A request, with the answer in the log (`before`) and the answer `now`. `faulted` says that the logged
    answer was a fault, `faults` that the answer now is one."""

    request: int
    deal: int
    before: str
    now: str
    faulted: bool
    faults: bool

    @property
    def mended(self) -> bool:
        """The log has a fault here, and the answer now is none."""
        return self.faulted and not self.faults

    @property
    def differs(self) -> bool:
        """The answer is another than in the log, and does not mend a fault."""
        return self.before != self.now and not self.mended


@click.command("rerun", context_settings={"ignore_unknown_options": True})
@click.argument("path", metavar="LOG", type=click.Path(path_type=Path))
@click.option("--seat", type=click.IntRange(0), required=True, help="The seat whose requests are sent again.")
@sandbox_options
@json_option
@click.argument("words", nargs=-1, required=True, metavar="BOT | -- COMMAND...", type=click.UNPROCESSED)
def command(
    path: Path, seat: int, sandbox: Sandbox, sandbox_line: str, as_json: bool, words: tuple[str, ...]
) -> int:
    """Send a program the lines that SEAT got in LOG, byte for byte, and show where its answers differ.
    Whatever it answers, the next request is the logged one. There is no clock before the last line. Its
    standard error is shown.

    A BOT is started as in a match: in its folder, with the same environment and sandbox. A COMMAND of several
    words is started likewise, in this folder. With --sandbox none a COMMAND is started as your shell would
    start it, so it may be a debugger.

    Exits with 0 if every answer is that of the log, or a legal one where the log has a fault; with 1 if an
    answer differs or is a fault, even if the log has the same fault.

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
    """The program of a bot or of a command line, started; it is killed at the end. Raises UserError."""
    is_bot = len(words) == 1 and not _is_program(words[0])
    if sandbox.level is Level.NONE and not is_bot:
        process = _popen(words, stderr=None)
    else:
        (bot,) = playable(words if is_bot else [f"COMMAND={shlex.join(words)}"], game, sandbox)
        process = _sandboxed(bot.launch, sandbox)
    relay = threading.Thread(target=_relay, args=(process.stderr,), daemon=True)
    relay.start()
    over = threading.Event()
    guard = threading.Thread(target=_limit_memory, args=(process, sandbox, over), daemon=True)
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


def _sandboxed(launch: Launch, sandbox: Sandbox) -> "subprocess.Popen[bytes]":
    """Start a bot's program in the sandbox, as a match does. Raises UserError."""
    uid = seat_uid() if sandbox.level is Level.BWRAP else None
    if uid is not None and (reason := unreadable(launch)):
        raise UserError(reason)
    with calls_refused(sandbox.level) as refused:
        argv = sandbox_command(launch, sandbox.level, bounds(sandbox), uid=uid, refused=refused)
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


def _limit_memory(process: "subprocess.Popen[bytes]", sandbox: Sandbox, over: threading.Event) -> None:
    """Kill the program if it uses more memory than a bot may; until `over` is set."""
    if sandbox.level is Level.NONE:
        return
    while not over.wait(MEMORY_CHECK_SECONDS) and process.returncode is None:
        pids = list(tree(process.pid))
        if (memory := usage(pids).memory) > sandbox.memory_mb * MIB:
            for one in pids:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(one, signal.SIGKILL)
            say(f"ended: it used {memory // MIB} MB of memory, {sandbox.memory_mb} MB are allowed (--memory)")
            return


def _relay(stderr: IO[bytes] | None) -> None:
    """Print the program's standard error, made harmless. None for a program that prints it itself."""
    while stderr is not None and (data := stderr.readline(READ_SIZE)):
        click.echo(visible(data, READ_SIZE), err=True, nl=False)


def _is_program(word: str) -> bool:
    """Whether the word names a program on the PATH, and no bot."""
    return "/" not in word and word not in LENT and not Path(word).exists() and shutil.which(word) is not None


def _answers(lines: Sequence[SentLine], process: "subprocess.Popen[bytes]") -> Iterator[Compared]:
    """Send the lines, and compare the answer to each with that in the log. Ends at an answer that no bot is
    forgiven, then waits for the program to exit."""
    assert process.stdin is not None
    assert process.stdout is not None
    inbox = Inbox()
    waiting = False

    def read() -> bytes:
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
        answer = _answer(inbox, read)
        if isinstance(message, Request):
            answer = judged(answer, message.legal)
        before = line.fault or line.action or "ready"
        fault = isinstance(answer, Fault)
        yield Compared(line.request_id, line.deal_no, before, _as_text(answer), bool(line.fault), fault)
        if isinstance(answer, Fault) and answer.kind not in FORGIVABLE:
            break
    process.stdin.close()
    process.stdout.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GOODBYE_SECONDS)


def _write(pipe: IO[bytes], line: bytes) -> None:
    """Write the whole line. If the program has closed its input, its missing answer will show that."""
    try:
        while line:
            line = line[pipe.write(line) :]
    except BrokenPipeError:
        pass


def _answer(inbox: Inbox, read: Callable[[], bytes]) -> Ready | Reply | Fault:
    """The answer to the open request, by the rules of a match. `read` returns b"" at the end."""
    while (verdict := inbox.take()) is None:
        data = read()
        if not data:
            return inbox.take(at_end=True) or ENDED
        inbox.feed(data)
    return verdict


def _as_text(answer: Ready | Reply | Fault) -> str:
    """The answer or the fault in the words of a log."""
    match answer:
        case Ready():
            return "ready"
        case Reply(action=action):
            return action
        case Fault(kind=kind, detail=detail):
            return f"{kind}: {caption(detail)}"


def _print_json(rows: Sequence[Compared]) -> None:
    def data(row: Compared) -> dict[str, Any]:
        return {"request": row.request, "deal": row.deal, "before": row.before, "now": row.now}

    print_json(
        {
            "requests": len(rows),
            "differences": [data(row) for row in rows if row.differs],
            "mended": [data(row) for row in rows if row.mended],
            "faults_again": [data(row) for row in rows if row.faults and not row.differs],
        }
    )


def _print(rows: Sequence[Compared], *, cut_off: bool) -> None:
    """Print the comparison. `cut_off` says that the log ends for this seat with a fault."""
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
