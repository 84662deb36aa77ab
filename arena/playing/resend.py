"""Sends the logged lines of one seat to a program again, and compares its answers with those in the log.

The program may be a debugger in somebody's terminal, so there is no time limit, no freezing and no cgroup.
Answers and faults are judged as in a match. Knows no game.
"""

import contextlib
import math
import os
import resource
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, Final, NamedTuple

from arena.log.entries import BUG_LIMIT
from arena.log.transcript import SentLine
from arena.playing.conversation import judged
from arena.process.launch import Launch, bot_environment
from arena.process.private import BotFolder
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
from arena.process.tree import MARK, end_children, mark_of, new_mark, tree, usage
from arena.system.errors import UserError
from arena.system.machine import MIB
from arena.system.text import caption, visible
from arena.system.wording import flag
from protocol.codec import decode_from_referee
from protocol.faults import ENDED, FORGIVABLE, Fault, FaultKind
from protocol.inbox import Inbox
from protocol.messages import End, Ready, Reply, Request

READ_SIZE: Final = 64 * 1024
MEMORY_CHECK_SECONDS: Final = 0.05
GOODBYE_SECONDS: Final = 1.0
"""How long a program may run after the last line; the same as in a match."""
PATIENCE_SECONDS: Final = 5.0
"""After this time without an answer, report once what we are waiting for."""

Say = Callable[[str], None]


class AnswerPair(NamedTuple):
    """A request with two answers to it."""

    request: int
    deal: int
    before: str
    """The answer in the log."""
    now: str
    """The answer now."""
    faulted: FaultKind | None
    """The kind of fault in the log; None if the answer was none."""
    faults: bool
    """Whether the answer now is a fault."""

    @property
    def mended(self) -> bool:
        """Whether the log has a fault here, and the answer now is none."""
        return self.faulted is not None and not self.faults

    @property
    def differs(self) -> bool:
        """Whether the answer differs from that in the log, and does not fix a fault."""
        return self.before != self.now and not self.mended


@contextlib.contextmanager
def started(
    program: Launch | Sequence[str], sandbox: Sandbox, say: Say, show: Say
) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a bot, or a command line as the user's shell would, and kill it at the end. `say` gets our
    messages, `show` a bot's standard error, sanitized; a command line shares ours. Raises UserError."""
    if isinstance(program, Launch):
        mark = new_mark()
        with (
            _private(program, sandbox) as launch,
            _watched(_sandboxed(launch, sandbox, mark), sandbox, say, show, mark) as process,
        ):
            yield process
    else:
        with _watched(_popen(program, stderr=None), sandbox, say, show) as process:
            yield process


@contextlib.contextmanager
def _private(launch: Launch, sandbox: Sandbox) -> Iterator[Launch]:
    """Yield the launch from a folder of its own, if it needs one. Raises UserError."""
    try:
        private = BotFolder(launch, sandbox.level)
    except OSError as error:
        raise UserError(f"{error.filename or launch.kept}: {error.strerror}") from None
    try:
        yield private.launch
    finally:
        private.discard()


@contextlib.contextmanager
def _watched(
    process: "subprocess.Popen[bytes]", sandbox: Sandbox, say: Say, show: Say, mark: str = ""
) -> Iterator["subprocess.Popen[bytes]"]:
    """Relay its standard error, limit its memory, and at the end kill it and all processes with its `mark`. A
    command line has no mark, since what it starts may belong to the user."""
    relay = threading.Thread(target=_relay, args=(process.stderr, show), daemon=True)
    relay.start()
    over = threading.Event()
    guard = threading.Thread(target=_limit_memory, args=(process, sandbox, over, say), daemon=True)
    guard.start()
    try:
        yield process
    finally:
        over.set()
        guard.join()
        process.kill()
        process.wait()
        if mark:
            end_children(lambda pid: mark_of(pid) == mark)
        relay.join(GOODBYE_SECONDS)
        if process.stderr is not None and not relay.is_alive():
            process.stderr.close()


