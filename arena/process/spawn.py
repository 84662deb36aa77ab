"""Starts a bot as a process of its own, behind the wall that its sandbox level asks for.

All of it must run in the main thread: a parent-death signal fires when the *thread* that spawned ends.
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
from arena.process.sandbox_init import Inner
from arena.process.tree import MARK, new_mark
from arena.system.errors import MachineError
from arena.system.machine import MIB, require_room

PROCESSES_AROUND: Final = 8
NOT_EXECUTABLE: Final = frozenset({errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ELOOP, errno.ENOTDIR})
"""What the kernel answers where a program itself is what cannot be executed."""


def spawn(launch: Launch, stderr: Path | None, sandbox: Sandbox) -> BotProcess | str:
    """Start a bot in a session of its own; or why its own files cannot be executed. The last of what it
    writes to its standard error goes to the file `stderr` when it has ended, or nowhere. Raises MachineError
    where anything else is in the way."""
    leave_session_keyring()
    require_room(sandbox.memory_mb)  # It may have shrunk since the door.
    if not os.path.isdir(launch.folder):
        raise MachineError(f"the folder {launch.folder} is gone, in which a bot was when it entered")
    try:
        # Behind setpriv and bwrap it would be an exit, so it is looked for before.
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
            return error.strerror or str(error)
        raise MachineError(f"a bot could not be started: {error}") from None


def _spawn_outside(launch: Launch, stderr: Path | None, sandbox: Sandbox) -> BotProcess:
    """Start a bot that no wall is around. Raises OSError."""
    mark = new_mark()
    argv = command(launch, sandbox.level, bounds(sandbox))
    with _group_for(sandbox) as cgroup:
        child = _started(argv, launch.folder, environment=bot_environment() | {MARK: mark})
    with _ended_unless_whole(child, cgroup):
        if hasattr(resource, "prlimit"):
            # One that is already another user's program is not ours to bound.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                for limit, number in outside_limits(sandbox).items():
                    resource.prlimit(child.pid, limit, (number, number))
        _first_to_go(child.pid)
        return BotProcess(child, stderr, mark=mark, cgroup=cgroup)


def _spawn_inside(launch: Launch, stderr: Path | None, sandbox: Sandbox, uid: int | None) -> BotProcess:
    """Start a bot inside bwrap, which tells the pid of the first process in there. Raises OSError."""
    reading, low = os.pipe()
    told = open(reading, "rb")  # noqa: SIM115
    try:
        with _group_for(sandbox) as cgroup:
            child = _started_inside(launch, sandbox, uid, low)
        with _ended_unless_whole(child, cgroup):
            if uid is not None:
                # A bot may open /dev/stdin and its like by name.
                for pipe in (child.stdin, child.stdout, child.stderr):
                    assert pipe is not None
                    os.fchown(pipe.fileno(), uid, -1)
            return BotProcess(child, stderr, Inner(told), cgroup=cgroup)
    except BaseException:
        told.close()
        raise


def _started_inside(launch: Launch, sandbox: Sandbox, uid: int | None, low: int) -> "subprocess.Popen[bytes]":
    """`low` is where bwrap tells what becomes of it, by a descriptor that is closed here. Raises OSError."""
    try:
        writing = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR)
    finally:
        os.close(low)
    try:
        with calls_refused(sandbox.level) as refused:
            argv = command(launch, sandbox.level, bounds(sandbox), uid=uid, info=writing, refused=refused)
            # The mark is for a wall whose worker dies before it could ask to die with it. No bot sees it.
            environment = bot_environment() | {MARK: new_mark()}
            inside = inherited(writing, refused)
            return _started(argv, launch.folder, *inside, environment=environment)
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
    """Nobody else would end what was started only in part."""
    try:
        yield
    except BaseException:
        # Its pipes are not read to their end, which others may hold open.
        with child:
            child.kill()
        if cgroup is not None:
            cgroup.end()
        raise


def _group_for(sandbox: Sandbox) -> contextlib.AbstractContextManager[Cgroup | None]:
    """In which a bot begins, except where it is bounded by nothing."""
    if sandbox.level is Level.NONE:
        return contextlib.nullcontext()
    # The walls are processes too, which the bot's own limit does not count.
    return in_new_cgroup(sandbox.memory_mb * MIB, bounds(sandbox).processes + PROCESSES_AROUND)


def _first_to_go(pid: int) -> None:
    """When the machine is out of memory."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "wb") as file:
        file.write(b"1000")
