"""What a bot can see and use of the machine, at three levels, and which levels this machine offers.

    bwrap     the bot sees the system and its own files read-only, a /tmp of its own, no network and no other
              process; data memory, processes and files are limited; all its processes end with ours
    rlimits   the bot sees everything; memory and files of each process are limited. Protects from accidents,
              not from malice. Processes are not limited: the kernel counts all processes of our user together
    none      only the size of each file that the bot writes is limited

Turns a launch into a command line. Knows files, limits and the tools that set them; starts nothing but
probes.

At all levels watchdog.py measures the memory that is mapped and used, and the two folders in memory. At level
bwrap the kernel refuses calls that would hide memory from it (seccomp.py). docs/organiser.md lists what can
still be hidden, and how much; without a filter it is more.
"""

import contextlib
import enum
import functools
import glob
import itertools
import os
import resource
import secrets
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from arena.process.launch import Launch, base_interpreter, bot_environment, is_the_bot, programs
from arena.process.obstacle import Obstacle, ObstacleKind
from arena.process.seccomp import CLONE_NEWUSER, handed, known_machine
from arena.process.toolchains import in_real_folder, installation, is_known, links, ours
from arena.process.tree import MARK
from arena.system.errors import EXHAUSTED, MachineError, UserError
from arena.system.machine import MIB, lowered, processes_of_a_bot, require_room
from arena.system.text import caption

HOME: Final = os.path.realpath(os.path.expanduser("~"))
PROBE_SECONDS: Final = 10.0
DEFAULT_MEMORY_MB: Final = 512


class Level(enum.StrEnum):
    """The levels of isolation, best first. The values are used on the command line and in logs."""

    BWRAP = "bwrap"
    RLIMITS = "rlimits"
    NONE = "none"


MEANING: Final[Mapping[Level, str]] = {
    Level.BWRAP: "bots see neither each other nor the network"
    + ("" if known_machine() else "; on this kind of machine they can hide memory that they use"),
    Level.RLIMITS: "protects only from accidents: bots can read and write all that the arena's user can",
    Level.NONE: "bots can do all that the arena's user can",
}


class Sandbox(msgspec.Struct, frozen=True):
    """The isolation of every bot."""

    level: Level = Level.RLIMITS
    memory_mb: int = DEFAULT_MEMORY_MB
    """The limit of all processes of a bot and its /tmp together."""
    allowed: tuple[str, ...] = ()
    """Absolute paths that the organiser makes visible to every bot."""


SIGNALS_OF_A_BOT: Final = 128
"""The limit on queued signals: those from SIGRTMIN on, and those sent by sigqueue."""


class KernelLimits(msgspec.Struct, frozen=True):
    """The limits that the kernel enforces, on each process of a bot unless its field says otherwise."""

    data_mb: int
    processes: int
    """For the whole bot, threads included."""
    open_files: int
    file_mb: int
    folder_bytes: int
    """For the whole bot: the size of each of /tmp and /dev/shm."""


BUILD: Final = KernelLimits(
    data_mb=8192, processes=1024, open_files=4096, file_mb=2048, folder_bytes=1024 * MIB
)


def bounds(sandbox: Sandbox) -> KernelLimits:
    """The limits of a bot. The kernel counts as data what a process could write to, and runtimes reserve
    several times what they use. So the watchdog enforces `memory_mb`, and `data_mb` bounds only what a bot
    can use between two looks."""
    return KernelLimits(
        data_mb=max(2048, 4 * sandbox.memory_mb),
        processes=256,
        open_files=256,
        file_mb=16,
        folder_bytes=FOLDER_BYTES,
    )


_ATTEMPTS: Final = """
import ctypes, os, signal, sys
if {filtered} and ctypes.CDLL(None).unshare({namespace}) == 0:
    sys.exit("a bot can have a user namespace of its own")
def child():
    pid = os.fork()
    return pid or signal.pause()
children = []
try:
    while len(children) < {allowed}:
        children.append(child())
except BlockingIOError:
    print("bounded", end="")
for pid in children:
    os.kill(pid, signal.SIGKILL)
"""


TOOLS: Final[Mapping[Level, tuple[str, ...]]] = {
    Level.BWRAP: ("bwrap", "prlimit", "setpriv"),
    Level.RLIMITS: ("setpriv",),
    Level.NONE: (),
}


