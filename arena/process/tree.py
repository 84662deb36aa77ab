"""Finds the processes below a process in /proc, and what memory and CPU time they use. Orphans are found by a
mark in their environment.

Knows no bots. Where there is no /proc (macOS) nothing is found.
"""

import contextlib
import ctypes
import functools
import itertools
import os
import re
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

PAGE: Final = os.sysconf("SC_PAGE_SIZE")
TICK_SECONDS: Final = 1 / os.sysconf("SC_CLK_TCK")
PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
CPUCLOCK_SCHED: Final = 2
"""The kind of a process's CPU clock in the number of that clock, by linux/posix-timers.h."""
PATIENCE_SECONDS: Final = 2.0
QUIET_LOOKS: Final = 2
"""A process that was ending at the first may have left us its children by the second."""
MARK: Final = "ARENA_BOT"
"""The environment variable that holds the mark."""
_numbers: Final = itertools.count(secrets.randbits(32))  # Random, so that a mark says nothing of the match.

_STATE, _UTIME, _STIME, _CUTIME, _CSTIME, _THREADS, _VSIZE, _RSS = 0, 11, 12, 13, 14, 17, 20, 21
"""Positions of fields in /proc/PID/stat, counted behind the command, which may hold any characters."""


PAGE_TABLE_SHARE: Final = 512
"""Page tables take up to 1/512 of the addresses that a process maps (an entry of 8 bytes for every page of
4 KiB). They are not part of its resident memory."""
LEAST_PAGE_TABLES: Final = 4 << 20
"""Page tables that together cannot be larger than these bytes are not counted, since that takes another file
to read for each process."""


MOST_READ: Final = 1 << 16
LINKS_OF_A_FOLDER: Final = 2
"""Of a folder without folders in it; each folder in it adds one."""


class Usage(NamedTuple):
    """What processes use. `memory`: bytes of resident memory and page tables. `cpu`: their seconds of CPU
    time in whole ticks. `waited`: the seconds of those of their children for which they have waited.
    `threads`: the number of their threads. `stopped`: whether a signal has stopped one of them."""

    memory: int
    cpu: float
    waited: float
    threads: int
    stopped: bool


