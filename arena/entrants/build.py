"""Builds a bot once: in a copy of its folder that is named by its digest, so that the same program is never
built twice and the author's folder stays as it is.

What it may take of the machine is bounded at every level (quota.py). Knows folders and one command; no
manifest and no game.
"""

import contextlib
import fcntl
import itertools
import os
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from arena.entrants.digest import version_of
from arena.entrants.quota import Watch, marked
from arena.process.launch import Launch, bot_environment, obstacle, resolved
from arena.process.sandbox import (
    BUILD,
    FIRST_FREE_DESCRIPTOR,
    Level,
    Sandbox,
    calls_refused,
    command,
    inherited,
    outside_limits,
    seat_uid,
    settled,
)
from arena.process.sandbox_init import SandboxInit
from arena.process.tree import MARK, new_mark
from arena.system.errors import UserError
from arena.system.text import visible

BUILD_SECONDS: Final = 300
LOOK_SECONDS: Final = 0.1
OUTPUT_SHOWN: Final = 2000
LIMITS: Final = {
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_CORE: "core",
    resource.RLIMIT_DATA: "data",
    resource.RLIMIT_NOFILE: "nofile",
}
"""What `prlimit` calls them."""


class BuildError(Exception):
    """A build that failed; the text ends with the last of its output."""