@functools.cache
def probe(level: Level) -> str | None:
    """Why a level is not available on this machine; None if it is. Runs a trial with the bots' interpreter,
    which takes 30 ms: at level bwrap it asks for a user namespace, which must be refused, and forks more
    processes than allowed. Raises MachineError if the machine has run out of something."""
    if level is not Level.NONE and not hasattr(resource, "prlimit"):
        return "this needs Linux"
    if missing := [tool for tool in TOOLS[level] if not _tool(tool)]:
        return f"{missing[0]} is not installed (Debian, Ubuntu: apt install bubblewrap util-linux)"
    few = msgspec.structs.replace(bounds(Sandbox()), processes=8)
    test = 'print("bounded", end="")'
    if level is Level.BWRAP:
        test = _ATTEMPTS.format(
            filtered=known_machine() is not None, namespace=CLONE_NEWUSER, allowed=few.processes
        )
    launch = Launch((base_interpreter(), "-I", "-S", "-c", test), "/")
    try:
        with calls_refused(level) as refused:
            done = subprocess.run(
                command(launch, level, few, uid=seat_uid(), refused=refused),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=bot_environment(),
                pass_fds=inherited(refused),
                timeout=PROBE_SECONDS,
                check=False,
            )
    except subprocess.TimeoutExpired:
        return f"a test gave no result within {PROBE_SECONDS:.0f} s"
    except OSError as error:
        if error.errno in EXHAUSTED:
            raise MachineError(f"the sandbox could not be tested: {error}") from None
        return str(error)
    if done.stdout == b"bounded":
        return None
    last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return caption(last) or "its limit on processes does not hold"


def choose(wanted: Level | None, memory_mb: int = DEFAULT_MEMORY_MB) -> tuple[Level, str]:
    """The wanted level, or the best available one for None; and a sentence about what it means and why better
    ones are not available. Raises UserError if the wanted level is not available, and MachineError if our own
    limits are too low for bots with `memory_mb`."""
    require_room(memory_mb)
    if wanted is not None:
        if reason := probe(wanted):
            raise UserError(f"--sandbox {wanted}: {reason}")
        return wanted, MEANING[wanted]
    reasons = []
    for level in Level:
        if (reason := probe(level)) is None:
            break
        reasons.append(f"{level}: {reason}")
    return level, "; ".join((MEANING[level], *reasons))


# The file system of a bot is read-only, except the two folders in memory.

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
SETTINGS: Final = (
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/java", "/etc/java-*-openjdk*", "/etc/groovy"),
    *("/etc/mono", "/etc/dotnet", "/etc/php", "/etc/php.ini", "/etc/php.d", "/etc/R/Renviron"),
    *("/etc/R/ldpaths", "/etc/racket", "/etc/julia", "/etc/erlang", "/etc/gnucobol", "/etc/fpc.cfg"),
    *("/etc/fpc-*.cfg", "/etc/ldc2.conf", "/etc/dmd.conf", "/etc/nim", "/etc/ocamlfind.conf", "/var/lib/ghc"),
)
"""What interpreters and compilers need outside SYSTEM; it reveals no users, machines or keys. Each existing
path adds 0.3 ms to a start."""
SEARCHED: Final = tuple(sorted({os.path.dirname(path) for path in (*SYSTEM, *SETTINGS)}))
"""The folders in which these paths are."""
IN_MEMORY: Final = ("/tmp", "/dev/shm")
FOLDER_BYTES: Final = 64 * MIB
"""The size of each folder in memory for a bot; a build's are larger."""
MADE_ANEW: Final = ("/proc", "/dev", "/etc")

FIRST_SEAT_UID: Final = 1 << 30
SEATS_OF_A_PROCESS: Final = 256
_seats = itertools.count(secrets.randbelow(SEATS_OF_A_PROCESS))  # Random, since a bot sees its user id.

