"""How much of the machine a bot can see and use, at three levels, and which of them this machine offers.

    bwrap     sees the system and its own files read-only, a /tmp of its own, no network, no other process;
              uses so much data memory, so many processes and files; the kernel ends all of it with us
    rlimits   sees everything; one process uses so much. Protects from accidents, not from malice: processes
              are not counted, since the kernel counts all of a user's together, ours too
    none      only the size of each file that it writes is bounded

Turns a launch into a command line. Knows files, limits and the tools that set them; starts nothing but
probes. The watch on memory, which is the same at all levels, is watchdog.py's; it sees what is mapped and
used, and what lies in the two folders. What it would not see, level bwrap has the kernel refuse (seccomp.py);
left are what waits in pipes and sockets, shared memory that was mapped without a file and given up by
madvise, and on machines for which there is no filter files without a name.
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
    """Best first."""

    BWRAP = "bwrap"
    RLIMITS = "rlimits"
    NONE = "none"


MEANING: Final[Mapping[Level, str]] = {
    Level.BWRAP: "bots see neither each other nor the network"
    + ("" if known_machine() else "; on this kind of machine they can hide memory that they use"),
    Level.RLIMITS: "protects from accidents only: a bot can read and write what you can",
    Level.NONE: "bots can do all that you can",
}


class Sandbox(msgspec.Struct, frozen=True):
    """What a bot plays in. `memory_mb` is for all its processes and its /tmp together; `allowed` are the
    absolute paths of what the organiser shows to every bot."""

    level: Level = Level.RLIMITS
    memory_mb: int = DEFAULT_MEMORY_MB
    allowed: tuple[str, ...] = ()


SIGNALS_OF_A_BOT: Final = 128
"""That wait, each with a place of its own: those from SIGRTMIN on, and those that were queued."""


class Bounds(msgspec.Struct, frozen=True):
    """What the kernel enforces. `processes`, threads included, and `folder_bytes`, the size of /tmp and of
    /dev/shm, hold for all of a bot; the others for each of its processes."""

    data_mb: int
    processes: int
    open_files: int
    file_mb: int
    folder_bytes: int


BUILD: Final = Bounds(data_mb=8192, processes=1024, open_files=4096, file_mb=2048, folder_bytes=1024 * MIB)


def bounds(sandbox: Sandbox) -> Bounds:
    """Those of a bot. Data memory is what could be written to, not what has been: runtimes ask for several
    times what they use. So the watchdog is what ends a bot, and this bounds how far it can get until then."""
    return Bounds(
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
    """Why a level cannot be had on this machine; None where it can. It is really tried, with the interpreter
    that runs the bots; at level bwrap that asks for a user namespace and forks past its limit: 30 ms."""
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
        return f"nothing came of a test within {PROBE_SECONDS:.0f} s"
    except OSError as error:
        if error.errno in EXHAUSTED:
            raise MachineError(f"the sandbox could not be tried: {error}") from None
        return str(error)
    if done.stdout == b"bounded":
        return None
    last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return caption(last) or "its limit on processes does not hold"


def choose(wanted: Level | None, memory_mb: int = DEFAULT_MEMORY_MB) -> tuple[Level, str]:
    """The wanted level, or the best one there is, and what that means, with the reason where it is not the
    best. Raises UserError where the wanted one cannot be had, and where this machine has no room for bots
    of so much memory at any level."""
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


# The file system of a bot: all read-only, but for the two folders in memory.

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
SETTINGS: Final = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/java*", "/etc/php*", "/etc/mono")
"""What interpreters need of /etc: no names of users or machines, no keys. Each costs a start 0.3 ms."""
MESSAGE_LIMIT: Final = 500
IN_MEMORY: Final = ("/tmp", "/dev/shm")
FOLDER_BYTES: Final = 64 * MIB
"""So much each of them holds; a build's hold more."""
MADE_ANEW: Final = ("/proc", "/dev", "/etc")

FIRST_SEAT_UID: Final = 1 << 30
SEATS_OF_A_PROCESS: Final = 256
_seats = itertools.count(secrets.randbelow(SEATS_OF_A_PROCESS))  # A bot sees its own.

# bwrap and the first process inside keep descriptors 0 to 2 open as long as they live, so that a bot which
# closes its output would go unnoticed. Hence the pipes go past them, as 3 and 4. The first to go when the
# machine is out of memory are the bots. Descriptor 5 is /etc/passwd, which knows the bot and nobody else:
# some languages fail where the user has no name.
_OUTSIDE: Final = """
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
exec "$@" 3<&0 4>&1 5<<END </dev/null >/dev/null
bot:x:$0:$0::/tmp:/bin/sh
END
"""
_INSIDE: Final = 'exec "$@" <&3 >&4 3<&- 4>&-'
NO_CORE: Final = 1
"""Bytes of a core that is never written: less than a page. With 0 the kernel would still start the program
that some systems have for cores (core(5)), as root and outside of every wall."""
FIRST_FREE_DESCRIPTOR: Final = 10
"""Of those that are handed on by number: the low ones are taken, or the shell's."""


