"""How a bot's program is started: its command, folder and environment. Finds reasons
in its files why a program cannot start.

Knows files and interpreters; no process, no tournament.
"""

import contextlib
import errno
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from arena.process import elf
from arena.process.obstacle import Obstacle, ObstacleKind
from arena.process.toolchains import in_real_folder, installed
from arena.system.errors import EXHAUSTED
from arena.system.text import shell_word

SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"

SUFFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    ".py": ("python3", "-P"),
    ".js": ("node",),
    ".sh": ("sh",),
    ".pl": ("perl",),
    ".rb": ("ruby",),
    ".php": ("php",),
    ".lua": ("lua",),
    ".jar": ("java", "-jar"),
}
"""The command that runs a file with this suffix if the file itself is not executable. Python gets -P, so that
a random.py in the same folder does not replace the module of the standard library."""

SHELLS: Final = frozenset({"sh", "ash", "bash", "dash", "ksh", "mksh", "zsh"})
"""Shells, which take a carriage return at the end of a line as part of its last word."""
SCRIPT_LIMIT: Final = 64 * 1024
"""The number of bytes of a script that are searched for carriage returns."""
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

BINARIES: Final = (
    b"\x7fELF",
    *map(bytes.fromhex, ("feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe")),  # Mach-O
    b"MZ",  # below WSL
)
"""The first bytes of files that can be executed without a `#!` line."""

FIRST_BYTES: Final = 256
"""The bytes of a file that the kernel reads to find out how to execute it."""
SCRIPTS_DEEP: Final = 5
"""The kernel's limit on the length of a chain of interpreters, when an interpreter is itself a script."""
_SPLITS: Final = re.compile(r"(?:-[iv0]*S|--split-string=?)\s*")


class Launch(msgspec.Struct, frozen=True):
    """How a program is started."""

    argv: tuple[str, ...]
    """`argv[0]`: a path, absolute or relative to `folder`, or a name to look up on the bots' PATH."""
    folder: str
    """The working folder."""
    owns_folder: bool = False
    """Whether all files in `folder` belong to the bot, not only those that `argv` and `needs` name."""
    needs: tuple[str, ...] = ()
    """Further files of the bot, relative to `folder`."""
    prefixes: tuple[str, ...] = ()
    """Absolute paths visible in its sandbox besides the system and its own files: see `sandbox.settled`."""
    kept: str = ""
    """The copy of its folder or single file that it plays from; "" if it plays from the original. The bot
    sees the copy under the path of the original, which `on_disk` translates."""

    @property
    def files(self) -> tuple[str, ...]:
        """Absolute paths of the bot's own files that exist: its folder, or what `argv` and `needs` name."""
        if self.owns_folder:
            return (self.folder,)
        words = (*self.argv, *self.needs)
        named = (os.path.normpath(os.path.join(self.folder, word)) for word in words if word)
        return tuple(path for path in named if os.path.exists(self.on_disk(path)))

    @property
    def original(self) -> str:
        """The path of the original of `kept`."""
        return self.folder if self.owns_folder else os.path.join(self.folder, os.path.basename(self.kept))

    def on_disk(self, path: str) -> str:
        """The actual place of an absolute path that the bot uses: in `kept` if it is the original's."""
        place = os.path.normpath(path)
        if self.kept and (place == self.original or place.startswith(f"{self.original}/")):
            return f"{self.kept}{place.removeprefix(self.original)}"
        return path


