"""Builds a bot in a copy of its folder that is named by its digest, so that no program is built twice and the
author's folder does not change.

Every sandbox level limits what a build may use (quota.py). Knows folders and a command; no manifest, no game.
"""

import contextlib
import fcntl
import os
import resource
import secrets
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.entrants.digest import SIZE_LIMIT, Rule, listed, version_of
from arena.entrants.quota import BuildWatch, marked
from arena.process.interruptible import end_with_task
from arena.process.launch import Launch, bot_environment, obstacle, resolved, with_carriage_returns
from arena.process.obstacle import Obstacle
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
from arena.system.files import users_temporary, write_whole
from arena.system.interruption import held
from arena.system.text import caption, visible
from arena.system.trees import CopyLimits, NotCopiedError, NotCopiedReason, copy, paths_below, remove_folder

BUILD_SECONDS: Final = 300
LOOK_SECONDS: Final = 0.1
SIGNALLED: Final = 128
SIGNAL_NAMES: Final = {int(number): number.name for number in signal.Signals}
OUTPUT_SHOWN: Final = 2000
LIMITS: Final = {
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_CORE: "core",
    resource.RLIMIT_DATA: "data",
    resource.RLIMIT_NOFILE: "nofile",
}
"""By resource limit, the option of `prlimit` for it."""
BOUNDS: Final = CopyLimits(size=SIZE_LIMIT, files=1_000_000, depth=200, seconds=BUILD_SECONDS)
LIST: Final = ".files.json"
"""The suffix of a list of files, which lies next to the copy of them."""
COMPILED_FROM: Final = 512 * 1024
"""Modules of more bytes than this are compiled beforehand. A bot that imports a library of that size would
otherwise spend some 50 ms on compiling it at every start."""
COMPILE: Final = ("-m", "compileall", "-qq", "--invalidation-mode", "checked-hash", ".")
"""With checked hashes, Python recompiles a module that the bot changes while it plays."""


class BuildError(Exception):
    """A build failed. The text ends with the end of its output."""


class CopyError(BuildError):
    """The files of a bot could not be copied."""


def cache() -> Path:
    """The folder for copies and finished builds: `arena/built` below $XDG_CACHE_HOME or else ~/.cache; if
    that is not writable, below this user's temporary folder. Earlier versions, which did not check what a
    build leaves, used `arena/builds`. Raises UserError if there is no safe place."""
    named = os.environ.get("XDG_CACHE_HOME")
    folder = Path(named or os.path.expanduser("~/.cache"))
    fit = folder.is_absolute()
    if fit and not named:
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fit = os.access(folder, os.W_OK | os.X_OK)
    if not fit:
        if (ours := users_temporary()) is None:
            raise UserError("there is no place for copies of bots: set XDG_CACHE_HOME to one")
        folder = ours
    return folder / "arena" / "built"


def built(
    folder: Path,
    finished: Path,
    build: Sequence[str],
    sandbox: Sandbox,
    version: str,
    rule: Rule = Rule.PROGRAM,
) -> Path:
    """Return `finished`; unless it exists, copy `folder` to it and run `build` in the copy. `version`: the
    digest of `folder` by `rule`, which the copy must have. Raises BuildError."""

    def make(unfinished: Path) -> None:
        files = copied(folder, unfinished, version, rule)
        _run(build, unfinished, sandbox)
        _make_ordinary(unfinished)
        write_list(finished, files)

    return made_once(finished, make)


def copied(source: Path, target: Path, version: str, rule: Rule) -> dict[str, str]:
    """Copy what is part of the program by `rule` from a bot's file or folder, and return its contents as
    `listed` does. The copy must have the digest `version`. Raises CopyError, OSError."""
    try:
        # If the bot was named by a link, copy the target.
        copy(os.path.realpath(source), target, BOUNDS, times=True, left_out=rule.left_out)
    except NotCopiedError as error:
        raise CopyError(f"its files cannot be copied: {caption(_why(error), OUTPUT_SHOWN)}") from None
    if version != version_of([target], rule=rule):
        raise CopyError("its files changed while it was entering")
    return listed([target])


def write_list(finished: Path, files: Mapping[str, str]) -> None:
    """Write the list of a copy's files next to it, before the copy gets its final name. Raises OSError."""
    write_whole(finished.with_name(f"{finished.name}{LIST}"), msgspec.json.encode(files), lasting=False)


def _why(error: NotCopiedError) -> str:
    if error.why is NotCopiedReason.DEPTH:
        return "its folders are nested too deeply"
    return f"{error.path or 'it'}: {error.detail or error.why.name.lower()}"


def compile_python(folder: Path, python: str, sandbox: Sandbox) -> None:
    """Compile the modules in a folder with the interpreter `python`, sandboxed like a build, if they are so
    large that compiling them would slow down every start. Ignores failures."""
    modules = (path.lstat() for path in paths_below(folder) if path.suffix == ".py")
    if sum(module.st_size for module in modules if stat.S_ISREG(module.st_mode)) > COMPILED_FROM:
        with contextlib.suppress(BuildError):
            _run((python, "-I", "-S", *COMPILE), folder, sandbox)
        _make_ordinary(folder)


def _make_ordinary(folder: Path) -> None:
    """Remove the set-user-ID, set-group-ID and sticky bits: a program with the first runs as its owner, which
    is us. All files must be ours, and no process may be running in the folder."""
    for path in (folder, *paths_below(folder)):
        mode = path.lstat().st_mode
        if mode & 0o7000 and not stat.S_ISLNK(mode):
            path.chmod(mode & 0o777)


