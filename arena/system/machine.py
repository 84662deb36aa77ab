"""What this machine allows at most, and what it has run out of: looked at before anything is started, and
once more before a bot is blamed for what may be the machine's.

The limits are those that we inherit from whoever started us; a bot gets the lower one of its own and ours.
Knows no bot and no sandbox.
"""

import contextlib
import os
import resource
from collections.abc import Iterable
from typing import Final, NamedTuple

from arena.system.errors import EXHAUSTED, MachineError

KIB: Final = 1024
MIB: Final = 1024 * KIB
UNLIMITED: Final = resource.RLIM_INFINITY

MOST_SEATS: Final = 8
OUR_PROCESSES: Final = 64
FEWEST_PROCESSES: Final = 32
"""Of a bot, threads included: runtimes start that many before a program does anything."""
SPARE_BYTES: Final = MIB
MANY: Final = 1 << 20


class Need(NamedTuple):
    """`flag` is that of the shell's `ulimit`, which counts by `unit`; `least` is what no match goes without,
    `most` what we take where it is allowed and not yet given."""

    limit: int
    flag: str
    unit: int
    least: int
    most: int
    what: str


def needs(memory_mb: int) -> tuple[Need, ...]:
    """Of matches whose bots may use so much memory."""
    data, cores = 2 * memory_mb * MIB, os.cpu_count() or 1
    return (
        Need(resource.RLIMIT_NOFILE, "-n", 1, 128, 4096, "open files"),
        # Of the bots', which SPEC.md names, and of the logs and the journal, which are ours.
        Need(resource.RLIMIT_FSIZE, "-f", KIB, 64 * MIB, UNLIMITED, "the size of a file"),
        Need(resource.RLIMIT_DATA, "-d", KIB, data, UNLIMITED, "data memory"),
        Need(resource.RLIMIT_AS, "-v", KIB, 8 * data, UNLIMITED, "address space"),
        Need(resource.RLIMIT_STACK, "-s", KIB, MIB, 8 * MIB, "the stack"),
        Need(resource.RLIMIT_CPU, "-t", 1, UNLIMITED, UNLIMITED, "CPU time"),
        Need(
            resource.RLIMIT_NPROC,
            "-u",
            1,
            # The kernel does not count those of root, whose bots are users of their own.
            OUR_PROCESSES + FEWEST_PROCESSES * MOST_SEATS * cores if os.geteuid() else FEWEST_PROCESSES,
            UNLIMITED,
            "processes and threads of a user",
        ),
    )


OURS: Final = (
    # With less, numpy's own library ends the process or never comes back.
    Need(resource.RLIMIT_DATA, "-d", KIB, 512 * MIB, UNLIMITED, "data memory"),
    Need(resource.RLIMIT_AS, "-v", KIB, 2048 * MIB, UNLIMITED, "address space"),
)
"""What a command needs that plays nothing."""


def require_room(memory_mb: int | None = None) -> None:
    """Raise our own soft limits to what matches need whose bots may use so much memory; without, to what any
    command does. Raises MachineError, which names the limit, where that is not allowed."""
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
    """What a bot gets of a limit: not more than we may give."""
    _, hard = resource.getrlimit(limit)
    return hard if _below(hard, wanted) else wanted


def open_files() -> int:
    """How many this process may have."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MANY if soft == UNLIMITED else soft


def processes_of_a_bot(wanted: int) -> int:
    """As many that all bots at a time find room within the limit of a user, who may be ours."""
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if hard == UNLIMITED:
        return wanted
    if not os.geteuid():
        return min(wanted, hard)
    return min(wanted, (hard - OUR_PROCESSES) // (MOST_SEATS * (os.cpu_count() or 1)))


def _below(one: int, other: int) -> bool:
    """Whether a limit is lower than another."""
    return one != UNLIMITED and (other == UNLIMITED or one < other)


def shortage(folders: Iterable[str] = ()) -> str | None:
    """What this machine has run out of at the moment, as far as trying can tell: a process, a descriptor,
    room in one of the folders. Takes a millisecond."""
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
    """How many processes the kernel has killed so far because there was no memory. 0 where it does not
    say."""
    with contextlib.suppress(OSError, ValueError), open("/proc/vmstat", "rb") as file:
        return int(file.read().partition(b"\noom_kill ")[2].split(b"\n", 1)[0])
    return 0