def base_interpreter() -> str:
    """The Python below our virtual environment, with links and shims resolved. It starts in half the time and
    cannot import the arena."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def bot_environment() -> dict[str, str]:
    """The environment of every bot. Outside bwrap a mark is added (arena/process/tree.py)."""
    folder = os.path.dirname(base_interpreter())
    return {
        "PATH": f"{folder}:{SYSTEM_PATH}",
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "ARENA": "1",
    }


def launch_file(path: Path) -> Launch | Obstacle:
    """How to start a single file, or why it cannot start. A file with the executable bit is executed
    directly, unless it has a suffix of SUFFIXES and neither a `#!` line nor the first bytes of a binary."""
    path = path.absolute()
    folder = str(path.parent)
    if os.access(path, os.X_OK) and not (path.suffix in SUFFIXES and _has_no_format(path)):
        launch = Launch((str(path),), folder)
        return obstacle(launch) or launch
    if path.suffix not in SUFFIXES:
        text = (
            "it has no executable bit, and the arena does not know how to run a "
            f"{path.suffix or 'suffix-less'} file"
        )
        return Obstacle(ObstacleKind.NO_EXECUTABLE_BIT, text)
    interpreter, *arguments = SUFFIXES[path.suffix]
    found = base_interpreter() if interpreter == "python3" else installed(interpreter)
    if found is None:
        return Obstacle(ObstacleKind.NO_INTERPRETER, f"{interpreter} is not on the PATH")
    return Launch((os.path.realpath(found), *arguments, str(path)), folder)


def resolved(words: Sequence[str], folder: str) -> tuple[str, ...]:
    """The command line with its program replaced by a path if only our PATH has it and not the bots'. Links
    to folders are resolved."""
    program, *arguments = words
    if "/" not in program and _located(program, Launch((), folder)) is None and (found := installed(program)):
        program = in_real_folder(found)
    return (program, *arguments)


def obstacle(launch: Launch) -> Obstacle | None:
    """Why this cannot be executed, as far as its folder, file, executable bit, shebang and interpreter show;
    None if nothing is wrong. Raises OSError if this machine has run out of something."""
    if not os.path.exists(launch.kept or launch.folder):
        return Obstacle(ObstacleKind.NOT_THERE, f"its folder {launch.folder} does not exist")
    program = launch.argv[0]
    if not program:
        return Obstacle(ObstacleKind.MANIFEST, "the first word of its command is empty")
    found = _located(program, launch)
    if found is None:
        if "/" not in program:
            return Obstacle(ObstacleKind.NO_INTERPRETER, f"{program} is not on the PATH")
        place = Path(launch.on_disk(os.path.join(launch.folder, program)))
        if why := missing(str(place)):
            return Obstacle(ObstacleKind.NOT_THERE, f"{program} is {why}")
        text = f"{program} is not executable; {executed_by(place, program, launch)}"
        return Obstacle(ObstacleKind.NO_EXECUTABLE_BIT, text)
    try:
        first = _first_line(found)
    except OSError as error:
        if error.errno in EXHAUSTED:
            raise
        # A program that we may execute but not read is assumed to be valid.
        if isinstance(error, PermissionError):
            return None
        return Obstacle(ObstacleKind.OTHER, f"{program}: {error.strerror}")
    if first.startswith(b"#!"):
        return _shebang_obstacle(program, first, launch) or _binary_obstacle(launch)
    if first.startswith(BINARIES):
        return _binary_obstacle(launch)
    if first.startswith(BYTE_ORDER_MARK + b"#!"):
        text = f"{program} has a byte order mark before its #!: save it as UTF-8 without one"
        return Obstacle(ObstacleKind.OTHER, text)
    # sh, prlimit and setpriv would run it as a shell script.
    text = f"{program} is executable, but has no #! line: add one, such as #!/usr/bin/env python3"
    return Obstacle(ObstacleKind.NO_FIRST_LINE, text)


def _binary_obstacle(launch: Launch) -> Obstacle | None:
    """Why the binary at the end of the bot's chain of interpreters cannot be executed; None if it can."""
    for last in [*programs(launch)][-1:]:
        with contextlib.suppress(OSError):
            if _first_line(last).startswith(BINARIES):
                return elf.obstacle(last, _known(last, launch))
    return None


