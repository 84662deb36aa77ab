"""One child process that plays for a seat: started, written to, read from, frozen between its turns, ended.

Knows bytes, descriptors and signals; neither messages nor games nor what is a fault. All of it must run in
the main thread: a parent-death signal fires when the *thread* that spawned ends.
"""

import contextlib
import os
import resource
import select
import shutil
import signal
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import Final

import trio

from arena.launch import Launch, bot_environment

READ_SIZE: Final = 64 * 1024
STDERR_LIMIT: Final = 16 * 1024 * 1024
STDERR_KEPT: Final = 64 * 1024
POLL_SECONDS: Final = 0.001
"""How long a read waits in the kernel before it parks in trio: a fast bot answers within it, and parking
costs more than all the rest of a decision."""
EXIT_GRACE_SECONDS: Final = 0.25
GROUP_GRACE_SECONDS: Final = 0.5
"""How long the end of a killed process group is waited for, where nobody reaps it."""


class BotProcess:
    """Made by `spawn`. Must be ended by `kill`."""

    def __init__(self, child: "subprocess.Popen[bytes]", stderr: Path | None) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        self._child = child
        self._stdin, self._stdout = child.stdin, child.stdout
        self._stderr = stderr
        self._unsent = b""
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stdin, 0)  # errors only: the bot has closed its input

    @property
    def pid(self) -> int:
        return self._child.pid

    def write(self, data: bytes) -> None:
        """Hand over what fits; the rest follows with later calls of `read`. Never blocks, never raises."""
        self._unsent += data
        try:
            sent = os.write(self._stdin.fileno(), self._unsent)
        except (BlockingIOError, BrokenPipeError):
            return  # `read` sends the rest, or notices that nobody listens.
        self._unsent = self._unsent[sent:]

    async def read(self, deadline: float) -> bytes | None:
        """More output; b"" at its end, or where the bot has closed its input and says nothing more; None
        when nothing has come by `deadline`."""
        while True:
            if not short_poll(self, deadline - trio.current_time()):
                with trio.move_on_at(deadline) as waiting:
                    await self._park()
                if waiting.cancelled_caught:
                    # Our own lag is nobody's fault: look once more before a timeout is said.
                    data = self._read_now()
                    return b"" if data is None and self._deaf() else data
            data = self._read_now()
            if data is not None:
                return data
            if self._deaf():
                return b""
            self.write(b"")

    def ready_within(self, seconds: float) -> bool:
        """Wait in the kernel until there is something to read or room to send, or nobody listens any more."""
        self._poll.modify(self._stdin, select.POLLOUT if self._unsent else 0)
        return bool(self._poll.poll(max(0.0, seconds) * 1000))

    def freeze(self) -> None:
        """Stop the whole process group until `thaw`: no thinking on the others' time, nor taking it."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def close_input(self) -> None:
        """The end of input: a bot that is done may go."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    async def exited_by(self, deadline: float) -> bool:
        """Whether the process has ended by `deadline`."""
        pause = 0.001
        while self.status() is None:
            if trio.current_time() >= deadline:
                return False
            await trio.sleep(pause)
            pause = min(2 * pause, 0.02)
        return True

    def status(self) -> int | None:
        """How the process ended, negative for a signal; None while it lives. It is left
        unreaped, so that its process group stays ours to signal."""
        ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def kill(self) -> int:
        """End the whole process group, reap the child, close the pipes. Returns the exit status, negative
        for a signal. The others of the group are not ours to reap, so their end is waited for."""
        self._signal(signal.SIGKILL)
        status = self._child.wait()
        patience = time.monotonic() + GROUP_GRACE_SECONDS
        while self._signal(signal.SIGKILL) and time.monotonic() < patience:
            time.sleep(0.0005)
        self.close_input()
        self._stdout.close()
        self._trim_stderr()
        return status

    def stderr_tail(self, size: int) -> bytes:
        """The last `size` bytes that the bot wrote to its standard error."""
        if self._stderr is None or not self._stderr.exists():
            return b""
        with self._stderr.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - size))
            return file.read(size)

    def _read_now(self) -> bytes | None:
        try:
            return os.read(self._stdout.fileno(), READ_SIZE)
        except BlockingIOError:
            return None

    def _deaf(self) -> bool:
        """Whether nobody holds the other end of the bot's input."""
        poll = select.poll()
        poll.register(self._stdin, 0)
        return bool(poll.poll(0))

    async def _park(self) -> None:
        """Give the thread away until there is output. A request that is not yet all sent is rare (the bot
        has 64 KiB unread), so that is not worth a second wait: it is tried again and again."""
        if self._unsent:
            await trio.sleep(POLL_SECONDS)
        else:
            await trio.lowlevel.wait_readable(self._stdout)

    def _signal(self, number: signal.Signals) -> bool:
        """Whether there was anybody left in the group to signal."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _trim_stderr(self) -> None:
        """Keep the last 64 KiB; an empty file goes."""
        if self._stderr is None or not self._stderr.exists():
            return
        size = self._stderr.stat().st_size
        if not size:
            self._stderr.unlink()
        elif size > STDERR_KEPT:
            self._stderr.write_bytes(self.stderr_tail(STDERR_KEPT))


def short_poll(process: BotProcess, left: float) -> bool:
    """The short wait before parking. A function of its own so that tests can take it out."""
    return process.ready_within(min(POLL_SECONDS, left))


@cache
def _parent_death_prefix() -> tuple[str, ...]:
    """A frozen bot never sees the end of its input, so the kernel is asked to kill it with us; where
    setpriv is not there (macOS), the group is still ended by whoever outlives us."""
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL", "--") if setpriv else ()


def spawn(launch: Launch, stderr: Path | None) -> BotProcess | OSError:
    """Start a bot in a session of its own. What it writes to its standard error goes to the file `stderr`,
    up to a limit, or nowhere."""
    errors = subprocess.DEVNULL
    try:
        if stderr is not None:
            errors = os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        child = subprocess.Popen(
            _parent_death_prefix() + launch.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=launch.folder,
            env=bot_environment(),
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        return error
    finally:
        if errors >= 0:
            os.close(errors)
    if hasattr(resource, "prlimit"):
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (STDERR_LIMIT, STDERR_LIMIT))
            resource.prlimit(child.pid, resource.RLIMIT_CORE, (0, 0))
    return BotProcess(child, stderr)