# bwrap and the first process inside keep descriptors 0 to 2 open as long as they live, so we would not notice
# that a bot closes its output. Hence the pipes are passed as descriptors 3 and 4, and become 0 and 1 inside.
# The oom score makes the kernel kill bots before other processes when memory runs out. Descriptor 5 becomes
# /etc/passwd with the bot as its only user: some languages fail if their user has no name.
_OUTSIDE: Final = """
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
exec "$@" 3<&0 4>&1 5<<END </dev/null >/dev/null
bot:x:$0:$0::/tmp:/bin/sh
END
"""
# PWD and OLDPWD are set by the shell, and not meant for the bot.
_INSIDE: Final = 'unset PWD OLDPWD && exec "$@" <&3 >&4 3<&- 4>&-'
_INSIDE_WAITING: Final = f"read -r _ <&3 && {_INSIDE}"
_WAITING: Final = 'read -r _ && unset PWD OLDPWD && exec "$@"'
BEGIN: Final = b"\n"
"""The first input of a waiting process. The shell consumes it and then executes the program."""
NO_CORE: Final = 1
"""The limit on core files in bytes: less than a page, so that none is written. With 0 some kernels would
still start a core handler (core(5)), as root and outside the sandbox."""
FIRST_FREE_DESCRIPTOR: Final = 10
"""The lowest number for descriptors that are passed by number; we or the shell use the lower ones."""


def seat_uid() -> int | None:
    """As root, a new user id for one seat, since the kernel counts processes per user and exempts root from
    the limit. None for an ordinary user, who needs none."""
    if os.geteuid() != 0:
        return None
    return FIRST_SEAT_UID + os.getpid() * SEATS_OF_A_PROCESS + next(_seats) % SEATS_OF_A_PROCESS


