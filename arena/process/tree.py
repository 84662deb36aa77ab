"""Finds the descendants of a process in /proc, and measures their memory and CPU time. Identifies orphans by
a mark in their environment.

Knows no bots. Finds nothing where there is no /proc (macOS).
"""

import contextlib
import ctypes
import functools
import itertools
import os
import platform
import re
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

PAGE: Final = os.sysconf("SC_PAGE_SIZE")
TICK_SECONDS: Final = 1 / os.sysconf("SC_CLK_TCK")
PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_THP_DISABLE: Final = 41
CPUCLOCK_SCHED: Final = 2
"""The kind bits in the number of a process's CPU clock (linux/posix-timers.h)."""
PATIENCE_SECONDS: Final = 2.0
QUIET_LOOKS: Final = 2
"""Look twice: a process that was ending at the first look may have left us its children by the second."""
MARK: Final = "ARENA_BOT"
"""The environment variable that holds the mark."""
_numbers: Final = itertools.count(secrets.randbits(32))  # Starts at random, so that a mark reveals nothing.

_STATE, _PARENT, _FLAGS, _FAULTS, _UTIME, _STIME, _CUTIME, _CSTIME = 0, 1, 6, 7, 11, 12, 13, 14
_THREADS, _VSIZE, _RSS = 17, 20, 21
"""Positions of fields in /proc/PID/stat, counted after the command, which may contain any characters."""

PF_EXITING: Final = 0x4
"""The bit of _FLAGS that is set from when a thread begins to end."""
PF_FORKNOEXEC: Final = 0x40
"""The bit of _FLAGS that is set from when a process is forked until it executes a program."""
KCMP: Final[Mapping[str, int]] = {"x86_64": 312, "aarch64": 272}
"""The number of the system call that compares two processes, by machine; libc has no function for it."""
KCMP_VM: Final = 1

PAGE_TABLE_SHARE: Final = 512
"""Page tables take up to 1/512 of the addresses that a process maps (an entry of 8 bytes for every page of
4 KiB). They are not part of its resident memory."""
LEAST_PAGE_TABLES: Final = 4 << 20
"""Page tables below this total are not counted, since that requires reading another file for each process."""


MOST_READ: Final = 1 << 16
NUMBERS: Final = 256
"""The numbers that a bot's descriptors can have."""
EPOLL: Final = "anon_inode:[eventpoll]"
"""Where the link of an epoll's descriptor leads."""
LINKS_OF_A_FOLDER: Final = 2
"""Links of a folder without subfolders; each subfolder adds one."""


class Resident(NamedTuple):
    """What a process had in memory, and how often it had faulted: a fault adds at most one page."""

    pages: int
    faults: int
    lent: bool
    """Whether the memory was its parent's. vfork, and so posix_spawn, lends it to the child until that one
    executes a program."""


NOTHING: Final = Resident(0, 0, lent=False)


class Usage(NamedTuple):
    """What processes use together."""

    memory: int
    """Bytes of resident memory and page tables."""
    resident: Mapping[int, Resident]
    """By pid, for the next call."""
    cpu: float
    """Seconds of CPU time, in whole ticks."""
    waited: float
    """Seconds of CPU time of ended children that they have waited for."""
    threads: int
    stopped: bool
    """Whether a signal has stopped one of them."""


class Opened(NamedTuple):
    """What processes have open for which the kernel keeps memory that is not part of theirs."""

    watched: int
    """The descriptors that epolls wait for. Those of an epoll that several processes have count for each."""
    list_bytes: int
    """The length of the longest list of them, which a file of /proc shows."""
    proc_files: int
    """Files of /proc. Each keeps a buffer for the longest text that was read from it."""
    in_transit: int
    """Descriptors that were sent to a socket and not received yet. They may be open nowhere else."""


