"""A process that reads what strangers have written: what hangs, grows or breaks at that does so there, and
nobody waits for it but who has asked.

The process loads what reads (`serve`), and forks a child for each task, which has hard limits of time and
memory, can open no file, start no process, and has no rights where root has started it: all that it can do is
to read the files that it is given and to answer. Whatever it answers is still a stranger's. Knows nothing of
what is read.
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
"""Bytes of one piece of an answer, at most."""
PATIENCE: Final = 3
"""A machine that is busy with something else may take so many times the seconds of processor."""
NICE: Final = 10
"""Matches that are played at the same time come first."""
FAREWELL_SECONDS: Final = 0.5
"""How long a child may take to see that nobody wants the rest of its answer."""
NOBODY: Final = 65534
OUT_OF_MEMORY: Final = 3
"""The exit status of a child that says so itself."""
_LENGTH: Final = 4
_REQUEST: Final = 64 * 1024


class ReaderLimits(msgspec.Struct, frozen=True):
    """What reading may take: seconds of processor, bytes of memory, and bytes of a file that it writes."""

    seconds: float
    memory: int = 512 * MIB
    written: int = 0


class ReadError(Exception):
    """Something was not read within its limits, or has broken what reads it; the text is a predicate of
    it."""


class Reader:
    """Reads by the module `module`, which calls `serve`. The process begins with the first task, and ends
    with this object, or with the process that has it."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._end: Callable[[], object] = _nothing
        self._socket: socket.socket | None = None
        self._answering = False

    @contextlib.contextmanager
    def reading(self, task: bytes, files: Sequence[int], limits: ReaderLimits) -> Iterator[Iterator[bytes]]:
        """The pieces of the answer to a task, one after the other. `files` are descriptors that it reads, and
        may write to. Raises ReadError, as does the next piece; MachineError where no process can be
        started."""
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
                # It was ended from outside, between two tasks.
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
                self._stop()  # Or it would wait for us to read that.
                raise ReadError(_why(None, limits))
            if (piece := incoming.take(size)) is None:
                break
            yield piece
        status = self._status(limits.seconds * PATIENCE)
        if length is not None or status != 0:
            raise ReadError(_why(status, limits))

    def _status(self, patience: float) -> int | None:
        """The status with which the child of the last task has ended; None where that is not known, and the
        process was ended therefore."""
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
    """Why a child has not answered, by its status as subprocess has them."""
    if status is not None and -status in (signal.SIGPROF, signal.SIGXCPU):
        return _too_slow(limits.seconds)
    if status == OUT_OF_MEMORY:
        return f"cannot be read within {limits.memory // MIB} MB of memory"
    return "cannot be read: it breaks the process that reads it"


def _too_slow(seconds: float) -> str:
    return f"cannot be read within {seconds:g} s"


class _Incoming:
    """A pipe for whose other end we wait so many seconds in all."""

    def __init__(self, pipe: int, patience: float) -> None:
        self._pipe, self._left, self._patience = pipe, patience, patience
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN)
        self._held = bytearray()

    def take(self, size: int) -> bytes | None:
        """So many bytes; None at its end. Raises ReadError."""
        while len(self._held) < size:
            begun = time.monotonic()
            ready = self._poll.poll(max(0.0, self._left) * 1000)
            self._left -= time.monotonic() - begun
            if not ready:
                raise ReadError(_too_slow(self._patience / PATIENCE))
            if not (found := os.read(self._pipe, FRAME)):
                return None
            self._held += found
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken


def _end(child: "subprocess.Popen[bytes]", mine: socket.socket, owner: int) -> None:
    mine.close()
    if os.getpid() == owner:  # And no child of it that was forked.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


Read = Callable[[bytes, Sequence[BinaryIO], Callable[[bytes], None]], None]
"""Reads files by a task, and says the pieces of its answer."""


def serve(read: Read) -> None:
    """Carries out the tasks of a Reader by `read`, until it ends."""
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
    """Carries out a task in this process, which is a child, and ends it."""
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
    """Takes from this process what reading does not need."""
    os.nice(NICE)
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):  # Where root is the only user of a container.
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
    # Of finer grain than the limit, which stands behind it.
    signal.setitimer(signal.ITIMER_PROF, limits.seconds)
