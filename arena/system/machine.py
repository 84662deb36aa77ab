"""The limits of this machine, and what it has run out of: checked before anything is started, and again
before a bot is blamed for what may be the machine's fault.

The limits are those that this process inherited. A bot gets the lower one of its own limit and ours. Knows no
bot and no sandbox.
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
"""Processes and threads of one user that are left for the arena itself."""
FEWEST_PROCESSES: Final = 32
"""The processes and threads that a bot needs at least: runtimes start that many before a program begins."""
SPARE_BYTES: Final = MIB
"""A folder with less free space than this counts as full."""
MANY: Final = 1 << 20


class Need(NamedTuple):
    """What we need of one resource limit. `flag` is the option of the shell's `ulimit`, which counts in
    `unit`. Below `least` no match can be played; our soft limit is raised to `most` where that is allowed."""

    limit: int
    flag: str
    unit: int
    least: int
    most: int
    what: str


def needs(memory_mb: int) -> tuple[Need, ...]:
    """What matches need whose bots may use `memory_mb` of memory each."""
    data, matches = 2 * memory_mb * MIB, at_a_time()
    return (
        Need(resource.RLIMIT_NOFILE, "-n", 1, 128, 4096, "open files"),
        # For the files of bots, which SPEC.md limits, and for our logs and journal.
        Need(resource.RLIMIT_FSIZE, "-f", KIB, 64 * MIB, UNLIMITED, "the size of a file"),
        Need(resource.RLIMIT_DATA, "-d", KIB, data, UNLIMITED, "data memory"),
        Need(resource.RLIMIT_AS, "-v", KIB, 8 * data, UNLIMITED, "address space"),
        Need(resource.RLIMIT_STACK, "-s", KIB, MIB, 8 * MIB, "the stack"),
        Need(resource.RLIMIT_CPU, "-t", 1, UNLIMITED, UNLIMITED, "CPU time"),
        Need(
            resource.RLIMIT_NPROC,
            "-u",
            1,
            # The kernel does not count root's processes, and root's bots run as users of their own.
            OUR_PROCESSES + FEWEST_PROCESSES * MOST_SEATS * matches if os.geteuid() else FEWEST_PROCESSES,
            UNLIMITED,
            "processes and threads of a user",
        ),
    )


OURS: Final = (
    # With less, the library below numpy ends the process or hangs.
    Need(resource.RLIMIT_DATA, "-d", KIB, 512 * MIB, UNLIMITED, "data memory"),
    Need(resource.RLIMIT_AS, "-v", KIB, 2048 * MIB, UNLIMITED, "address space"),
)
"""What a command needs that plays no match."""


def require_room(memory_mb: int | None = None) -> None:
    """Raise our own soft limits to what matches need whose bots may use `memory_mb` each; for None, to what
    every command needs. Raises MachineError, which names the limit, if a hard limit is too low."""
    for need in OURS if memory_mb is None else needs(memory_mb):
        soft, hard = resource.getrlimit(need.limit)
        if _below(hard, need.least):
            wanted = "unlimited" if need.least == UNLIMITED else str(need.least // need.unit)
            raise MachineError(
                f"a limit of this machine is too low: `ulimit -H{need.flag[1:]}` ({need.what}) "
                f"is {hard // need.unit} and has to be {wanted}; raise it where the arena is started"
            )
        wanted_soft = need.most if _below(need.most, hard) else hard
        if _below(soft, wanted_soft):
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(need.limit, (wanted_soft, hard))


def lowered(limit: int, wanted: int) -> int:
    """The value of a resource limit for a bot: `wanted`, or our own hard limit if that is lower."""
    _, hard = resource.getrlimit(limit)
    return hard if _below(hard, wanted) else wanted


def open_files() -> int:
    """How many files this process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MANY if soft == UNLIMITED else soft


def processes_of_a_bot(wanted: int) -> int:
    """The limit on processes for one bot: `wanted`, or less so that all bots that play at a time stay within
    the limit of our user."""
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if hard == UNLIMITED:
        return wanted
    if not os.geteuid():
        return min(wanted, hard)
    return min(wanted, (hard - OUR_PROCESSES) // (MOST_SEATS * at_a_time()))


def _below(one: int, other: int) -> bool:
    """Whether limit `one` is lower than `other`; UNLIMITED, which is −1, is the highest."""
    return one != UNLIMITED and (other == UNLIMITED or one < other)


def shortage(folders: Iterable[str]) -> str | None:
    """What this machine has run out of now: processes, descriptors, or space in one of `folders`; None if
    nothing of that can be seen. Each is really tried, which takes a millisecond."""
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
            found = os.statvfs(folder)
            if found.f_bavail * found.f_frsize < SPARE_BYTES:
                return f"there is no space left in {folder}"
            if found.f_files and not found.f_favail:
                return f"there is no room for another file in {folder}"
    return None


def oom_kills() -> int:
    """How many processes the kernel has killed since boot for lack of memory; 0 if it does not say."""
    with contextlib.suppress(OSError, ValueError), open("/proc/vmstat", "rb") as file:
        return int(file.read().partition(b"\noom_kill ")[2].split(b"\n", 1)[0])
    return 0