def made_once(finished: Path, make: Callable[[Path], None]) -> Path:
    """Return the folder `finished`; unless it exists, create it atomically with what `make` puts into the
    folder that it is passed."""
    if finished.is_dir():
        return finished
    finished.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = finished.parent / f"unfinished-{secrets.token_hex(8)}"
    try:
        unfinished.mkdir(mode=0o700)
        make(unfinished)
        try:
            unfinished.rename(finished)
        except OSError:
            # Another process may have created the same folder meanwhile.
            if not finished.is_dir():
                raise
        return finished
    finally:
        with held():
            remove_folder(unfinished)


def _run(build: Sequence[str], folder: Path, sandbox: Sandbox) -> None:
    """Run a build in `folder`. Ends all its processes, outside a sandbox by our mark. Raises BuildError."""
    launch = Launch(resolved(build, str(folder)), str(folder), owns_folder=True)
    launched = obstacle(launch) or settled(launch, sandbox)
    if isinstance(launched, Obstacle):
        raise BuildError(f"its build could not be started: {launched}")
    uid = seat_uid() if sandbox.level is Level.BWRAP else None
    if uid is not None:
        _give(folder, uid)
    with tempfile.TemporaryFile() as output:
        running = None
        try:
            with held():
                running = _started(launched, sandbox, uid, output.fileno())
            watch = BuildWatch(running.child.pid, running.mark, str(folder), output.fileno())
            wrong = _watched(running.child, watch)
        except OSError as error:
            if running is not None:
                raise
            raise BuildError(f"its build could not be started: {build[0]}: {error.strerror}") from None
        finally:
            if running is not None:
                with held():
                    _end(running)
        wrong = wrong or watch.files_complaint(ended=True)
        if wrong is None:
            if uid is not None:
                _give(folder, os.geteuid())
            return
        output.seek(max(0, output.seek(0, os.SEEK_END) - OUTPUT_SHOWN))
        end = visible(output.read(), OUTPUT_SHOWN).strip()
    if script := with_carriage_returns(launch):
        wrong = f"{wrong} ({script} has Windows line endings, CRLF: save it with Unix line endings, LF)"
    raise BuildError(f"its build {wrong}: {end}" if end else f"its build {wrong}")


class _Running(NamedTuple):
    """A running build. `inner`: the first process inside its sandbox; without a sandbox None, and the build's
    processes have `mark` in their environment."""

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
    """Words that start a command line with limits in force; none if this machine lacks `prlimit`."""
    if prlimit := shutil.which("prlimit"):
        yield prlimit
        for limit, number in outside_limits(sandbox, BUILD).items():
            yield f"--{LIMITS[limit]}={number}:{number}"
        yield "--"


def _started_inside(launch: Launch, sandbox: Sandbox, uid: int | None, output: int) -> _Running:
    """Raises OSError."""
    reading, low = os.pipe()
    bwrap_info = open(reading, "rb")  # noqa: SIM115
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
        return _Running(child, SandboxInit(bwrap_info), "")
    except BaseException:
        bwrap_info.close()
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


def _watched(child: "subprocess.Popen[bytes]", watch: BuildWatch) -> str | None:
    """Wait for the end of a build. None if it succeeded, otherwise what went wrong, as a predicate. Raises as
    `end_with_task` does."""
    deadline = time.monotonic() + BUILD_SECONDS
    while time.monotonic() < deadline:
        try:
            status = child.wait(min(LOOK_SECONDS, BUILD_SECONDS))
        except subprocess.TimeoutExpired:
            end_with_task()
            if wrong := watch.complaint():
                return wrong
            continue
        return failure(status)
    return f"took more than {BUILD_SECONDS} s"


def failure(status: int) -> str | None:
    """How a build failed, as a predicate; None if it succeeded. A shell and bwrap report that a signal ended
    their child as 128 plus its number."""
    if status < 0:
        status = SIGNALLED - status
    if status - SIGNALLED == signal.SIGXFSZ:
        return f"wrote more than {BUILD.file_mb} MB into one file"
    name = f" ({SIGNAL_NAMES[status - SIGNALLED]})" if status - SIGNALLED in SIGNAL_NAMES else ""
    return f"failed with exit status {status}{name}" if status else None


def _end(running: _Running) -> None:
    """Kill all processes of a build: one that survived could change the files, which are checked next."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.child.pid, signal.SIGKILL)
    running.child.wait()
    if running.inner:
        running.inner.end()
    for _ in range(1000):  # Each may start another before the signal arrives.
        if not (left := marked(running.mark)):
            break
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.001)


def _environment(program: str) -> dict[str, str]:
    """The environment of a bot, with the folder of `program` first on the PATH: cargo calls rustc."""
    environment = bot_environment()
    if os.path.isabs(program):
        environment["PATH"] = f"{os.path.dirname(program)}:{environment['PATH']}"
    return environment


def _give(folder: Path, uid: int) -> None:
    """Change the owner of the folder and everything in it to `uid`, as only root can."""
    waiting = [str(folder)]
    while waiting:
        current = waiting.pop()
        os.chown(current, uid, uid, follow_symlinks=False)
        with os.scandir(current) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    os.chown(entry.path, uid, uid, follow_symlinks=False)
