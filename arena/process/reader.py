"""Reads files from strangers in a separate process, so that a parser that hangs, grows or crashes affects
only its own task.

The process imports the parser (see `serve`) and forks a child for each task. The child has hard limits on
time and memory, cannot open files or start processes, and drops root's rights: it can only read the files
that it is given, and answer. Treat its answer as hostile. Does not know what is read.
"""

import contextlib
import math
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, Final, NoReturn

import msgspec

from arena.system.errors import MachineError
from arena.system.machine import MIB

FRAME: Final = MIB
"""The maximum number of bytes in one piece of an answer."""
PATIENCE: Final = 3
"""We wait this many times the limit on CPU time, since the machine may be busy with something else."""
NICE: Final = 10
"""The niceness of a task: matches that are played at the same time have priority."""
FAREWELL_SECONDS: Final = 0.5
"""How long to wait until a child notices that the rest of its answer is not wanted."""
NOBODY: Final = 65534
OUT_OF_MEMORY: Final = 3
"""The exit status of a child that has caught MemoryError."""
_LENGTH: Final = 4
_REQUEST: Final = 64 * 1024


class ReaderLimits(msgspec.Struct, frozen=True):
    """Limits of one task: seconds of CPU time, bytes of memory, and bytes of each file that it writes."""

    seconds: float
    memory: int = 512 * MIB
    written: int = 0


class ReadError(Exception):
    """A file could not be read within its limits, or crashed its parser; the text is a predicate."""


class Reader:
    """Reads files in a process that runs `module`, which must call `serve`. It starts with the first task,
    and ends with this object or our own process."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._end: Callable[[], object] = _nothing
        self._socket: socket.socket | None = None
        self._answering = False

    @contextlib.contextmanager
    def reading(self, task: bytes, files: Sequence[int], limits: ReaderLimits) -> Iterator[Iterator[bytes]]:
        """Carry out a task and yield its answer piece by piece. `files`: descriptors that the task reads
        and may write. Raises ReadError, also during the iteration, and MachineError."""
        ours, theirs = os.pipe()
        try:
            try:
                self._ask(task, (theirs, *files), limits)
            finally:
                os.close(theirs)
            yield self._pieces(ours, limits)
        finally:
            os.close(ours)
            if self._answering:
                self._status(FAREWELL_SECONDS)

    def _ask(self, task: bytes, files: Sequence[int], limits: ReaderLimits) -> None:
        request = msgspec.json.encode((limits, task))
        for again in (True, False):
            if self._socket is None:
                self._start()
            assert self._socket is not None
            try:
                socket.send_fds(self._socket, [request], files)
                self._answering = True
                return
            except OSError as error:
                # The process was killed between two tasks.
                self._stop()
                if not again:
                    raise MachineError(f"no process of the arena could be asked: {error}") from None

    def _start(self) -> None:
        """Raises MachineError."""
        mine, its = socket.socketpair()
        try:
            child = subprocess.Popen(
                [sys.executable, "-P", "-m", self._module],
                stdin=its.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            mine.close()
            raise MachineError(f"no process of the arena could be started: {error}") from None
        finally:
            its.close()
        self._socket = mine
        self._end = weakref.finalize(self, _end, child, mine, os.getpid())

    def _stop(self) -> None:
        self._end()
        self._socket, self._answering = None, False

    def _pieces(self, pipe: int, limits: ReaderLimits) -> Iterator[bytes]:
        """Raises ReadError."""
        incoming = _Incoming(pipe, limits.seconds * PATIENCE)
        while (length := incoming.take(_LENGTH)) is not None:
            if (size := int.from_bytes(length)) > FRAME:
                self._stop()  # Otherwise it would wait until we have read the piece.
                raise ReadError(_why(None, limits))
            if (piece := incoming.take(size)) is None:
                break
            yield piece
        status = self._status(limits.seconds * PATIENCE)
        if length is not None or status != 0:
            raise ReadError(_why(status, limits))

    def _status(self, patience: float) -> int | None:
        """The exit status of the last task's child. After `patience` seconds end the process: None."""
        assert self._socket is not None
        self._answering = False
        self._socket.settimeout(patience)
        try:
            if len(status := self._socket.recv(_LENGTH)) == _LENGTH:
                return int.from_bytes(status, signed=True)
        except OSError:
            pass
        self._stop()
        return None


