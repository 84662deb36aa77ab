"""The caller's end of a call: starts the child process that carries it out, and talks to it until it ends.

It works in any thread, since the child does everything that requires a main thread. The caller waits in
`poll` on two sockets of its own, and receives signals as usual. Knows no particular call.
"""

import contextlib
import fcntl
import os
import select
import signal
import site
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from arena.commands.failure import Failure
from arena.library.functions import FunctionSeats
from arena.library.messages import CallEnded, CallFailed, CallRemark, decode_from_host, encode_call
from arena.playing.spellings import Progress
from arena.system.errors import MachineError, UserError
from arena.system.lines import Splitter, last_words

T = TypeVar("T")

FAREWELL_SECONDS: Final = 20.0
"""How long the child may take to abort a call: longer than its own PATIENCE_SECONDS."""
HURRIED_SECONDS: Final = 2.0
"""How long it may take after a second Ctrl-C."""
DEATH_SECONDS: Final = 10.0
"""How long a child that has closed its end may take to exit."""
READ_SIZE: Final = 64 * 1024
PYTHONPATH: Final = "PYTHONPATH"


class ArenaBug(RuntimeError):
    """A bug in the arena; please report it with its text."""


class Stopper:
    """Aborts a call from another thread, including calls that it makes itself."""

    def __init__(self) -> None:
        self._channels: list[socket.socket] = []
        self._asked = False

    @contextlib.contextmanager
    def holding(self, channel: socket.socket) -> Iterator[None]:
        """Within this context `stop` shuts down `channel`."""
        self._channels.append(channel)
        try:
            if self._asked:
                self.stop()
            yield
        finally:
            self._channels.remove(channel)

    def stop(self) -> None:
        """Abort the call. Idempotent."""
        self._asked = True
        for channel in list(self._channels):
            with contextlib.suppress(OSError):
                channel.shutdown(socket.SHUT_RDWR)


stopper: ContextVar[Stopper | None] = ContextVar("arena.stopper", default=None)
"""Set if a call runs in a thread on behalf of a task that can be cancelled."""