def cache() -> Path:
    """Where what was built is kept: $XDG_CACHE_HOME/arena, else ~/.cache/arena. What stands in its `builds`
    is of an arena that did not look at what a build leaves. Raises UserError for somebody who has no home."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(folder):
        raise UserError("a bot has to be built, and there is no place for it: set HOME or XDG_CACHE_HOME")
    return Path(folder, "arena", "built")


def built(folder: Path, finished: Path, build: Sequence[str], sandbox: Sandbox, version: str) -> Path:
    """The copy of `folder`, called `finished`, in which `build` has succeeded; what is built is the `version`
    of which the digest was taken before. Raises BuildError."""

    def make(unfinished: Path) -> None:
        try:
            shutil.copytree(folder, unfinished, dirs_exist_ok=True, symlinks=True, copy_function=_copied)
        except shutil.Error as error:
            why = visible(str(error.args[0][0][2]).encode("utf-8", "replace"), OUTPUT_SHOWN)
            raise BuildError(f"its folder cannot be copied for its build: {why}") from None
        except RecursionError:
            raise BuildError("its folders are nested too deeply for its build") from None
        if version != version_of([unfinished]):
            raise BuildError("its files were changed while it entered")
        _make_ordinary(unfinished)  # Its author may have set those bits too.
        _run(build, unfinished, sandbox)
        _make_ordinary(unfinished)

    return made_once(finished, make)


def _copied(source: str, target: str) -> None:
    """As shutil.copy2, which would wait for a socket and read a device without end."""
    if not stat.S_ISREG(os.lstat(source).st_mode):
        raise shutil.SpecialFileError(f"{source} is neither a file nor a folder nor a link")
    shutil.copy2(source, target)


def _make_ordinary(folder: Path) -> None:
    """Without the bits by which a program runs as whoever owns it, which would be us. All of it is ours, and
    nothing runs in it."""
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        if mode & 0o7000 and not stat.S_ISLNK(mode):
            path.chmod(mode & 0o777)


def made_once(finished: Path, make: Callable[[Path], None]) -> Path:
    """The folder `finished`, which appears with all that `make` puts into it, or not at all."""
    if finished.is_dir():
        return finished
    finished.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=finished.parent))
    try:
        make(unfinished)
        try:
            unfinished.rename(finished)
        except OSError:
            # Somebody else has made the same one meanwhile.
            if not finished.is_dir():
                raise
        return finished
    finally:
        _remove(unfinished)


def _remove(folder: Path) -> None:
    """A folder that strangers have filled, as far as that can be done. Folders in it may be closed, and lie
    deeper than a path can name: so each is taken out of its folder before what is in it."""
    if not folder.is_dir():
        return
    numbers = itertools.count(1)
    waiting = [str(folder)]
    while waiting:
        here = waiting.pop()
        with contextlib.suppress(OSError):
            os.chmod(here, 0o700)
            with os.scandir(here) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        outside = f"{folder}.{next(numbers)}"
                        os.chmod(entry.path, 0o700)
                        os.rename(entry.path, outside)
                        waiting.append(outside)
                    else:
                        os.unlink(entry.path)
            os.rmdir(here)


def _run(build: Sequence[str], folder: Path, sandbox: Sandbox) -> None:
    """Raises BuildError. Nothing that the build has started outlives it; without a wall, as far as it bears
    our mark."""
    launch = Launch(resolved(build, str(folder)), str(folder), owns_folder=True)
    launched = obstacle(launch) or settled(launch, sandbox)
    if isinstance(launched, str):
        raise BuildError(f"its build could not be started: {launched}")
    uid = seat_uid() if sandbox.level is Level.BWRAP else None
    if uid is not None:
        _give(folder, uid)
    with tempfile.TemporaryFile() as output:
        try:
            running = _started(launched, sandbox, uid, output.fileno())
        except OSError as error:
            raise BuildError(f"its build could not be started: {build[0]}: {error.strerror}") from None
        watch = Watch(running.child.pid, running.mark, str(folder), output.fileno())
        try:
            wrong = _watched(running.child, watch)
        finally:
            _end(running)
        wrong = wrong or watch.left(ended=True)
        if wrong is None:
            if uid is not None:
                _give(folder, os.geteuid())
            return
        output.seek(max(0, output.seek(0, os.SEEK_END) - OUTPUT_SHOWN))
        end = visible(output.read(), OUTPUT_SHOWN).strip()
    raise BuildError(f"its build {wrong}: {end}" if end else f"its build {wrong}")


class _Running(NamedTuple):
    """A build with the first process inside its wall, or the mark of its processes where there is none."""

    child: "subprocess.Popen[bytes]"
    inner: SandboxInit | None
    mark: str


def _started(launch: Launch, sandbox: Sandbox, uid: int | None, output: int) -> _Running:
    """Raises OSError."""
    if sandbox.level is Level.BWRAP:
        return _started_inside(launch, sandbox, uid, output)
    mark = new_mark()
    argv = (*_limiting(sandbox), *command(launch, sandbox.level, BUILD))
    return _Running(_process(argv, launch, output, mark=mark), None, mark)


def _limiting(sandbox: Sandbox) -> Iterator[str]:
    """The beginning of a command line that limits the rest of it before that can start anything."""
    if prlimit := shutil.which("prlimit"):
        yield prlimit
        for limit, number in outside_limits(sandbox, BUILD).items():
            yield f"--{LIMITS[limit]}={number}:{number}"
        yield "--"


def _started_inside(launch: Launch, sandbox: Sandbox, uid: int | None, output: int) -> _Running:
    """Raises OSError."""
    reading, low = os.pipe()
    told = open(reading, "rb")  # noqa: SIM115
    try:
        try:
            info = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR)
        finally:
            os.close(low)
        try:
            with calls_refused(sandbox.level) as refused:
                argv = command(
                    launch, sandbox.level, BUILD, uid=uid, writable=True, info=info, refused=refused
                )
                child = _process(argv, launch, output, *inherited(info, refused))
        finally:
            os.close(info)
        return _Running(child, SandboxInit(told), "")
    except BaseException:
        told.close()
        raise


def _process(
    argv: Sequence[str], launch: Launch, output: int, *passed: int, mark: str = ""
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        argv,
        cwd=launch.folder,
        env=_environment(launch.argv[0]) | ({MARK: mark} if mark else {}),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=passed,
        start_new_session=True,
    )


def _watched(child: "subprocess.Popen[bytes]", watch: Watch) -> str | None:
    """Wait for the end of a build: None where it has succeeded, else what is wrong with it."""
    deadline = time.monotonic() + BUILD_SECONDS
    while time.monotonic() < deadline:
        try:
            status = child.wait(min(LOOK_SECONDS, BUILD_SECONDS))
        except subprocess.TimeoutExpired:
            if wrong := watch.complaint():
                return wrong
            continue
        return f"failed with exit status {status}" if status else None
    return f"took more than {BUILD_SECONDS} s"


def _end(running: _Running) -> None:
    """All of it: what goes on would change the files that are looked at next."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.child.pid, signal.SIGKILL)
    running.child.wait()
    if running.inner:
        running.inner.end()
    for _ in range(1000):
        if not (left := marked(running.mark)):
            break
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.001)


def _environment(program: str) -> dict[str, str]:
    """A bot's, and on the PATH what is installed beside the program: cargo calls rustc."""
    environment = bot_environment()
    if os.path.isabs(program):
        environment["PATH"] = f"{os.path.dirname(program)}:{environment['PATH']}"
    return environment


def _give(folder: Path, uid: int) -> None:
    """As root: the folder and all in it belong to the user inside, for as long as the build takes."""
    waiting = [str(folder)]
    while waiting:
        here = waiting.pop()
        os.chown(here, uid, uid, follow_symlinks=False)
        with os.scandir(here) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    os.chown(entry.path, uid, uid, follow_symlinks=False)