def children(pid: int) -> list[int]:
    """The pids of a process's children, living or not yet reaped."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        folder = f"/proc/{pid}/task"
        alone = os.stat(folder).st_nlink == LINKS_OF_A_FOLDER + 1  # Listing it costs three times as much.
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


def usage(pids: Iterable[int], before: Mapping[int, Resident] | None = None) -> Usage:
    """Measure the processes, parents before their children. Pages that several of them share are counted for
    each, but a memory that is lent only once. `before`: those of the last call, without which memory that is
    being freed does not count."""
    memory, ticks, waited, threads, stopped = 0, 0, 0, 0, False
    resident: dict[int, Resident] = {}
    pids = list(pids)
    least = LEAST_PAGE_TABLES * PAGE_TABLE_SHARE // max(1, len(pids))
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = _stat(f"/proc/{pid}")
            forked = bool(int(fields[_FLAGS]) & PF_FORKNOEXEC)
            lent = forked and _is_lent(pid, fields, resident)
            if forked and not lent:
                fields = _stat(f"/proc/{pid}")  # It may have executed a program since.
            ticks += int(fields[_UTIME]) + int(fields[_STIME])
            waited += int(fields[_CUTIME]) + int(fields[_CSTIME])
            threads += int(fields[_THREADS])
            stopped |= fields[_STATE] == b"T"
            faults = int(fields[_FAULTS])
            pages = int(fields[_RSS]) or _pages_of_threads(pid, fields[_STATE])
            if pages == 0 and before is not None and _is_freeing(fields):
                # /proc reports none any more, though freeing them can take long if others have the core.
                last = before.get(pid, NOTHING)
                if last.lent and not forked:
                    last = NOTHING
                pages = last.pages + max(0, faults - last.faults)
            resident[pid] = Resident(pages, faults, lent)
            if lent:
                continue
            memory += pages * PAGE
            if int(fields[_VSIZE]) > least:
                memory += _page_tables(pid)
    return Usage(memory, resident, ticks * TICK_SECONDS, waited * TICK_SECONDS, threads, stopped)


def descriptors(pid: int) -> int:
    """How many descriptors a process has open; 0 if it is gone."""
    return _table(pid)[1]


def opened(pids: Iterable[int], most_watched: int) -> Opened:
    """Look at each descriptor of the processes, which takes about 5 µs, until more than `most_watched` are
    watched. A process that keeps us from looking has the worst that so many descriptors can be, unless it has
    begun to end: then nobody but root may look, and all is closed at once."""
    watched, list_bytes, proc_files, in_transit = 0, 0, 0, 0
    for pid in pids:
        folder, count = _table(pid)
        try:
            names = os.listdir(f"{folder}/fd")
        except PermissionError:
            if _begins_to_end(folder):
                continue
            watched, proc_files = watched + could_watch(count), proc_files + count
            continue
        except OSError:
            continue
        for name in names:
            with contextlib.suppress(OSError):  # It was closed meanwhile.
                link = os.readlink(f"{folder}/fd/{name}")
                if link == EPOLL:
                    told = _content(f"{folder}/fdinfo/{name}")
                    watched, list_bytes = watched + told.count(b"tfd:"), max(list_bytes, len(told))
                elif link.startswith("socket:"):
                    found = re.search(
                        rb"^scm_fds:\s*(\d+)$", _content(f"{folder}/fdinfo/{name}"), re.MULTILINE
                    )
                    in_transit += int(found[1]) if found else 0
                elif link.startswith("/proc/"):
                    proc_files += 1
            if watched > most_watched:
                break
    return Opened(watched, list_bytes, proc_files, in_transit)


def could_watch(count: int) -> int:
    """The most that epolls can wait for among so many descriptors: half of them are epolls, each of which may
    have each of the others under each number that a descriptor can have."""
    return count * count // 4 * NUMBERS


def _table(pid: int) -> tuple[str, int]:
    """The folder in /proc of a process, or of a living thread if its first one has ended, and the number of
    its descriptors."""
    folder = f"/proc/{pid}"
    with contextlib.suppress(OSError):
        if count := _size(folder):
            return folder, count
        for thread in os.listdir(f"{folder}/task"):
            if count := _size(f"{folder}/task/{thread}"):
                return f"{folder}/task/{thread}", count
    return folder, 0


def _size(folder: str) -> int:
    """The number of descriptors. Linux before 6.2 tells it only with a list of them."""
    with contextlib.suppress(OSError):
        return os.stat(f"{folder}/fd").st_size or len(os.listdir(f"{folder}/fd"))
    return 0


def _begins_to_end(folder: str) -> bool:
    """Whether a process or thread has begun to end, or has ended."""
    try:
        return bool(int(_stat(folder)[_FLAGS]) & PF_EXITING)
    except OSError:
        return True


def _is_lent(pid: int, fields: Sequence[bytes], resident: Mapping[int, Resident]) -> bool:
    """Whether a process had the memory of its parent, one of the `resident`, when these were the fields of
    its `stat`. False if the kernel does not tell."""
    parent, number = int(fields[_PARENT]), KCMP.get(platform.machine())
    if number is None or not resident.get(parent, NOTHING).pages:
        return False
    if int(fields[_VSIZE]) == 0:  # Processes without memory are equal too.
        return False
    return bool(_libc().syscall(number, pid, parent, KCMP_VM, 0, 0) == 0)


def _page_tables(pid: int) -> int:
    """The bytes of a process's page tables. Raises OSError."""
    with open(f"/proc/{pid}/status", "rb") as file:
        found = re.search(rb"^VmPTE:\s*(\d+) kB$", file.read(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _pages_of_threads(pid: int, state: bytes) -> int:
    """The resident pages of a process whose first thread has ended, read from one of its living threads:
    /proc reports none for the process itself."""
    if state == b"Z":
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                if pages := int(_stat(f"/proc/{pid}/task/{thread}")[_RSS]):
                    return pages
    return 0


def _is_freeing(fields: list[bytes]) -> bool:
    """Whether a process, of which these are the fields of `stat`, has given up its memory but not ended: not
    all of its threads are zombies, and the last one frees the memory."""
    ended = fields[_STATE] == b"Z" and int(fields[_THREADS]) == 1
    return not ended and int(fields[_VSIZE]) == 0


def _stat(folder: str) -> list[bytes]:
    """The fields after the command in the `stat` file of a process or thread. Raises OSError."""
    return _content(f"{folder}/stat").rpartition(b")")[2].split()


def _content(path: str) -> bytes:
    """Read a file of /proc, in half the time of `open`: a look reads two per process. Raises OSError."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        content = b""
        while piece := os.read(file, MOST_READ):
            content += piece
        return content
    finally:
        os.close(file)


def clock(pid: int) -> int:
    """The number of the clock for the CPU time of a process, including its ended threads. Reading it costs a
    tenth of reading a file in /proc."""
    return ~pid << 3 | CPUCLOCK_SCHED


def read_clocks(clocks: Iterable[int]) -> float:
    """The sum of the clocks in seconds. Clocks of processes that are gone count as 0."""
    seconds = 0.0
    for number in clocks:
        try:  # `with suppress` would cost as much as the call itself.
            seconds += time.clock_gettime(number)
        except OSError:
            continue
    return seconds


class Load(NamedTuple):
    """What processes have computed so far, in seconds. `cpu`: CPU time in whole ticks, including reaped
    children. `threads`: for each living thread, how long it ran and was queued for a core."""

    cpu: float
    threads: Mapping[int, tuple[float, float]]

    def since(self, before: "Load") -> tuple[float, float]:
        """The CPU time since `before`, and the longest time that one thread was queued. Both are lower
        bounds, since threads and orphans that have ended leave no trace."""
        ran, queued = 0.0, [0.0]
        for thread, (runs, waits) in self.threads.items():
            had_run, had_waited = before.threads.get(thread, (0.0, 0.0))
            ran += runs - had_run
            queued.append(waits - had_waited)
        return max(ran, self.cpu - before.cpu), max(queued)


def load(pids: Iterable[int]) -> Load:
    """Measure processes. Reads a file for each thread; `threads` is empty if the kernel reports none."""
    ticks, threads = 0, {}
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = _stat(f"/proc/{pid}")
            ticks += sum(int(fields[index]) for index in (_UTIME, _STIME, _CUTIME, _CSTIME))
            for thread in os.listdir(f"/proc/{pid}/task"):
                with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
                    ran, queued, *_ = map(int, file.read().split())
                    threads[int(thread)] = (ran / 1e9, queued / 1e9)
    return Load(ticks * TICK_SECONDS, threads)


def running(pids: Iterable[int]) -> bool:
    """Whether one of the processes is running or queued for a core."""
    for pid in pids:
        with contextlib.suppress(OSError):
            if _stat(f"/proc/{pid}")[_STATE] == b"R":
                return True
    return False


@functools.cache  # Loading takes longer than the calls.
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def adopt_orphans() -> None:
    """Adopt descendants whose parent ends from now on, so that they can be ended. Linux only."""
    if sys.platform == "linux":
        _libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def without_huge_pages() -> None:
    """Make the kernel give no huge pages to this process, nor to those that it starts from now on. If a huge
    page is given up except for a byte, all 2 MiB stay in use, and no account shows them. Linux only."""
    if sys.platform == "linux":
        _libc().prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)


def end_with_parent() -> None:
    """Make the kernel kill this process when the thread that started it ends. Does nothing outside Linux."""
    if sys.platform == "linux":
        _libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def new_mark() -> str:
    """A unique mark: our pid and a sequence number."""
    return f"{os.getpid()}-{next(_numbers)}"


def mark_of(pid: int) -> str:
    """The value of MARK in the environment with which a process was started, inherited unless an ancestor
    removed it; "" if there is none, or we may not read it."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        for entry in file.read().split(b"\0"):
            name, _, value = entry.partition(b"=")
            if name == MARK.encode():
                return value.decode("ascii", "replace")
    return ""


def _is_ending(pid: int) -> bool:
    """Whether a process has released its memory but is not a zombie yet. Then it has no environment, and its
    children are not ours yet."""
    with contextlib.suppress(OSError):
        fields = _stat(f"/proc/{pid}")
        return fields[_STATE] != b"Z" and _is_freeing(fields)
    return False


def end_children(doomed: Callable[[int], bool]) -> None:
    """Kill and reap our children, including orphans that become ours, whose pid satisfies `doomed`. Gives up
    after PATIENCE_SECONDS."""
    patience = time.monotonic() + PATIENCE_SECONDS
    # A process that has ended has no environment, so `doomed` may not recognise it; it must be reaped too.
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