class Host:
    """The child process. Must be ended by `close`."""

    def __init__(self, *, with_functions: bool) -> None:
        """Raises MachineError if the process cannot be started."""
        if not sys.executable:
            raise MachineError(
                "sys.executable is empty; set it to the Python in which the arena is installed"
            )
        pairs: list[tuple[socket.socket, socket.socket]] = []
        try:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115
            for _ in range(2 if with_functions else 1):
                ours, their = socket.socketpair()
                pairs.append((ours, _above_streams(their)))
            theirs = [their.fileno() for _, their in pairs]
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", "arena.library.host", str(os.getpid()), *map(str, theirs)],
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                pass_fds=theirs,
                start_new_session=True,
                env=_environment(),
            )
        except BaseException as error:
            for ours, _ in pairs:
                ours.close()  # A child that was started ends then.
            if not isinstance(error, OSError):
                raise
            raise MachineError(f"the arena's process could not be started: {error}") from None
        finally:
            for _, their in pairs:
                their.close()
        self.channel, *others = (ours for ours, _ in pairs)
        self.functions = others[0] if others else None

    def answer(self, line: bytes) -> None:
        """Send the answer of a function."""
        assert self.functions is not None
        with contextlib.suppress(ConnectionError):  # The child has died, which `_lines` notices.
            self.functions.sendall(line)

    def death(self) -> Exception:
        """The error for a child that has ended without a result."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(DEATH_SECONDS)
        words = last_words(self._errors).strip()
        status = self._child.poll()
        if status is not None and status < 0:
            return MachineError(f"the arena's process was killed from outside, by signal {-status}")
        return ArenaBug(f"the arena's process exited without a result (status {status}): {words}")

    def close(self) -> None:
        """Abort the call, and wait until the child and everything that it started have ended."""
        try:
            self._hang_up()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(FAREWELL_SECONDS)
        except BaseException:
            self._hang_up()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(HURRIED_SECONDS)
            raise
        finally:
            if self._child.returncode is None:
                self._child.kill()  # Its workers and bots end with it.
                self._child.wait()
            self._errors.close()

    def _hang_up(self) -> None:
        for connected in (self.channel, self.functions):
            if connected is not None:
                # A forked process of the caller may keep it open.
                with contextlib.suppress(OSError):
                    connected.shutdown(socket.SHUT_RDWR)
                connected.close()
        self._child.send_signal(signal.SIGCONT)  # It may have been stopped.


def asked(
    call: msgspec.Struct,
    result: type[T],
    functions: FunctionSeats,
    on_said: Callable[[str], None],
    on_progress: Callable[[Progress], None],
) -> T:
    """Carry out a call in a child process; its result. Raises UserError, MachineError and ArenaBug, and
    whatever a function or callback raises, which aborts the call."""
    try:
        line = encode_call(call) + b"\n"
    except (TypeError, ValueError, OverflowError) as error:
        raise UserError(f"an argument cannot be sent to the arena's process: {error}") from None
    host = Host(with_functions=bool(functions))
    stopping = stopper.get() or Stopper()
    try:
        with stopping.holding(host.channel):
            return _talk(host, line, result, functions, on_said, on_progress)
    finally:
        host.close()


def _talk(
    host: Host,
    line: bytes,
    result: type[T],
    functions: FunctionSeats,
    on_said: Callable[[str], None],
    on_progress: Callable[[Progress], None],
) -> T:
    with contextlib.suppress(ConnectionError):  # The child has died, which `_lines` notices.
        host.channel.sendall(line)
    for is_asked, line in _lines(host):
        if is_asked:
            host.answer(functions.answer(line))
            continue
        match message := decode_from_host(line):
            case CallRemark(text):
                on_said(text)
            case Progress():
                on_progress(message)
            case CallEnded(raw):
                return msgspec.json.decode(raw, type=result)
            case CallFailed(failure):
                raise _error(failure)
    raise host.death()


def _error(failure: Failure) -> Exception:
    match failure.kind:
        case "user":
            return UserError(failure.text)
        case "bug":
            return ArenaBug(failure.text)
        case "interrupted":
            return MachineError("the arena's process was asked to stop, by a signal from outside")
    return MachineError(failure.text)


def _lines(host: Host) -> Iterator[tuple[bool, bytes]]:
    """The lines of the child until it closes its end, each with whether it is a request to a function."""
    poll = select.poll()  # `select` cannot wait for descriptors above 1023.
    ends = [(end, Splitter()) for end in (host.functions, host.channel) if end is not None]
    for end, _ in ends:
        poll.register(end, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        for end, splitter in ends:
            if end.fileno() in ready:
                data = _received(end)
                yield from ((end is host.functions, line) for line in splitter.lines(data))
                if not data and end is host.channel:
                    return
                if not data:
                    poll.unregister(end)


def _received(end: socket.socket) -> bytes:
    try:
        return end.recv(READ_SIZE)
    except ConnectionError:
        return b""


def _above_streams(connected: socket.socket) -> socket.socket:
    """The socket under a number above the standard streams, whose numbers may be free in the caller."""
    if connected.fileno() > 2:
        return connected
    with connected:
        return socket.socket(fileno=fcntl.fcntl(connected, fcntl.F_DUPFD_CLOEXEC, 3))


def _environment() -> dict[str, str] | None:
    """The environment by which the child imports the same arena as the caller; None for the caller's own."""
    root = str(Path(__file__).resolve().parents[2])
    installed = [*site.getsitepackages(), site.getusersitepackages()]
    if root in installed or root not in map(os.path.realpath, sys.path):
        return None  # It is installed, normally or as an editable install.
    paths = [root, *filter(None, [os.environ.get(PYTHONPATH)])]
    return {**os.environ, PYTHONPATH: os.pathsep.join(paths)}
