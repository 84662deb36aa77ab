"""The limits of this machine, and what it has run out of. Checked before anything is started, and again
before a bot is blamed for what may be the machine's fault.

The limits are those that this process inherited. A bot gets the lower of its own limit and ours. Knows no bot
and no sandbox.
"""

import contextlib
import os
import resource
from collections.abc import Iterable
from typing import Final, NamedTuple

from arena.system.errors import EXHAUSTED, MachineError
from arena.system.processors import at_a_time

KIB: Final = 1024
MIB: Final = 1024 * KIB
UNLIMITED: Final = resource.RLIM_INFINITY

MOST_SEATS: Final = 8
OUR_PROCESSES: Final = 64
"""Processes and threads reserved for the arena itself."""
FEWEST_PROCESSES: Final = 32
"""The least number of processes and threads for a bot: runtimes start that many before a program begins."""
SPARE_BYTES: Final = MIB
"""A folder with less free space than this counts as full."""
MANY: Final = 1 << 20


class Need(NamedTuple):
    """What we need of one resource limit."""

    limit: int
    flag: str
    """The option of the shell's `ulimit`."""
    unit: int
    """The unit of that option."""
    least: int
    """With a lower limit no match can be played."""
    most: int
    """The soft limit is raised to this if that is allowed."""
    what: str


def needs(memory_mb: int) -> tuple[Need, ...]:
    """The needs of matches whose bots may use `memory_mb` of memory each."""
    data, matches = 2 * memory_mb * MIB, at_a_time()
    return (
        Need(resource.RLIMIT_NOFILE, "-n", 1, 128, 4096, "open files"),
        # For the files of bots (limited in SPEC.md), our logs and the journal.
        Need(resource.RLIMIT_FSIZE, "-f", KIB, 64 * MIB, UNLIMITED, "the size of a file"),
        Need(resource.RLIMIT_DATA, "-d", KIB, data, UNLIMITED, "data memory"),
        Need(resource.RLIMIT_AS, "-v", KIB, 8 * data, UNLIMITED, "address space"),
        Need(resource.RLIMIT_STACK, "-s", KIB, MIB, 8 * MIB, "the stack"),
        Need(resource.RLIMIT_CPU, "-t", 1, UNLIMITED, UNLIMITED, "CPU time"),
        Need(
            resource.RLIMIT_NPROC,
            "-u",
            1,
            # The kernel does not count root's processes, and as root each bot runs as another user.
            OUR_PROCESSES + FEWEST_PROCESSES * MOST_SEATS * matches if os.geteuid() else FEWEST_PROCESSES,
            UNLIMITED,
            "processes and threads of a user",
        ),
    )


OURS: Final = (
    # With less, the library that numpy uses ends the process or hangs.
    Need(resource.RLIMIT_DATA, "-d", KIB, 512 * MIB, UNLIMITED, "data memory"),
    Need(resource.RLIMIT_AS, "-v", KIB, 2048 * MIB, UNLIMITED, "address space"),
)
"""The needs of a command that plays no match."""


def require_room(memory_mb: int | None = None) -> None:
    """Raise our soft limits to the needs of matches whose bots may use `memory_mb` each; for None, to those
    of every command. Raises MachineError, naming the limit, if a hard limit is too low."""
    for need in OURS if memory_mb is None else needs(memory_mb):
        soft, hard = resource.getrlimit(need.limit)
        if _below(hard, need.least):
            wanted = "unlimited" if need.least == UNLIMITED else str(need.least // need.unit)
            raise MachineError(
                f"a limit of this machine is too low: `ulimit -H{need.flag[1:]}` ({need.what}) is "
                f"{hard // need.unit} but must be {wanted}; raise it where the arena is started"
            )
        wanted_soft = need.most if _below(need.most, hard) else hard
        if _below(soft, wanted_soft):
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(need.limit, (wanted_soft, hard))


def lowered(limit: int, wanted: int) -> int:
    """A resource limit for a bot: `wanted`, or our own hard limit if that is lower."""
    _, hard = resource.getrlimit(limit)
    return hard if _below(hard, wanted) else wanted


def open_files() -> int:
    """The number of files that this process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MANY if soft == UNLIMITED else soft


def processes_of_a_bot(wanted: int) -> int:
    """The limit on processes of one bot: `wanted`, or less, so that all bots that play at the same time stay
    within the limit of our user."""
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if hard == UNLIMITED:
        return wanted
    if not os.geteuid():
        return min(wanted, hard)
    return min(wanted, (hard - OUR_PROCESSES) // (MOST_SEATS * at_a_time()))


def _below(one: int, other: int) -> bool:
    """Whether limit `one` is lower than `other`. UNLIMITED is −1, but the highest limit."""
    return one != UNLIMITED and (other == UNLIMITED or one < other)


def shortage(folders: Iterable[str]) -> str | None:
    """What this machine has run out of now: processes, descriptors, or space in one of `folders`; None if
    nothing seems short. Tries each one, which takes a millisecond."""
    try:
        pid = os.posix_spawnp("true", ["true"], os.environ)
        os.waitpid(pid, 0)
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return (
            f"it has no process or file left for us: {error.strerror}" if error.errno in EXHAUSTED else None
        )
    for folder in folders:
        with contextlib.suppress(OSError):
            disk = os.statvfs(folder)
            if disk.f_bavail * disk.f_frsize < SPARE_BYTES:
                return f"there is no space left in {folder}"
            if disk.f_files and not disk.f_favail:
                return f"there is no room for another file in {folder}"
    return None


def oom_kills() -> int:
    """The number of processes that the kernel has killed since boot for lack of memory; 0 if unknown."""
    with contextlib.suppress(OSError, ValueError), open("/proc/vmstat", "rb") as file:
        return int(file.read().partition(b"\noom_kill ")[2].split(b"\n", 1)[0])
    return 0