def command(
    launch: Launch,
    level: Level,
    bounds: KernelLimits,
    *,
    uid: int | None = None,
    waits: bool = False,
    writable: bool = False,
    info: int | None = None,
    refused: int | None = None,
) -> tuple[str, ...]:
    """The command line that starts the bot at a level. `uid`: the user inside; None for our own. `waits`:
    execute the bot only after reading BEGIN. `writable`: let it change its own files, as a build does. For
    bwrap only: `info` is the descriptor to which it reports the pid inside and the exit code, and `refused`
    the one from which it reads the filter of system calls."""
    if level is not Level.BWRAP:
        # A frozen bot would not notice the end of its input, so the kernel must kill it when we end. Without
        # setpriv (macOS) the director ends its process group, if it outlives us.
        waiting = ("/bin/sh", "-c", _WAITING, "sh") if waits else ()
        setpriv = _tool("setpriv")
        return (*((setpriv, "--pdeathsig", "KILL", "--") if setpriv else ()), *waiting, *launch.argv)
    return (
        *("/bin/sh", "-c", _OUTSIDE, str(os.geteuid() if uid is None else uid)),
        *(_tool("bwrap") or "bwrap", "--die-with-parent", "--new-session"),
        *("--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
        *(("--unshare-user", "--disable-userns") if uid is None else ()),
        *(("--json-status-fd", str(info)) if info is not None else ()),
        *(("--seccomp", str(refused)) if refused is not None else ()),
        *("--unsetenv", MARK),
        *_file_system(launch, bounds, writable),
        *("--", _tool("prlimit") or "prlimit"),
        *(f"--{option}={number}:{number}" for option, number in _inside(bounds).items()),
        *("--", *_drop_to(uid), "/bin/sh", "-c", _INSIDE_WAITING if waits else _INSIDE, "sh", *launch.argv),
    )


def calls_refused(level: Level) -> contextlib.AbstractContextManager[int | None]:
    """The descriptor `refused` for `command`, which the child must inherit; None if there is no filter."""
    return handed(FIRST_FREE_DESCRIPTOR) if level is Level.BWRAP else contextlib.nullcontext()


def inherited(*descriptors: int | None) -> tuple[int, ...]:
    """The descriptors that are not None, for `pass_fds`."""
    return tuple(descriptor for descriptor in descriptors if descriptor is not None)


def outside_limits(sandbox: Sandbox, bound: KernelLimits | None = None) -> Mapping[int, int]:
    """The limits, by resource, to set by resource.prlimit on a process started without bwrap; by default a
    bot's. Processes are not limited, since the kernel would count all of our user's."""
    bound = bound or bounds(sandbox)
    wanted = {resource.RLIMIT_FSIZE: bound.file_mb * MIB, resource.RLIMIT_CORE: NO_CORE}
    if sandbox.level is not Level.NONE:
        wanted[resource.RLIMIT_DATA] = bound.data_mb * MIB
        wanted[resource.RLIMIT_NOFILE] = bound.open_files
    return {limit: lowered(limit, number) for limit, number in wanted.items()}


def _inside(bounds: KernelLimits) -> Mapping[str, int]:
    return {
        "data": lowered(resource.RLIMIT_DATA, bounds.data_mb * MIB),
        "nproc": processes_of_a_bot(bounds.processes),
        "nofile": lowered(resource.RLIMIT_NOFILE, bounds.open_files),
        "fsize": lowered(resource.RLIMIT_FSIZE, bounds.file_mb * MIB),
        "core": NO_CORE,
        # All bots of an ordinary user share that user's limit on these, so each gets a small part.
        "sigpending": lowered(resource.RLIMIT_SIGPENDING, SIGNALS_OF_A_BOT),
        "memlock": 0,
    }


def _drop_to(uid: int | None) -> tuple[str, ...]:
    if uid is None:
        return ()
    return (
        *(_tool("setpriv") or "setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"),
        *("--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"),
    )


def _file_system(launch: Launch, bounds: KernelLimits, writable: bool) -> Iterable[str]:
    """bwrap's options for a bot's file system, in the order in which bwrap applies them."""
    yield from _system(tuple(map(_changed_at, SEARCHED)))
    yield from ("--perms", "0444", "--ro-bind-data", "5", "/etc/passwd")
    # /proc/1 is hidden: it is bwrap's process, and an ordinary user's bot could write to its memory.
    # /proc/sys is hidden: a read of it holds up to 4 MiB until all is copied, which a bot can delay.
    # /proc is read-only: otherwise a bot could reset its oom_score_adj, by which the kernel kills it first.
    yield from ("--proc", "/proc")
    for path in ("/proc/1", "/proc/sys"):
        yield from ("--tmpfs", path, "--remount-ro", path)
    yield from ("--remount-ro", "/proc")
    yield from ("--dev", "/dev")
    # /dev/full also reads as zeros, but cannot be mapped as shared memory (seccomp.py).
    yield from ("--dev-bind", "/dev/full", "/dev/zero")
    # Hidden, since terminals are counted for the whole machine. Bots cannot unlock one anyway (seccomp.py).
    yield from ("--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")
    for path in IN_MEMORY:
        yield from ("--perms", "1777", "--size", str(bounds.folder_bytes), "--tmpfs", path)
    installed = installations(launch)
    for path in installed:
        yield from (*_way_to(path), "--ro-bind", path, path)
    for path in shown(launch):
        if writable or not below(path, installed):  # The path may be a link, on which nothing can be mounted.
            yield from (*_way_to(path), "--bind" if writable else "--ro-bind", launch.on_disk(path), path)
    yield from (*_way_to(os.path.join(launch.folder, "anything")), "--chdir", launch.folder)
    yield from ("--remount-ro", "/dev", "--remount-ro", "/")


def _changed_at(folder: str) -> int | None:
    """When a name last appeared in a folder or disappeared from it; None if there is no folder."""
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return None


@functools.lru_cache(maxsize=1)
def _system(changed: tuple[int | None, ...]) -> tuple[str, ...]:
    """bwrap's options for the system and its settings. They are searched for again only if one of SEARCHED
    has `changed`, since that takes longer than all else that we do for a start."""
    words: list[str] = []
    for path in SYSTEM:
        if os.path.islink(path):
            words += ("--symlink", os.readlink(path), path)
        elif os.path.exists(path):
            words += (*_way_to(path), "--ro-bind", path, path)
    words += ("--perms", "0755", "--dir", "/etc")
    for path in sorted(found for pattern in SETTINGS for found in glob.glob(pattern)):
        words += (*_way_to(path), "--ro-bind", path, path)
    return tuple(words)


def shown(launch: Launch) -> tuple[str, ...]:
    """The paths under which a bot sees its own files. They do not depend on other bots:
    arena/entrants/apart.py checks beforehand that no two bots see each other."""
    if launch.owns_folder:
        return launch.files
    return tuple(
        path
        for path in launch.files
        if path not in IN_MEMORY and not below(path, (*SYSTEM, *MADE_ANEW)) and not _holds_home(path)
    )


def unreadable(launch: Launch) -> Obstacle | None:
    """Why another user could not read the bot, judged by the paths of `shown` and not by what is below them;
    None if nothing is wrong."""
    for path in shown(launch):
        place = launch.on_disk(path)
        due = 0o5 if os.path.isdir(place) else 0o4
        if os.stat(place).st_mode & due != due:
            text = f"{path} cannot be read by the user that it runs as in the sandbox; try chmod -R a+rX"
            return Obstacle(ObstacleKind.UNREADABLE, text)
    return None


def settled(launch: Launch, sandbox: Sandbox) -> Launch | Obstacle:
    """The launch with its `prefixes`, or why it cannot be started: one of its programs is neither its own
    file, nor part of the system, nor allowed by the organiser, nor an interpreter that is installed here.

    A path must not become visible because a bot has named it: in bot.toml, in a first line or by a link."""
    if sandbox.level is not Level.BWRAP:
        return launch
    files = (*launch.files, *map(launch.on_disk, launch.files))
    own = (*files, *map(os.path.realpath, files))
    prefixes = [path for path in sandbox.allowed if os.path.exists(path)]
    for number, program in enumerate(programs(launch)):
        # An interpreter that the user typed on the command line is visible wherever it is installed.
        typed = number == 0 and not launch.owns_folder and not is_the_bot(program, launch)
        if typed and is_known(os.path.basename(program)) and not below(program, SYSTEM):
            prefixes += installation(program)
        elif _hidden(program, (*own, *prefixes)) and (chosen := ours(program)):
            prefixes += installation(in_real_folder(chosen))
        if hidden := _hidden(program, (*own, *prefixes)):
            return _out_of_sight(program, hidden, launch)
    return msgspec.structs.replace(launch, prefixes=tuple(dict.fromkeys(prefixes)))


def _hidden(program: str, seen: Iterable[str]) -> str | None:
    """The first place on the chain of links to a program that is neither below `seen` nor visible to every
    bot; None if all are visible."""
    everywhere = (*seen, *SYSTEM, *_everybodys())
    for path in links(program):
        place = in_real_folder(path)
        if not below(place, (*everywhere, *MADE_ANEW) if os.path.islink(path) else everywhere):
            return place
    return None


def _out_of_sight(program: str, place: str, launch: Launch) -> Obstacle:
    own = launch.kept if launch.kept and launch.owns_folder else launch.folder
    named = os.path.relpath(program, own) if below(program, (own,)) else program
    leads = "is" if program == place else f"points to {place},"
    folder, way_out = os.path.dirname(place), ""
    if os.path.basename(folder) == "bin":
        way_out = f", or let every bot read that folder with --allow {os.path.dirname(folder)}"
    why = f"its program {named} {leads} outside its own files, where no bot can see it"
    return Obstacle(ObstacleKind.OTHER, f"{why}; put it among its files{way_out}")


def installations(launch: Launch) -> tuple[str, ...]:
    """The paths that a bot sees besides the system and its own files: the interpreter that runs the arena,
    and the prefixes of `settled`. None of them contains another."""
    found: list[str] = []
    for path in sorted({*_everybodys(), *launch.prefixes}):
        if not below(path, (*SYSTEM, *MADE_ANEW, *found)):
            found.append(path)
    return tuple(found)


@functools.cache
def _everybodys() -> tuple[str, ...]:
    return tuple(installation(base_interpreter()))


def _holds_home(path: str) -> bool:
    return below(HOME, (os.path.realpath(path),))


def _way_to(path: str) -> Iterable[str]:
    """bwrap's options that create the folders above `path`; by default bwrap makes them unreadable for other
    users."""
    for folder in reversed(Path(path).parents):
        if str(folder) not in ("/", *MADE_ANEW, *IN_MEMORY) and not below(str(folder), SYSTEM):
            yield from ("--perms", "0755", "--dir", str(folder))


def below(path: str, folders: Iterable[str]) -> bool:
    """Whether `path` is one of the folders or lies in one. Compares text and follows no links."""
    return any(path == folder or path.startswith(os.path.join(folder, "")) for folder in folders)


@functools.cache
def _tool(name: str) -> str | None:
    return shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
