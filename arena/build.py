"""Builds a bot once: in a copy of its folder that is named by its digest, so that the same program is never
built twice and the author's folder stays as it is.

Knows folders and one command; no manifest and no game.
"""

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from arena.errors import UserError
from arena.launch import Launch, bot_environment, obstacle, resolved
from arena.sandbox import BUILD, Level, Sandbox, calls_refused, command, inherited, seat_uid
from arena.sanitise import visible

BUILD_SECONDS: Final = 300
OUTPUT_SHOWN: Final = 2000


class BuildError(Exception):
    """A build that failed; the text ends with the last of its output."""


def cache() -> Path:
    """Where what was built is kept: $XDG_CACHE_HOME/arena, else ~/.cache/arena. Raises UserError for somebody
    who has no home."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(folder):
        raise UserError("a bot has to be built, and there is no place for it: set HOME or XDG_CACHE_HOME")
    return Path(folder, "arena", "builds")


def built(folder: Path, finished: Path, build: Sequence[str], sandbox: Sandbox) -> Path:
    """The copy of `folder`, called `finished`, in which `build` has succeeded. Raises BuildError."""

    def make(unfinished: Path) -> None:
        try:
            shutil.copytree(folder, unfinished, dirs_exist_ok=True, symlinks=True, copy_function=_copied)
        except shutil.Error as error:
            why = visible(str(error.args[0][0][2]).encode("utf-8", "replace"), OUTPUT_SHOWN)
            raise BuildError(f"its folder cannot be copied for its build: {why}") from None
        except RecursionError:
            raise BuildError("its folders are nested too deeply for its build") from None
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
        shutil.rmtree(unfinished, ignore_errors=True)


def _run(build: Sequence[str], folder: Path, sandbox: Sandbox) -> None:
    """Raises BuildError. Nothing that the build has started outlives it."""
    launch = Launch(resolved(build, str(folder)), str(folder), owns_folder=True)
    if reason := obstacle(launch):
        raise BuildError(f"its build could not be started: {reason}")
    uid = seat_uid() if sandbox.level is Level.BWRAP else None
    with tempfile.TemporaryFile() as output, _lent(folder, uid):
        try:
            with calls_refused(sandbox.level) as refused:
                child = subprocess.Popen(
                    command(launch, sandbox.level, BUILD, uid=uid, writable=True, refused=refused),
                    cwd=folder,
                    env=_environment(launch.argv[0]),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=inherited(refused),
                    start_new_session=True,
                )
        except OSError as error:
            raise BuildError(f"its build could not be started: {build[0]}: {error.strerror}") from None
        try:
            status = child.wait(BUILD_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        if status == 0:
            return
        output.seek(max(0, output.seek(0, os.SEEK_END) - OUTPUT_SHOWN))
        end = visible(output.read(), OUTPUT_SHOWN).strip()
    how = f"took more than {BUILD_SECONDS} s" if status is None else f"failed with exit status {status}"
    raise BuildError(f"its build {how}: {end}")


def _environment(program: str) -> dict[str, str]:
    """A bot's, and on the PATH what is installed beside the program: cargo calls rustc."""
    environment = bot_environment()
    if os.path.isabs(program):
        environment["PATH"] = f"{os.path.dirname(program)}:{environment['PATH']}"
    return environment


@contextlib.contextmanager
def _lent(folder: Path, uid: int | None) -> Iterator[None]:
    """As root: the folder and all in it belong to the user inside, for as long as the build takes."""
    if uid is None:
        yield
        return
    _give(folder, uid)
    try:
        yield
    finally:
        _give(folder, os.geteuid())


def _give(folder: Path, uid: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, uid, uid, follow_symlinks=False)