def seat_uid() -> int | None:
    """As root: a user of the seat's own, since the kernel excepts root from the limit on processes, and
    counts all processes of a user for that user. Else none is needed."""
    if os.geteuid() != 0:
        return None
    return FIRST_SEAT_UID + os.getpid() * SEATS_OF_A_PROCESS + next(_seats) % SEATS_OF_A_PROCESS


def command(
    launch: Launch,
    level: Level,
    bounds: Bounds,
    *,
    uid: int | None = None,
    writable: bool = False,
    info: int | None = None,
    refused: int | None = None,
) -> tuple[str, ...]:
    """The command line that starts the bot at a level. `uid` is the user inside; None is who we are. The
    bot's own files are `writable` for a build only. At level bwrap the descriptor `info` is told the pid
    inside, and the end of what was executed; from `refused` the filter of system calls is read."""
    if level is not Level.BWRAP:
        # A frozen bot never sees the end of its input, so the kernel is asked to kill it with us. Where
        # setpriv is not there (macOS), its process group is still ended by whoever outlives us.
        setpriv = _tool("setpriv")
        return (*((setpriv, "--pdeathsig", "KILL", "--") if setpriv else ()), *launch.argv)
    return (
        *("/bin/sh", "-c", _OUTSIDE, str(os.geteuid() if uid is None else uid)),
        *(_tool("bwrap") or "bwrap", "--die-with-parent", "--new-session"),
        *("--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
        *(("--unshare-user", "--disable-userns") if uid is None else ()),
        *(("--json-status-fd", str(info)) if info is not None else ()),
        *(("--seccomp", str(refused)) if refused is not None else ()),
        *("--unsetenv", MARK),
        *_file_system(launch, bounds, writable),
        *("--", "/bin/sh", "-c", _INSIDE, "sh", _tool("prlimit") or "prlimit"),
        *(f"--{option}={number}:{number}" for option, number in _inside(bounds).items()),
        *("--", *_drop_to(uid), *launch.argv),
    )


def calls_refused(level: Level) -> contextlib.AbstractContextManager[int | None]:
    """The descriptor `refused` of a command, which its process must inherit; None where there is none."""
    return handed(FIRST_FREE_DESCRIPTOR) if level is Level.BWRAP else contextlib.nullcontext()


def inherited(*descriptors: int | None) -> tuple[int, ...]:
    """Those of them that there are."""
    return tuple(descriptor for descriptor in descriptors if descriptor is not None)


def outside_limits(sandbox: Sandbox, bound: Bounds | None = None) -> Mapping[int, int]:
    """What resource.prlimit has to set on a process that was started at another level than bwrap; a bot's, if
    no other bounds are given. The limit on processes is left out: the kernel counts all of a user's against
    it, ours too."""
    bound = bound or bounds(sandbox)
    wanted = {resource.RLIMIT_FSIZE: bound.file_mb * MIB, resource.RLIMIT_CORE: NO_CORE}
    if sandbox.level is not Level.NONE:
        wanted[resource.RLIMIT_DATA] = bound.data_mb * MIB
        wanted[resource.RLIMIT_NOFILE] = bound.open_files
    return {limit: lowered(limit, number) for limit, number in wanted.items()}


def _inside(bounds: Bounds) -> Mapping[str, int]:
    return {
        "data": lowered(resource.RLIMIT_DATA, bounds.data_mb * MIB),
        "nproc": processes_of_a_bot(bounds.processes),
        "nofile": lowered(resource.RLIMIT_NOFILE, bounds.open_files),
        "fsize": lowered(resource.RLIMIT_FSIZE, bounds.file_mb * MIB),
        "core": NO_CORE,
        # An ordinary user's bots draw on one account for these, and so must never come near its end.
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


def _file_system(launch: Launch, bounds: Bounds, writable: bool) -> Iterable[str]:
    """bwrap's options that make it, in the order in which they are obeyed."""
    for path in SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.exists(path):
            yield from (*_way_to(path), "--ro-bind", path, path)
    yield from ("--perms", "0755", "--dir", "/etc")
    for path in sorted(found for pattern in SETTINGS for found in glob.glob(pattern)):
        yield from (*_way_to(path), "--ro-bind", path, path)
    yield from ("--perms", "0444", "--ro-bind-data", "5", "/etc/passwd")
    # The first process in there is the wall's; an ordinary user's bot could write to its memory.
    yield from ("--proc", "/proc", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1", "--dev", "/dev")
    # The machine counts terminals. A bot may unlock none of its own (seccomp.py), so it opens none either.
    yield from ("--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")
    for path in IN_MEMORY:
        yield from ("--perms", "1777", "--size", str(bounds.folder_bytes), "--tmpfs", path)
    installed = installations(launch)
    for path in installed:
        yield from (*_way_to(path), "--ro-bind", path, path)
    for path in shown(launch):
        if writable or not below(path, installed):  # where a link may stand, on which nothing can be bound
            yield from (*_way_to(path), "--bind" if writable else "--ro-bind", path, path)
    yield from (*_way_to(os.path.join(launch.folder, "anything")), "--chdir", launch.folder)
    yield from ("--remount-ro", "/dev", "--remount-ro", "/")


def shown(launch: Launch) -> tuple[str, ...]:
    """What a bot sees beside the system and installed interpreters. It follows from the bot alone, and never
    from whom it meets: arena/entrants/apart.py looks beforehand whether two can be kept apart."""
    if launch.owns_folder:
        return launch.files
    return tuple(
        path
        for path in launch.files
        if path not in IN_MEMORY and not below(path, (*SYSTEM, *MADE_ANEW)) and not _holds_home(path)
    )


def unreadable(launch: Launch) -> str | None:
    """Why a user of its own could not read the bot, as far as looking at its first files can tell."""
    for path in shown(launch):
        due = 0o5 if os.path.isdir(path) else 0o4
        if os.stat(path).st_mode & due != due:
            return f"{path} is closed to the user that it runs as in the sandbox; try chmod -R a+rX"
    return None


def settled(launch: Launch, sandbox: Sandbox) -> Launch | str:
    """The launch with the prefixes that the bot is shown, or why it cannot be started: one of its programs is
    neither among its own files nor in the system nor in what the organiser allows, and is no interpreter as
    it is installed here. No path is shown because a bot has named it, in bot.toml, in a first line or by a
    link."""
    if sandbox.level is not Level.BWRAP:
        return launch
    own = (*launch.files, *map(os.path.realpath, launch.files))
    prefixes = [path for path in sandbox.allowed if os.path.exists(path)]
    for number, program in enumerate(programs(launch)):
        typed = number == 0 and not launch.owns_folder and not is_the_bot(program, launch)
        if typed and is_known(os.path.basename(program)) and not below(program, SYSTEM):
            prefixes += installation(program)
        elif _hidden(program, (*own, *prefixes)) and (chosen := ours(program)):
            prefixes += installation(in_real_folder(chosen))
        if hidden := _hidden(program, (*own, *prefixes)):
            return _out_of_sight(program, hidden, launch)
    return msgspec.structs.replace(launch, prefixes=tuple(dict.fromkeys(prefixes)))


def _hidden(program: str, seen: Iterable[str]) -> str | None:
    """Where a program is, or a link on the way to it, that is neither below these nor seen by every bot."""
    everywhere = (*seen, *SYSTEM, *_everybodys())
    for path in links(program):
        place = in_real_folder(path)
        if not below(place, (*everywhere, *MADE_ANEW) if os.path.islink(path) else everywhere):
            return place
    return None


def _out_of_sight(program: str, place: str, launch: Launch) -> str:
    named = os.path.relpath(program, launch.folder) if below(program, (launch.folder,)) else program
    leads = "is" if program == place else f"leads to {place},"
    folder, way_out = os.path.dirname(place), ""
    if os.path.basename(folder) == "bin":
        way_out = f", or show that to every bot by --allow {os.path.dirname(folder)}"
    why = f"its program {named} {leads} outside of its own files, which no bot is shown"
    return caption(f"{why}; put it among its files{way_out}", MESSAGE_LIMIT)


def installations(launch: Launch) -> tuple[str, ...]:
    """What a bot is shown beside the system and its own files: the interpreter that runs the arena, and what
    was settled when it entered. None of them lies in another."""
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
    """The folders above, which bwrap would make unreadable for others."""
    for folder in reversed(Path(path).parents):
        if str(folder) not in ("/", *MADE_ANEW, *IN_MEMORY) and not below(str(folder), SYSTEM):
            yield from ("--perms", "0755", "--dir", str(folder))


def below(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of the folders, or lies in one."""
    return any(path == folder or path.startswith(os.path.join(folder, "")) for folder in folders)


@functools.cache
def _tool(name: str) -> str | None:
    return shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