def executed_by(path: Path, called: str, launch: Launch | None = None) -> str:
    """Advice for a file without an executable bit: how to set the bit, and what to do where files have none,
    as on Windows and in archives made there. `called`: its author's name for it. `launch`: how it was to be
    started; None if the file itself was named."""
    chmod = f"chmod +x {shell_word(called)}"
    words = SUFFIXES.get(path.suffix) or ()
    with contextlib.suppress(OSError):
        if not words and (found := shebang(_first_line(str(path)).replace(b"\r", b""))):
            words = (_meant_by_env(*found) or os.path.basename(found[0]),)
    if not words:
        return f"{chmod}, and let its first line name the interpreter (#!/usr/bin/env python3)"
    arguments = () if launch is None else launch.argv[1:]
    program = path.name if launch is None else os.path.normpath(launch.argv[0])
    line = shlex.join((words[0], program, *arguments))
    commanded = f"command = {json.dumps(line, ensure_ascii=False)} in a bot.toml"
    if launch is not None and not launch.owns_folder:
        commanded = shell_word(f"NAME={line}")
    return f"{chmod}, or if files have no such bit, as on Windows: {commanded}"


def with_carriage_returns(launch: Launch) -> str | None:
    """The name of the first shell script of a bot with Windows line endings; None if there is none. Examines
    the scripts in its command line, and those at the top of its own folder."""
    where = {word: launch.on_disk(os.path.join(launch.folder, word)) for word in launch.argv}
    if launch.owns_folder:
        folder = Path(launch.kept or launch.folder)
        where |= {path.name: str(path) for path in sorted(folder.glob("*.sh"))}
    by_shell = os.path.basename(launch.argv[0]) in SHELLS
    for word, place in where.items():
        text = _beginning(place) if os.path.isfile(place) else b""
        if b"\r\n" in text and _is_for_a_shell(word, text, by_shell=by_shell):
            return os.path.basename(word)
    return None


def _is_for_a_shell(name: str, text: bytes, *, by_shell: bool) -> bool:
    """Whether a shell executes a file that begins with `text`. `by_shell`: the command line is a shell's."""
    if name.endswith(".sh"):
        return True
    if found := shebang(text[:FIRST_BYTES].replace(b"\r", b"")):
        return os.path.basename(_meant_by_env(*found) or found[0]) in SHELLS
    return by_shell and not text.startswith(BINARIES)


def _beginning(path: str) -> bytes:
    """The first SCRIPT_LIMIT bytes of a file; b"" if it cannot be read, or is not a file any more."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            return file.read(SCRIPT_LIMIT) or b""
    return b""


def missing(path: str) -> str | None:
    """Why there is nothing at a path, as a predicate of "it is …"; None if there is something."""
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "a symbolic link that points back to itself"
        if os.path.islink(path):
            return f"a symbolic link to {os.readlink(path)}, which does not exist"
        return "not there"
    return None


def has_shebang(path: Path) -> bool:
    """Whether a file begins with `#!`; False if it cannot be read."""
    with contextlib.suppress(OSError):
        return _first_line(str(path)).startswith(b"#!")
    return False


def _has_no_format(path: Path) -> bool:
    """Whether a file begins neither with `#!` nor like a binary; False if it cannot be read."""
    with contextlib.suppress(OSError):
        return not _first_line(str(path)).startswith((b"#!", *BINARIES))
    return False


def programs(launch: Launch) -> Iterator[str]:
    """Paths of all programs that are executed to start a bot: its program, the interpreter in that one's
    first line, the program that `env` finds, and so on. Stops before the first that is missing."""
    program = _located(launch.argv[0], launch)
    for _ in range(SCRIPTS_DEEP):
        if program is None:
            return
        yield program
        try:
            found = shebang(_first_line(program))
        except OSError:
            return
        if found is None:
            return
        program = _located(os.path.join(launch.folder, found[0]), launch)
        if program and (name := _meant_by_env(*found)):
            yield program
            program = _located(name, launch)


def python_of(launch: Launch) -> str | None:
    """The path of the Python that runs a bot; None if something else runs it."""
    first, last = launch.argv[0], [*programs(launch)][-1:]
    return next((path for path in (first, *last) if os.path.basename(path).startswith("python")), None)


def is_the_bot(program: str, launch: Launch) -> bool:
    """Whether a program is the bot's own file, and not an interpreter for other files of its command line."""
    if launch.owns_folder:
        return os.path.abspath(program).startswith(f"{launch.kept or launch.folder}/")
    return len(launch.argv) == 1