def _sandboxed(launch: Launch, sandbox: Sandbox, mark: str) -> "subprocess.Popen[bytes]":
    """Start a bot's program in the sandbox, as a match does. Raises UserError."""
    uid = seat_uid() if sandbox.level is Level.BWRAP else None
    if uid is not None and (reason := unreadable(launch)):
        raise UserError(reason.text)
    with calls_refused(sandbox.level) as refused:
        argv = sandbox_command(launch, sandbox.level, bounds(sandbox), uid=uid, refused=refused)
        process = _popen(
            argv,
            stderr=subprocess.PIPE,
            cwd="/" if sandbox.level is Level.BWRAP else launch.folder,
            env=bot_environment() | {MARK: mark},
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


def _limit_memory(
    process: "subprocess.Popen[bytes]", sandbox: Sandbox, over: threading.Event, say: Say
) -> None:
    """Kill the program if it uses more memory than a bot may. Returns when `over` is set."""
    if sandbox.level is Level.NONE:
        return
    while not over.wait(MEMORY_CHECK_SECONDS) and process.returncode is None:
        pids = list(tree(process.pid))
        if (memory := usage(pids).memory) > sandbox.memory_mb * MIB:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            used = math.ceil(memory / MIB)
            say(
                f"ended: it used {used} MB of memory, but only {sandbox.memory_mb} MB are allowed "
                f"({flag.memory})"
            )
            return


def _relay(stderr: IO[bytes] | None, show: Say) -> None:
    """Show the program's standard error, sanitized. None for a program that prints it itself."""
    while stderr is not None and (data := stderr.readline(READ_SIZE)):
        show(visible(data, READ_SIZE))


def answers(lines: Sequence[SentLine], process: "subprocess.Popen[bytes]", say: Say) -> Iterator[AnswerPair]:
    """Send the lines, and compare the answer to each with that in the log. Stops at an unforgivable fault;
    then waits for the program to exit."""
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
        inbox.open("asked" if line.request_id else "starting", line.request_id)
        _write(process.stdin, line.line)
        answer = _answer(inbox, read)
        if isinstance(message, Request):
            answer = judged(answer, message.legal)
        if isinstance(answer, Reply) and answer.bug:
            say(f"request {line.request_id}, deal {line.deal_no}: {caption(answer.bug, BUG_LIMIT)}")
        yield _pair(line, answer)
        if isinstance(answer, Fault) and answer.kind not in FORGIVABLE:
            break
    process.stdin.close()
    process.stdout.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GOODBYE_SECONDS)


def _pair(line: SentLine, answer: Ready | Reply | Fault) -> AnswerPair:
    then = line.fault
    return AnswerPair(
        request=line.request_id,
        deal=line.deal_no,
        before=(line.action or "ready") if then is None else f"{then.kind}: {then.detail}",
        now=_as_text(answer),
        faulted=None if then is None else then.kind,
        faults=isinstance(answer, Fault),
    )


def _write(pipe: IO[bytes], line: bytes) -> None:
    """Write the whole line. If the program has closed its input, the missing answer will show that."""
    try:
        while line:
            line = line[pipe.write(line) :]
    except BrokenPipeError:
        pass


def _answer(inbox: Inbox, read: Callable[[], bytes]) -> Ready | Reply | Fault:
    """The answer to the open request, by the rules of a match. `read` returns b"" at the end."""
    verdict = inbox.take()
    while verdict is None:
        if not (data := read()):
            return inbox.take(at_end=True) or ENDED
        verdict = inbox.take(data)
    return verdict


def _as_text(answer: Ready | Reply | Fault) -> str:
    """The answer or the fault as a log has it."""
    match answer:
        case Ready():
            return "ready"
        case Reply(action=action):
            return action
        case Fault(kind=kind, detail=detail):
            return f"{kind}: {caption(detail)}"
