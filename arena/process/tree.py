"""The processes below a process, as /proc shows them: how much memory and CPU time they have, and those whose
parents have gone, which a mark in their environment tells apart.

Knows no bots. Where there is no /proc (macOS) nothing is found.
"""

import contextlib
import ctypes
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
PR_SET_CHILD_SUBREAPER: Final = 36
CPUCLOCK_SCHED: Final = 2
"""linux/posix-timers.h: of a clock whose number is made of a pid."""
PATIENCE_SECONDS: Final = 2.0
MARK: Final = "ARENA_BOT"
_numbers: Final = itertools.count(secrets.randbits(32))  # A bot that sees one learns nothing of its match.

_STATE, _UTIME, _STIME, _CUTIME, _CSTIME, _THREADS, _VSIZE, _RSS = 0, 11, 12, 13, 14, 17, 20, 21
"""Where they stand in /proc/PID/stat behind the command, which may hold anything."""


PAGE_TABLE_SHARE: Final = 512
"""Of the addresses that a process maps its page tables take up to the 512th part (a page of them, of 8 bytes
each, for every 512 pages), and they are not resident memory."""
LEAST_PAGE_TABLES: Final = 4 << 20
"""Bytes that they may come to before anybody asks for them, which takes another file."""


class Usage(NamedTuple):
    """Bytes of resident memory and of its page tables, and seconds of CPU time in whole ticks: of processes,
    and of those of their children for which they have waited. `threads` are all of theirs."""

    memory: int
    cpu: float
    waited: float
    threads: int


def children(pid: int) -> list[int]:
    """The living children, and those not yet reaped."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def tree(pid: int) -> Iterator[int]:
    """The process and all below it."""
    waiting = [pid]
    while waiting:
        yield (pid := waiting.pop())
        waiting += children(pid)


def usage(pids: Iterable[int]) -> Usage:
    """What the processes use. Pages that several of them share count for each."""
    memory, ticks, waited, threads = 0, 0, 0, 0
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = _stat(f"/proc/{pid}")
            ticks += int(fields[_UTIME]) + int(fields[_STIME])
            waited += int(fields[_CUTIME]) + int(fields[_CSTIME])
            threads += int(fields[_THREADS])
            memory += int(fields[_RSS]) * PAGE or _memory_of_threads(pid, fields[_STATE])
            if int(fields[_VSIZE]) > LEAST_PAGE_TABLES * PAGE_TABLE_SHARE:
                memory += _page_tables(pid)
    return Usage(memory, ticks * TICK_SECONDS, waited * TICK_SECONDS, threads)


def _page_tables(pid: int) -> int:
    """Bytes."""
    with open(f"/proc/{pid}/status", "rb") as file:
        found = re.search(rb"^VmPTE:\s*(\d+) kB$", file.read(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _memory_of_threads(pid: int, state: bytes) -> int:
    """Bytes of a process whose first thread has ended: it shows none, but those that still live do."""
    if state == b"Z":
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                if pages := int(_stat(f"/proc/{pid}/task/{thread}")[_RSS]):
                    return pages * PAGE
    return 0


def _stat(folder: str) -> list[bytes]:
    """The fields of a process or thread behind the command. Raises OSError."""
    with open(f"{folder}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()


def clock(pid: int) -> int:
    """The number of the clock that counts the CPU time of a process, its ended threads included, by the
    nanosecond. To read it costs a tenth of what a file does."""
    return ~pid << 3 | CPUCLOCK_SCHED


def read_clocks(clocks: Iterable[int]) -> float:
    """Seconds, without those of processes that are gone."""
    seconds = 0.0
    for number in clocks:
        try:  # A with costs as much as the call.
            seconds += time.clock_gettime(number)
        except OSError:
            continue
    return seconds


class Load(NamedTuple):
    """What processes have computed so far, in seconds: their CPU time in whole ticks, that of children for
    which they have waited among it; and by living thread how long it ran, and how long it was queued for a
    core."""

    cpu: float
    threads: Mapping[int, tuple[float, float]]

    def since(self, before: "Load") -> tuple[float, float]:
        """The CPU time since then, and the longest that one thread was queued: at least, because threads and
        orphans that have ended leave no trace."""
        ran, queued = 0.0, [0.0]
        for thread, (runs, waits) in self.threads.items():
            had_run, had_waited = before.threads.get(thread, (0.0, 0.0))
            ran += runs - had_run
            queued.append(waits - had_waited)
        return max(ran, self.cpu - before.cpu), max(queued)


def load(pids: Iterable[int]) -> Load:
    """Reads a file for each thread. Nothing is queued where the kernel does not say."""
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
    """Whether one of the processes computes now, or stands in the queue for a core."""
    for pid in pids:
        with contextlib.suppress(OSError):
            if _stat(f"/proc/{pid}")[_STATE] == b"R":
                return True
    return False


def adopt_orphans() -> None:
    """From now on a descendant whose parent ends becomes our child, so that it can be found and ended. Only
    Linux knows how."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def new_mark() -> str:
    """What no other process bears: it tells who made it, and counts."""
    return f"{os.getpid()}-{next(_numbers)}"


def mark_of(pid: int) -> str:
    """What stands as MARK in the environment with which a process was started, and that of its ancestors
    unless one of them took it out; "" if nothing does, or we may not look."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        for entry in file.read().split(b"\0"):
            name, _, value = entry.partition(b"=")
            if name == MARK.encode():
                return value.decode("ascii", "replace")
    return ""


def end_children(doomed: Callable[[int], bool]) -> None:
    """Kill and reap those of our children, and of what they leave behind, that are `doomed`, by their pid."""
    patience = time.monotonic() + PATIENCE_SECONDS
    known: set[int] = set()  # What has ended has no environment any more, and is still to be reaped.
    while time.monotonic() < patience:
        found = [pid for pid in children(os.getpid()) if pid in known or doomed(pid)]
        if not found:
            return
        known.update(found)
        for pid in found:
            with contextlib.suppress(PermissionError, ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.001)