def _nothing() -> None:
    pass


def _why(status: int | None, limits: ReaderLimits) -> str:
    """Why a child has not answered. `status`: as in `subprocess`."""
    if status is not None and -status in (signal.SIGPROF, signal.SIGXCPU):
        return _too_slow(limits.seconds)
    if status == OUT_OF_MEMORY:
        return f"cannot be read within {limits.memory // MIB} MB of memory"
    return "cannot be read: it crashes the process that reads it"


def _too_slow(seconds: float) -> str:
    return f"cannot be read within {seconds:g} s"


class _Incoming:
    """Reads a pipe, and waits for its other end at most `patience` seconds in total."""

    def __init__(self, pipe: int, patience: float) -> None:
        self._pipe, self._left, self._patience = pipe, patience, patience
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN)
        self._held = bytearray()

    def take(self, size: int) -> bytes | None:
        """The next `size` bytes; None at the end of the pipe. Raises ReadError."""
        while len(self._held) < size:
            begun = time.monotonic()
            ready = self._poll.poll(max(0.0, self._left) * 1000)
            self._left -= time.monotonic() - begun
            if not ready:
                raise ReadError(_too_slow(self._patience / PATIENCE))
            if not (data := os.read(self._pipe, FRAME)):
                return None
            self._held += data
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken


def _end(child: "subprocess.Popen[bytes]", mine: socket.socket, owner: int) -> None:
    mine.close()
    if os.getpid() == owner:  # Not in a forked child, which inherits this finalizer.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


Read = Callable[[bytes, Sequence[BinaryIO], Callable[[bytes], None]], None]
"""Called with a task, its files, and a function that sends one piece of the answer."""


def serve(read: Read) -> None:
    """Carry out the tasks of a Reader by `read` until the Reader ends."""
    requests = socket.socket(fileno=0)
    while True:
        request, files, *_ = socket.recv_fds(requests, _REQUEST, 8)
        if not request:
            return
        pid = os.fork()
        if pid == 0:
            requests.close()
            _answer(read, request, files)
        for file in files:
            os.close(file)
        _, status = os.waitpid(pid, 0)
        try:
            requests.sendall(os.waitstatus_to_exitcode(status).to_bytes(_LENGTH, signed=True))
        except OSError:
            return


def _answer(read: Read, request: bytes, files: Sequence[int]) -> NoReturn:
    """Carry out a task in this process, which is a forked child, and exit."""
    status = 1
    try:
        limits, task = msgspec.json.decode(request, type=tuple[ReaderLimits, bytes])
        answer, *opened = [open(file, "rb+" if number else "wb") for number, file in enumerate(files)]  # noqa: SIM115
        _confine(limits)

        def say(piece: bytes) -> None:
            answer.write(len(piece).to_bytes(_LENGTH) + piece)

        read(task, opened, say)
        answer.flush()
        status = 0
    except MemoryError:
        status = OUT_OF_MEMORY
    finally:
        os._exit(status)


def _confine(limits: ReaderLimits) -> None:
    """Lower the limits and rights of this process to what reading needs."""
    os.nice(NICE)
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):  # In some containers root is the only user.
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
    for limit, most in (
        (resource.RLIMIT_DATA, limits.memory),
        (resource.RLIMIT_FSIZE, limits.written),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),
        (resource.RLIMIT_CPU, math.ceil(limits.seconds) + 1),
    ):
        _, hard = resource.getrlimit(limit)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (most, most))
    # A timer of finer resolution than RLIMIT_CPU, which remains as a backstop.
    signal.setitimer(signal.ITIMER_PROF, limits.seconds)