def _first_line(path: str) -> bytes:
    """The first line, at most FIRST_BYTES. Raises OSError, also for a pipe, since reading it would block."""
    if not os.path.isfile(path):
        raise OSError(errno.EINVAL, "not a file")
    with open(path, "rb") as file:
        return file.readline(FIRST_BYTES)


def shebang(first: bytes) -> tuple[str, str] | None:
    """Parse a `#!` line as fs/binfmt_script.c of Linux does: only space and tab separate, and a NUL ends it.
    The interpreter and its only argument ("" for none); None if the kernel would find no interpreter."""
    if not first.startswith(b"#!"):
        return None
    line, newline, _ = first[2:FIRST_BYTES].partition(b"\n")
    if not newline and len(first) >= FIRST_BYTES:
        if not re.search(rb"[ \t\0]", line.lstrip(b" \t")):
            return None  # The interpreter's name is cut off.
        line = line[:-1]
    interpreter, argument = re.fullmatch(
        rb"([^ \t\0]*)(?:[ \t]+([^\0]*))?(?:\0.*)?", line.strip(b" \t"), re.DOTALL
    ).groups()  # type: ignore[union-attr]  # It matches anything.
    return (os.fsdecode(interpreter), os.fsdecode(argument or b"")) if interpreter else None


def _meant_by_env(interpreter: str, argument: str) -> str | None:
    """The program that `env` executes; None if it is not `env`. Without -S, `argument` is one word."""
    if os.path.basename(interpreter) != "env":
        return None
    words = [argument]
    if splits := _SPLITS.match(argument):
        with contextlib.suppress(ValueError):
            words = shlex.split(argument[splits.end() :])
    return next((word for word in words if not word.startswith("-") and "=" not in word), None)


def _shebang_obstacle(program: str, first: bytes, launch: Launch) -> Obstacle | None:
    found = shebang(first)
    if found is None:
        text = f"{program} names no interpreter after its #!"
        if first[2:].strip(b" \t\r\n\0"):
            text = f"the first line of {program} is too long: the kernel reads only {FIRST_BYTES} bytes of it"
        return Obstacle(ObstacleKind.OTHER, text)
    if first.endswith(b"\r\n"):
        text = (
            f"the first line of {program} ends in \\r\\n, a Windows line ending (CRLF), and \\r becomes "
            "part of its interpreter's name"
        )
        return Obstacle(ObstacleKind.CARRIAGE_RETURN, text)
    interpreter, _ = found
    name = _meant_by_env(*found)
    if name and _located(name, launch) is None:
        way_out = "; `env` takes one word, or several after -S" if " " in name else ""
        text = f"its interpreter {name} is not on the bots' PATH{way_out}"
        return Obstacle(ObstacleKind.NO_INTERPRETER, text)
    if _located(path := os.path.join(launch.folder, interpreter), launch) is None:
        what = "not a program" if os.path.exists(launch.on_disk(path)) else "not there"
        return Obstacle(ObstacleKind.NO_INTERPRETER, f"its interpreter {interpreter} is {what}")
    return None


def _located(program: str, launch: Launch) -> str | None:
    """The path of a program; None if there is none that can be executed."""
    path = launch.on_disk(os.path.join(launch.folder, program)) if "/" in program else program
    return shutil.which(path, path=bot_environment()["PATH"])


def _known(place: str, launch: Launch) -> str:
    """The bot's path for a place on disk; the inverse of `Launch.on_disk`."""
    return place.replace(launch.kept, launch.original, 1) if launch.kept else place
