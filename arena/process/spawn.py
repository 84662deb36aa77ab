"""Starts a bot as a child process, in the sandbox of its level. Knows no match.

Must run in the main thread: a parent-death signal is sent when the *thread* that spawned the child ends.
"""

import contextlib
import errno
import fcntl
import os
import resource
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from arena.process.botprocess import BotProcess
from arena.process.cgroup import Cgroup, in_new_cgroup
from arena.process.keyring import leave_session_keyring
from arena.process.launch import Launch, bot_environment, obstacle
from arena.process.obstacle import Obstacle, ObstacleKind
from arena.process.private import BotFolder
from arena.process.sandbox import (
    FIRST_FREE_DESCRIPTOR,
    Level,
    Sandbox,
    bounds,
    calls_refused,
    command,
    inherited,
    outside_limits,
    seat_uid,
    unreadable,
)
from arena.process.sandbox_init import SandboxInit
from arena.process.tree import MARK, new_mark
from arena.system.errors import MachineError
from arena.system.machine import MIB, require_room

PROCESSES_AROUND: Final = 8
"""The number of processes of the sandbox itself in a bot's cgroup."""
NOT_EXECUTABLE: Final = frozenset({errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ELOOP, errno.ENOTDIR})
"""Errors by which the kernel reports that the program itself cannot be executed."""


def spawn(launch: Launch, stderr: Path | None, sandbox: Sandbox) -> BotProcess | Obstacle:
    """Start a bot in a session of its own, or return why its own files cannot be executed. Its end writes the
    last 64 KiB of its standard error to the file `stderr`, unless that is None. Raises MachineError if
    anything else prevents the start."""
    leave_session_keyring()
    require_room(sandbox.memory_mb)  # The limits may have shrunk since the command began.
    if not os.path.exists(place := launch.kept or launch.folder):
        raise MachineError(f"{place}, where a bot was when it entered, no longer exists")
    try:
        # Checked first: inside setpriv or bwrap a failed exec would look like an exit of the bot.
        if wrong := obstacle(launch):
            return wrong
        if sandbox.level is not Level.BWRAP:
            return _spawn_outside(launch, stderr, sandbox)
        uid = seat_uid()
        if uid is not None and (wrong := unreadable(launch)):
            return wrong
        return _spawn_inside(launch, stderr, sandbox, uid)
    except OSError as error:
        if error.errno in NOT_EXECUTABLE and error.filename == launch.argv[0]:
            return Obstacle(ObstacleKind.OTHER, error.strerror or str(error))
        raise MachineError(f"a bot could not be started: {error}") from None


def _spawn_outside(launch: Launch, stderr: Path | None, sandbox: Sandbox) -> BotProcess:
    """Start a bot without bwrap. Raises OSError."""
    private = BotFolder(launch, sandbox.level)
    try:
        return _spawn_private(private, stderr, sandbox)
    except BaseException:
        private.discard()
        raise


def _spawn_private(private: BotFolder, stderr: Path | None, sandbox: Sandbox) -> BotProcess:
    """Start a bot without bwrap, from a folder of its own. Raises OSError."""
    mark, launch = new_mark(), private.launch
    argv = command(launch, sandbox.level, bounds(sandbox), waits=True)
    with _group_for(sandbox) as cgroup:
        child = _started(argv, launch.folder, environment=bot_environment() | {MARK: mark})
    with _ended_unless_whole(child, cgroup):
        if hasattr(resource, "prlimit"):
            # We may not limit it if a setuid program has already changed its user.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                for limit, number in outside_limits(sandbox).items():
                    resource.prlimit(child.pid, limit, (number, number))
        _kill_first_without_memory(child.pid)
        return BotProcess(child, stderr, mark=mark, cgroup=cgroup, private=private)


def _spawn_inside(launch: Launch, stderr: Path | None, sandbox: Sandbox, uid: int | None) -> BotProcess:
    """Start a bot inside bwrap, which reports the pid of the sandbox's first process. Raises OSError."""
    reading, low = os.pipe()
    status = open(reading, "rb")  # noqa: SIM115
    try:
        with _group_for(sandbox) as cgroup:
            child = _started_inside(launch, sandbox, uid, low)
        with _ended_unless_whole(child, cgroup):
            if uid is not None:
                # The bot's user owns the pipes, since a bot may open /dev/stdin and the like by name.
                for pipe in (child.stdin, child.stdout, child.stderr):
                    assert pipe is not None
                    os.fchown(pipe.fileno(), uid, -1)
            return BotProcess(child, stderr, SandboxInit(status), cgroup=cgroup)
    except BaseException:
        status.close()
        raise


def _started_inside(launch: Launch, sandbox: Sandbox, uid: int | None, low: int) -> "subprocess.Popen[bytes]":
    """Start bwrap. `low`: the writing end of the pipe for bwrap's status, which is moved to a higher
    descriptor and closed here. Raises OSError."""
    try:
        writing = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR)
    finally:
        os.close(low)
    try:
        with calls_refused(sandbox.level) as refused:
            argv = command(
                launch, sandbox.level, bounds(sandbox), uid=uid, waits=True, info=writing, refused=refused
            )
            # The mark identifies a bwrap whose worker died before bwrap had set its parent-death signal.
            # bwrap does not pass it on to the bot.
            environment = bot_environment() | {MARK: new_mark()}
            inside = inherited(writing, refused)
            return _started(argv, "/", *inside, environment=environment)
    finally:
        os.close(writing)


def _started(
    argv: Sequence[str],
    folder: str,
    *inherited: int,
    environment: Mapping[str, str] | None = None,
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment or bot_environment(),
        pass_fds=inherited,
        start_new_session=True,
        bufsize=0,
    )


@contextlib.contextmanager
def _ended_unless_whole(child: "subprocess.Popen[bytes]", cgroup: Cgroup | None) -> Iterator[None]:
    """Kill the child if an exception prevents the BotProcess that would own it."""
    try:
        yield
    except BaseException:
        # `with` waits for the child and closes its pipes. `communicate` would read until their end, but other
        # processes may keep them open.
        with child:
            child.kill()
        if cgroup is not None:
            cgroup.end()
        raise


def _group_for(sandbox: Sandbox) -> contextlib.AbstractContextManager[Cgroup | None]:
    """Start a bot in a new cgroup, except at level none, which has no limits."""
    if sandbox.level is Level.NONE:
        return contextlib.nullcontext()
    # The group also contains the sandbox's own processes, which are not part of the bot's limit.
    return in_new_cgroup(sandbox.memory_mb * MIB, bounds(sandbox).processes + PROCESSES_AROUND)


def _kill_first_without_memory(pid: int) -> None:
    """Make the kernel kill this process before others when the machine is out of memory."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "wb") as file:
        file.write(b"1000")