def children(pid: int) -> list[int]:
    """The pids of a process's children, living or not yet reaped."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        folder = f"/proc/{pid}/task"
        alone = os.stat(folder).st_nlink == LINKS_OF_A_FOLDER + 1  # To list it costs three times as much.
        for thread in [pid] if alone else os.listdir(folder):
            with contextlib.suppress(OSError):
                found += map(int, _content(f"/proc/{pid}/task/{thread}/children").split())
    return found


def tree(pid: int) -> Iterator[int]:
    """The pids of a process and of all its descendants."""
    waiting = [pid]
    while waiting:
        yield (pid := waiting.pop())
        waiting += children(pid)


def usage(pids: Iterable[int]) -> Usage:
    """What the processes use together. Pages that several of them share count for each."""
    memory, ticks, waited, threads, stopped = 0, 0, 0, 0, False
    pids = list(pids)
    least = LEAST_PAGE_TABLES * PAGE_TABLE_SHARE // max(1, len(pids))
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = _stat(f"/proc/{pid}")
            ticks += int(fields[_UTIME]) + int(fields[_STIME])
            waited += int(fields[_CUTIME]) + int(fields[_CSTIME])
            threads += int(fields[_THREADS])
            stopped |= fields[_STATE] == b"T"
            memory += int(fields[_RSS]) * PAGE or _memory_of_threads(pid, fields[_STATE])
            if int(fields[_VSIZE]) > least:
                memory += _page_tables(pid)
    return Usage(memory, ticks * TICK_SECONDS, waited * TICK_SECONDS, threads, stopped)


def _page_tables(pid: int) -> int:
    """The bytes of a process's page tables. Raises OSError."""
    with open(f"/proc/{pid}/status", "rb") as file:
        found = re.search(rb"^VmPTE:\s*(\d+) kB$", file.read(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _memory_of_threads(pid: int, state: bytes) -> int:
    """The bytes of a process whose first thread has ended, as one of its living threads shows them: the
    process itself shows none."""
    if state == b"Z":
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                if pages := int(_stat(f"/proc/{pid}/task/{thread}")[_RSS]):
                    return pages * PAGE
    return 0


def _stat(folder: str) -> list[bytes]:
    """The fields of a process's or thread's `stat` file behind the command. Raises OSError."""
    return _content(f"{folder}/stat").rpartition(b")")[2].split()


def _content(path: str) -> bytes:
    """A file of /proc, in half the time of `open`: a look reads two for each process. Raises OSError."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        content = b""
        while piece := os.read(file, MOST_READ):
            content += piece
        return content
    finally:
        os.close(file)


def clock(pid: int) -> int:
    """The number of the clock that counts the CPU time of a process in nanoseconds, its ended threads
    included. Reading it costs a tenth of reading a file in /proc."""
    return ~pid << 3 | CPUCLOCK_SCHED


def read_clocks(clocks: Iterable[int]) -> float:
    """The seconds that the clocks show together; clocks of processes that are gone count 0."""
    seconds = 0.0
    for number in clocks:
        try:  # `with suppress` would cost as much as the call itself.
            seconds += time.clock_gettime(number)
        except OSError:
            continue
    return seconds


class Load(NamedTuple):
    """What processes have computed so far, in seconds. `cpu`: their CPU time in whole ticks, with that of
    children for which they have waited. `threads`: by living thread, how long it ran and how long it was
    queued for a core."""

    cpu: float
    threads: Mapping[int, tuple[float, float]]

    def since(self, before: "Load") -> tuple[float, float]:
        """The CPU time since `before`, and the longest that one thread was queued. Both are lower bounds,
        since threads and orphans that have ended leave no trace."""
        ran, queued = 0.0, [0.0]
        for thread, (runs, waits) in self.threads.items():
            had_run, had_waited = before.threads.get(thread, (0.0, 0.0))
            ran += runs - had_run
            queued.append(waits - had_waited)
        return max(ran, self.cpu - before.cpu), max(queued)


def load(pids: Iterable[int]) -> Load:
    """What processes have computed so far. Reads a file for each thread. Where the kernel does not report it,
    there are no threads."""
    ticks, threads = 0, {}
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = _stat(f"/proc/{pid}")
            ticks += sum(int(fields[at]) for at in (_UTIME, _STIME, _CUTIME, _CSTIME))
            for thread in os.listdir(f"/proc/{pid}/task"):
                with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
                    ran, queued, *_ = map(int, file.read().split())
                    threads[int(thread)] = (ran / 1e9, queued / 1e9)
    return Load(ticks * TICK_SECONDS, threads)


def running(pids: Iterable[int]) -> bool:
    """Whether one of the processes computes now or is queued for a core."""
    for pid in pids:
        with contextlib.suppress(OSError):
            if _stat(f"/proc/{pid}")[_STATE] == b"R":
                return True
    return False


@functools.cache  # It takes longer than what is called in it.
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def adopt_orphans() -> None:
    """Have descendants whose parent ends become our children from now on, so that they can be found and
    ended. Does nothing outside of Linux."""
    if sys.platform == "linux":
        _libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends. Does nothing outside of
    Linux."""
    if sys.platform == "linux":
        _libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def new_mark() -> str:
    """A mark that no other process has: our pid and a running number."""
    return f"{os.getpid()}-{next(_numbers)}"


def mark_of(pid: int) -> str:
    """The value of MARK in the environment with which a process was started; it is inherited unless an
    ancestor removed it. "" if there is none, or we may not read it."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        for entry in file.read().split(b"\0"):
            name, _, value = entry.partition(b"=")
            if name == MARK.encode():
                return value.decode("ascii", "replace")
    return ""


def _is_ending(pid: int) -> bool:
    """Whether a process has lost its memory and is no zombie yet. It has no environment then, and its
    children are not yet ours."""
    with contextlib.suppress(OSError):
        fields = _stat(f"/proc/{pid}")
        return fields[_STATE] != b"Z" and int(fields[_VSIZE]) == 0
    return False


def end_children(doomed: Callable[[int], bool]) -> None:
    """Kill and reap our children, and orphans that become our children, for whose pid `doomed` is true. Gives
    up after PATIENCE_SECONDS."""
    patience = time.monotonic() + PATIENCE_SECONDS
    # An ended process has no environment any more, so `doomed` may not recognise it. It must be reaped too.
    known: set[int] = set()
    quiet = 0
    while quiet < QUIET_LOOKS and time.monotonic() < patience:
        living = children(os.getpid())
        found = [pid for pid in living if pid in known or doomed(pid)]
        if not found and not any(map(_is_ending, living)):
            quiet += 1
            continue
        quiet = 0
        known.update(found)
        for pid in found:
            with contextlib.suppress(PermissionError, ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.001)
