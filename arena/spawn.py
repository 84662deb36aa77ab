"""Starts a bot as a process of its own, behind the wall that its sandbox level asks for.

All of it must run in the main thread: a parent-death signal fires when the *thread* that spawned ends.
"""

import contextlib
import fcntl
import os
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path

from arena.botprocess import BotProcess
from arena.inner import Inner
from arena.launch import Launch, bot_environment, obstacle
from arena.sandbox import (
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


def spawn(
    launch: Launch, stderr: Path | None, sandbox: Sandbox, secrets: Sequence[str] = ()
) -> BotProcess | OSError:
    """Start a bot in a session of its own. What it writes to its standard error goes to the file `stderr`,
    up to a limit, or nowhere. `secrets` are paths of which a sandbox shows nothing."""
    if wrong := obstacle(launch):
        return OSError(wrong)  # Looked for before, since behind setpriv and bwrap it would be an exit.
    errors = subprocess.DEVNULL
    try:
        if stderr is not None:
            errors = os.open(
                stderr, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644
            )
        if sandbox.level is Level.BWRAP:
            return _spawn_inside(launch, stderr, errors, sandbox, secrets)
        child = _started(command(launch, sandbox.level, bounds(sandbox)), launch.folder, errors)
        if hasattr(resource, "prlimit"):
            with contextlib.suppress(ProcessLookupError):
                for limit, number in outside_limits(sandbox).items():
                    resource.prlimit(child.pid, limit, (number, number))
        _first_to_go(child.pid)
        return BotProcess(child, stderr)
    except OSError as error:
        return error
    finally:
        if errors >= 0:
            os.close(errors)


def _spawn_inside(
    launch: Launch, stderr: Path | None, errors: int, sandbox: Sandbox, secrets: Sequence[str]
) -> BotProcess:
    """Start a bot inside bwrap, which tells the pid of the first process in there. Raises OSError."""
    uid = seat_uid()
    if uid is not None and (closed := unreadable(launch)):
        raise OSError(closed)
    reading, low = os.pipe()
    with contextlib.ExitStack() as unless_started:
        told = unless_started.enter_context(open(reading, "rb"))
        writing = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR)
        os.close(low)
        try:
            with calls_refused(sandbox.level) as refused:
                argv = command(
                    launch,
                    sandbox.level,
                    bounds(sandbox),
                    uid=uid,
                    secrets=secrets,
                    info=writing,
                    refused=refused,
                )
                child = _started(argv, launch.folder, errors, *inherited(writing, refused))
        finally:
            os.close(writing)
        assert child.stdin is not None
        assert child.stdout is not None
        if uid is not None:
            # A bot may open /dev/stdin and its like by name.
            for descriptor in (child.stdin.fileno(), child.stdout.fileno(), errors):
                if descriptor >= 0:
                    os.fchown(descriptor, uid, -1)
        unless_started.pop_all()
        return BotProcess(child, stderr, Inner(told))


def _started(argv: Sequence[str], folder: str, errors: int, *inherited: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        cwd=folder,
        env=bot_environment(),
        pass_fds=inherited,
        start_new_session=True,
        bufsize=0,
    )


def _first_to_go(pid: int) -> None:
    """When the machine is out of memory."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "wb") as file:
        file.write(b"1000")
